// SPDX-License-Identifier: Apache-2.0
// What can be known of a mangled C++ name before it is demangled.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace wick {

struct CxxShape {
  // Where the function's name ends and its parameters begin, counted from the
  // start of the mangled name. The whole of a special name ("vtable for …").
  std::size_t name_end = 0;
  // The qualifiers of a member function ("const"), which stand within the name.
  std::size_t qualifiers_begin = 0, qualifiers_end = 0;
  // Where everything ends and a suffix such as ".cold" begins.
  std::size_t end = 0;
  // The demangled name has no more bytes than this.
  std::size_t size_bound = 0;
};

// Nothing for what is no C++ name, is nested too deeply, or would become longer
// than kMaxCxxOutput.
inline constexpr std::size_t kMaxCxxInput = 8192;
inline constexpr std::size_t kMaxCxxOutput = 1 << 20;
std::optional<CxxShape> shape_of_cxx(std::string_view mangled);

}  // namespace wick
