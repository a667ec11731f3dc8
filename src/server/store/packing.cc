// SPDX-License-Identifier: Apache-2.0
#include "server/store/packing.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/bytes.h"
#include "io/compress.h"

namespace wick {
namespace {

// A bucket that expands to more was not written by wick.
constexpr std::uint64_t kMostPlain = std::uint64_t{256} << 20;

std::uint32_t rounded_bits(double value) {
  if (std::isnan(value)) return 0x7fc00000;
  constexpr float kMost = std::numeric_limits<float>::max() / 2;
  if (value > kMost) value = kMost;
  if (value < -kMost) value = -kMost;
  return std::bit_cast<std::uint32_t>(static_cast<float>(value)) + 0x80;
}

}  // namespace

void append_column(std::string& out, const std::vector<double>& values) {
  for (int shift = 24; shift > 0; shift -= 8)
    for (const double value : values)
      out += static_cast<char>(rounded_bits(value) >> shift);
}

std::vector<double> take_column(std::string_view& bytes, std::size_t count) {
  std::vector<double> values;
  const auto part = [&](std::size_t at) {
    return std::uint32_t{static_cast<std::uint8_t>(bytes[at])};
  };
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(double{std::bit_cast<float>(
        part(i) << 24 | part(count + i) << 16 | part(2 * count + i) << 8)});
  bytes.remove_prefix(column_size(count));
  return values;
}

std::string packed_bucket(std::string_view plain) {
  std::string bytes;
  append_varint(bytes, plain.size());
  return bytes + zstd_compress(plain);
}

std::optional<std::string> unpacked_bucket(std::string_view bytes) {
  ByteReader in(bytes);
  const std::uint64_t size = in.read_varint();
  if (in.failed() || size > kMostPlain ||
      !believable_size(in.rest().size(), size))
    return {};
  std::string plain(size, '\0');
  if (!zstd_decompress_to(in.rest(), plain)) return {};
  return plain;
}

}  // namespace wick
