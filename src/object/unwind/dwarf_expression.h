// SPDX-License-Identifier: Apache-2.0
// The DWARF expressions of unwind rules: a small stack machine that sees the
// frame's registers and the copied part of the stack, nothing else.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace wick {

// The copied part of a thread's stack.
struct StackCopy {
  std::uint64_t start = 0;  // address of the first byte
  std::string_view bytes;

  std::uint64_t end() const { return start + bytes.size(); }
  bool read(std::uint64_t address, std::uint64_t& value) const {
    const std::uint64_t at = address - start;
    if (at > bytes.size() || bytes.size() - at < 8) return false;
    std::memcpy(&value, bytes.data() + at, 8);
    return true;
  }
  // Whether the words from `first` to `last` can be read.
  bool holds(std::uint64_t first, std::uint64_t last) const {
    return first >= start && last >= first && last - start <= bytes.size() &&
           bytes.size() - (last - start) >= 8;
  }
};

struct ExpressionInput {
  std::span<const std::uint64_t> registers;  // by DWARF number
  std::uint64_t known = 0;                   // bit i: registers[i] is known
  StackCopy stack;
  bool swap = false;  // operands have the other byte order
};

struct ExpressionResult {
  bool valid = false;
  std::uint64_t value = 0;
  // The address outside the stack, if reading it made the result invalid.
  std::optional<std::uint64_t> bad_address;
};

// Runs a bounded number of steps; an operation that makes no sense in an unwind
// rule makes the result invalid. `initial`, if any, is pushed first.
ExpressionResult evaluate(std::string_view expression,
                          const ExpressionInput& input,
                          std::optional<std::uint64_t> initial);

}  // namespace wick
