// SPDX-License-Identifier: Apache-2.0
// A decoder that is fuzzed by itself because it is no InputFormat. X_fuzz.cc
// beside it defines one, format/format_fuzz.cc lists them all, and the inputs
// that are kept for it are in tests/corpus/NAME.
#pragma once

#include <string_view>

namespace wick {

struct FuzzTarget {
  std::string_view name;
  // Aborts if something that must hold does not.
  void (*run)(std::string_view bytes);
};

}  // namespace wick
