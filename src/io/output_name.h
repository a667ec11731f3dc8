// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace wick {

// The name of an output, and how much of it the user chose. That decides which
// symbolic links it may go through: see io/output_place.h.
struct OutputName {
  std::string path;  // "": none
  // The user gave the first `typed_size` bytes; wick chose the rest.
  std::size_t typed_size = 0;
  std::string shown = {};  // what messages call it; "": its path

  // The user gave the whole name, as after -o.
  static OutputName typed(std::string path) {
    const std::size_t size = path.size();
    return {std::move(path), size};
  }
  // wick chose the name: a default such as wick.data, or one made from that of
  // an input. If it begins with `typed`, that part is the user's.
  static OutputName chosen(std::string path, std::string_view typed = "") {
    const std::size_t size = path.starts_with(typed) ? typed.size() : 0;
    return {std::move(path), size};
  }

  bool empty() const { return path.empty(); }
  const std::string& text() const { return shown.empty() ? path : shown; }
};

}  // namespace wick
