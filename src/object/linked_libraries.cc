// SPDX-License-Identifier: Apache-2.0
#include "object/linked_libraries.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "absl/container/flat_hash_set.h"
#include "base/error.h"
#include "base/text.h"
#include "io/open_regular.h"
#include "object/elf/elf_file.h"
#include "object/elf/needed.h"

namespace wick {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLibraries = 512;
constexpr std::string_view kUsualFolders =
    "/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib";

std::string real_folder_of(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::canonical(path, error);
  return (error ? fs::path(path) : whole).parent_path().string();
}

std::string with_origin(std::string_view folder, const std::string& origin) {
  for (const std::string_view word : {"$ORIGIN", "${ORIGIN}"})
    if (folder.starts_with(word))
      return origin + std::string(folder.substr(word.size()));
  return std::string(folder);
}

std::shared_ptr<const ElfFile> open_library(const std::string& path) {
  try {
    return ElfFile::from_fd(open_regular(path), path);
  } catch (const Error&) {
    return nullptr;
  }
}

class Search {
 public:
  explicit Search(const std::string& program) {
    const auto file = ElfFile::open(program);
    machine_ = file->machine();
    is_64_ = file->is_64();
    const Needed needed = needed_by(*file);
    if (!needed.loader.empty()) loader_folder_ = real_folder_of(needed.loader);
    add(needed, program);
  }

  const LinkedLibraries& found() const { return found_; }

 private:
  // Files are added while their number grows: libraries need others.
  void add(const Needed& first, const std::string& program) {
    find_all(first, program);
    for (std::size_t i = 0; i < found_.paths.size(); ++i) {
      const std::string path = found_.paths[i];
      if (const auto file = open_library(path))
        find_all(needed_by(*file), path);
    }
  }

  void find_all(const Needed& needed, const std::string& by) {
    const std::string origin = real_folder_of(by);
    const char* variable = std::getenv("LD_LIBRARY_PATH");
    for (const std::string& name : needed.libraries) {
      if (found_.paths.size() >= kMostLibraries) return;
      if (!seen_.insert(name).second) continue;
      auto path = find_in(needed.search_path, origin, name);
      if (!path && variable != nullptr) path = find_in(variable, origin, name);
      if (!path) path = find_in(loader_folder_, origin, name);
      if (!path) path = find_in(kUsualFolders, origin, name);
      if (path)
        found_.paths.push_back(*path);
      else
        found_.missing.push_back(name);
    }
  }

  std::optional<std::string> find_in(std::string_view folders,
                                     const std::string& origin,
                                     const std::string& name) const {
    while (!folders.empty()) {
      const std::string folder = with_origin(take_until(folders, ':'), origin);
      if (folder.empty()) continue;
      const std::string path = folder + "/" + name;
      const auto file = open_library(path);
      if (file && file->machine() == machine_ && file->is_64() == is_64_)
        return path;
    }
    return {};
  }

  Machine machine_ = {};
  bool is_64_ = true;
  std::string loader_folder_;
  absl::flat_hash_set<std::string> seen_;
  LinkedLibraries found_;
};

}  // namespace

LinkedLibraries linked_libraries(const std::string& program) {
  return Search(program).found();
}

}  // namespace wick
