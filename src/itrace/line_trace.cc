// SPDX-License-Identifier: Apache-2.0
#include "itrace/line_trace.h"

#include <algorithm>
#include <array>
#include <bit>

namespace wick {
namespace {

constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> kHexValues = [] {
  std::array<std::uint8_t, 256> values;
  values.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 10; ++i) values[std::size_t{'0'} + i] = i;
  for (std::uint8_t i = 0; i < 6; ++i)
    values[std::size_t{'a'} + i] = values[std::size_t{'A'} + i] =
        static_cast<std::uint8_t>(10 + i);
  return values;
}();

std::uint8_t hex_value(char c) {
  return kHexValues[static_cast<unsigned char>(c)];
}

}  // namespace

bool LineCursor::hex(std::uint64_t& value) {
  std::size_t size = 0;
  std::uint64_t sum = 0;
  for (; size < rest_.size(); ++size) {
    const std::uint8_t digit = hex_value(rest_[size]);
    if (digit == kNoDigit) break;
    if (sum >> 60 != 0) return false;
    sum = sum << 4 | digit;
  }
  if (size == 0) return false;
  rest_.remove_prefix(size);
  value = sum;
  return true;
}

bool LineCursor::hex16(std::uint64_t& value) {
  if (rest_.size() < 16) return false;
  std::uint64_t sum = 0;
  std::uint8_t all = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint8_t digit = hex_value(rest_[i]);
    all |= digit;
    sum = sum << 4 | (digit & 15);
  }
  if (all > 15) return false;
  rest_.remove_prefix(16);
  value = sum;
  return true;
}

bool LineCursor::decimal(std::uint64_t& value) {
  std::size_t size = 0;
  std::uint64_t sum = 0;
  for (; size < rest_.size() && is_digit(rest_[size]); ++size) {
    if (sum > UINT64_MAX / 10 - 1) return false;
    sum = sum * 10 + static_cast<std::uint64_t>(rest_[size] - '0');
  }
  if (size == 0) return false;
  rest_.remove_prefix(size);
  value = sum;
  return true;
}

bool LineTraceReader::next(TraceBlock& block) {
  while (!harts_.give(block)) {
    if (ended_) {
      block.clear();
      return false;
    }
    while (!harts_.full()) {
      const auto line = lines_.next();
      if (!line) {
        ended_ = true;
        break;
      }
      if (!read_line(*line))
        diagnostics_.note_at(Problem::kBadLine, *line, lines_.number());
    }
    info_.pc_bits =
        std::max(info_.pc_bits, static_cast<int>(std::bit_width(pcs_seen_)));
  }
  return true;
}

Privilege privilege_of(std::uint64_t bits) {
  switch (bits & 3) {
    case 0:
      return Privilege::kUser;
    case 1:
      return Privilege::kSupervisor;
    case 3:
      return Privilege::kMachine;
    default:
      return Privilege::kUnknown;
  }
}

}  // namespace wick
