// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace wick {

enum class Demangle {
  kShort,  // without parameters and return type, as perf script has it
  kFull,   // as c++filt has it
  kNone,
};

// The name that C++ or Rust (legacy and v0) was given in the source, or `name`
// itself if it is no mangled one. Clone suffixes (".part.0", ".llvm.123") are
// kept in perf's form, a Rust hash ("::h0123…") is dropped. Names are untrusted
// and the result is bounded in size and time.
std::string demangle(std::string_view name, Demangle how);

}  // namespace wick
