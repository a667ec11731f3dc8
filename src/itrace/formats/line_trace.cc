// SPDX-License-Identifier: Apache-2.0
#include "itrace/formats/line_trace.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace wick {
namespace {

constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> kHexValues = [] {
  std::array<std::uint8_t, 256> values{};
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

// Eight digits at once: in the plain loop, each step depends on the previous
// one, which makes it the larger part of reading a trace.
std::uint64_t eight_bytes(const char* text) {
  std::uint64_t bytes;
  std::memcpy(&bytes, text, 8);
  if constexpr (std::endian::native == std::endian::big)
    bytes = __builtin_bswap64(bytes);
  return bytes;  // the first character in the low bits
}

bool are_digits(std::uint64_t bytes) {
  return (((bytes + 0x4646464646464646) | (bytes - 0x3030303030303030)) &
          0x8080808080808080) == 0;
}

bool are_hex_digits(std::uint64_t bytes) {
  constexpr std::uint64_t kEach = 0x0101010101010101, kHigh = 0x80 * kEach;
  if ((bytes & kHigh) != 0) return false;
  // The high bit of each byte is the result of one comparison.
  const std::uint64_t digits =
      (bytes + (0x80 - '0') * kEach) & ~(bytes + (0x7f - '9') * kEach);
  const std::uint64_t lower = bytes | 0x20 * kEach;
  const std::uint64_t letters =
      (lower + (0x80 - 'a') * kEach) & ~(lower + (0x7f - 'f') * kEach);
  return ((digits | letters) & kHigh) == kHigh;
}

std::uint64_t eight_digits(std::uint64_t digits) {
  digits -= 0x3030303030303030;
  digits = digits * 10 + (digits >> 8);  // pairs
  constexpr std::uint64_t kPair = 0x000000ff000000ff;
  return ((digits & kPair) * (100 + (std::uint64_t{1000000} << 32)) +
          (digits >> 16 & kPair) * (1 + (std::uint64_t{10000} << 32))) >>
         32;
}

std::uint64_t eight_hex_digits(std::uint64_t digits) {
  std::uint64_t x =
      (digits & 0x0f0f0f0f0f0f0f0f) + (digits >> 6 & 0x0101010101010101) * 9;
  x = (x << 4 | x >> 8) & 0x00ff00ff00ff00ff;
  x = (x << 8 | x >> 16) & 0x0000ffff0000ffff;
  return (x << 16 | x >> 32) & 0xffffffff;
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
  const std::uint64_t high = eight_bytes(rest_.data());
  const std::uint64_t low = eight_bytes(rest_.data() + 8);
  if (!are_hex_digits(high) || !are_hex_digits(low)) return false;
  value = eight_hex_digits(high) << 32 | eight_hex_digits(low);
  rest_.remove_prefix(16);
  return true;
}

bool LineCursor::wire_pc(std::uint64_t& pc) {
  const std::size_t before = rest_.size();
  if (!hex(pc)) return false;
  int sign = 0;
  switch (before - rest_.size()) {
    case 10:
      sign = 39;
      break;
    case 13:
      sign = 48;
      break;
    case 15:
      sign = 57;
      break;
    default:
      return true;
  }
  if ((pc >> sign & 1) != 0) pc |= ~std::uint64_t{0} << sign;
  return true;
}

bool LineCursor::decimal(std::uint64_t& value) {
  std::size_t size = 0;
  std::uint64_t sum = 0;
  while (size < 16 && rest_.size() >= size + 8) {
    const std::uint64_t bytes = eight_bytes(rest_.data() + size);
    if (!are_digits(bytes)) break;
    sum = sum * 100'000'000 + eight_digits(bytes);
    size += 8;
  }
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
    grow_pc_bits();
  }
  return true;
}

void LineTraceReader::grow_pc_bits() {
  info_.pc_bits =
      std::max(info_.pc_bits, static_cast<int>(std::bit_width(pcs_seen_)));
}

void visit_some_lines(InputFile& file,
                      const std::function<void(std::string_view)>& visit) {
  constexpr std::size_t kPlaces = 64, kReach = 512;
  std::string_view head = file.head();
  while (!head.empty()) visit(take_line(head));
  const std::string_view all = file.peek(file.size_hint());
  for (std::size_t i = 1; i < kPlaces; ++i) {
    std::string_view part = all.substr(all.size() / kPlaces * i, kReach);
    take_line(part);
    visit(take_line(part));
  }
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
