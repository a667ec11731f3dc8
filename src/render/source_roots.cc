// SPDX-License-Identifier: Apache-2.0
#include "render/source_roots.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "io/open_regular.h"
#include "io/read_file.h"

namespace wick {
namespace {

namespace fs = std::filesystem;

// "" for "/".
std::string real_folder(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error || !fs::is_directory(real, error))
    fail_setting(Setting::kSourceRoot, "{}: is not a directory", path);
  return real == "/" ? "" : real.string();
}

bool is_hidden(std::string_view path_in_root) {
  return path_in_root.find("/.") != path_in_root.npos;
}

}  // namespace

SourceRoots::SourceRoots(const std::vector<std::string>& given) {
  for (const std::string& path : given) roots_.push_back(real_folder(path));
  std::error_code error;
  std::string current = fs::current_path(error).string();
  if (!error && current != "/") roots_.push_back(std::move(current));
}

// The root around a file, if it may be read.
std::optional<std::string> SourceRoots::place_of(
    const std::string& real_path) const {
  for (const std::string& root : roots_)
    if (real_path.starts_with(root + "/") &&
        !is_hidden(std::string_view(real_path).substr(root.size())))
      return root;
  return {};
}

SourceRoots::Answer SourceRoots::read(const std::string& name,
                                      std::uint64_t max_size) const {
  std::vector<std::string> paths = {name};
  if (!name.starts_with('/'))
    for (const std::string& root : roots_) paths.push_back(root + "/" + name);
  Answer answer;
  for (const std::string& path : paths) {
    std::error_code error;
    const std::string real = fs::canonical(path, error).string();
    if (error || !fs::is_regular_file(real, error)) continue;
    const auto root = place_of(real);
    if (!root) {
      answer.is_outside = true;
      continue;
    }
    // Even if a link takes the file's place by now, it does not lead out.
    answer.text =
        read_small_file(open_regular_in(*root + "/", real.substr(root->size()),
                                        {.on_network = true}),
                        max_size);
    answer.is_outside = false;
    return answer;
  }
  return answer;
}

}  // namespace wick
