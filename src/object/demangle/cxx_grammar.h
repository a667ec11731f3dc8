// SPDX-License-Identifier: Apache-2.0
// The structure of a mangled C++ name, found without demangling it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace wick {

struct CxxShape {
  // Where the function's name ends and its parameters begin, as an offset in
  // the mangled name; the end of a special name ("vtable for …").
  std::size_t name_end = 0;
  // The qualifiers of a member function ("const"), which are inside the name.
  std::size_t qualifiers_begin = 0, qualifiers_end = 0;
  // Where the name ends and a suffix such as ".cold" begins.
  std::size_t end = 0;
  // An upper bound of the demangled name's size in bytes.
  std::size_t size_bound = 0;
};

// Nothing if it is not a C++ name, is nested too deeply, or would become longer
// than kMaxCxxOutput.
inline constexpr std::size_t kMaxCxxInput = 8192;
inline constexpr std::size_t kMaxCxxOutput = 1 << 20;
std::optional<CxxShape> shape_of_cxx(std::string_view mangled);

}  // namespace wick
