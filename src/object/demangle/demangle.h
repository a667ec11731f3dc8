// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace wick {

enum class Demangle {
  kShort,  // without parameters and return type, as perf script prints it
  kFull,   // as c++filt prints it
  kNone,
};

// The source-level name of a C++ or Rust (legacy and v0) function, or `name`
// itself if it is not mangled. Clone suffixes (".part.0", ".llvm.123") are
// kept in perf's form, a Rust hash ("::h0123…") is dropped. Names are untrusted
// and the result is bounded in size and time.
std::string demangle(std::string_view name, Demangle how);

}  // namespace wick
