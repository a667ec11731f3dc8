// SPDX-License-Identifier: Apache-2.0
#include "builders/stored_inputs.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

namespace wick {
namespace {

namespace fs = std::filesystem;

// "x.txt.folded" beside "x.txt" is what x.txt gives, not an input.
bool is_expectation(const fs::path& path) {
  return path.extension() == ".folded" &&
         fs::is_regular_file(fs::path(path).replace_extension());
}

std::vector<StoredInput> inputs_in(const std::string& folder) {
  std::vector<StoredInput> found;
  const fs::path root = fs::path(WICK_SOURCE_DIR) / "tests" / folder;
  if (!fs::is_directory(root)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || is_expectation(entry.path())) continue;
    found.push_back({.format = entry.path().parent_path().filename(),
                     .name = entry.path().filename(),
                     .path = entry.path()});
  }
  std::ranges::sort(found, {}, &StoredInput::path);
  return found;
}

}  // namespace

std::string StoredInput::bytes() const {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void PrintTo(const StoredInput& input, std::ostream* out) {
  *out << input.format << '/' << input.name;
}

std::string stored_file(const std::string& name) {
  return fs::path(WICK_SOURCE_DIR) / "tests" / name;
}

std::vector<StoredInput> golden_inputs() { return inputs_in("golden"); }
std::vector<StoredInput> corpus_inputs() { return inputs_in("corpus"); }

std::string test_name(const StoredInput& input) {
  std::string name = input.format + "_" + input.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace wick
