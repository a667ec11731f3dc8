// SPDX-License-Identifier: Apache-2.0
// The inputs that are kept with the tests. The folder says which reader they
// are for, so a new format is tested as soon as it has a folder.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace wick {

struct StoredInput {
  std::string format;
  std::string name;  // of the file
  std::string path;

  std::string bytes() const;
};
void PrintTo(const StoredInput& input, std::ostream* out);

// The path of a file below tests/.
std::string stored_file(const std::string& name);

// tests/golden: inputs whose folded stacks are known.
std::vector<StoredInput> golden_inputs();

// tests/corpus: inputs that once broke a reader, and what a fuzzer found worth
// keeping.
std::vector<StoredInput> corpus_inputs();

// For INSTANTIATE_TEST_SUITE_P: format and file name, letters and digits only.
std::string test_name(const StoredInput& input);

}  // namespace wick
