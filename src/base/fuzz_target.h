// SPDX-License-Identifier: Apache-2.0
// A decoder that is not an InputFormat and so has a fuzz target of its own,
// defined in X_fuzz.cc next to X.cc. format/format_fuzz.cc lists them all; the
// corpus is in tests/corpus/NAME.
#pragma once

#include <string_view>

namespace wick {

struct FuzzTarget {
  std::string_view name;
  // Aborts if an invariant is broken.
  void (*run)(std::string_view bytes);
};

// The reader that this program tries, by the program's name.
std::string_view fuzzed_reader();

}  // namespace wick
