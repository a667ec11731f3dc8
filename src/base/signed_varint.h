// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace wick {

// DWARF's signed LEB128; ByteReader::read_varint() reads the unsigned one.
inline std::int64_t read_signed_varint(ByteReader& reader) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64;) {
    const auto byte = reader.read<std::uint8_t>();
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    shift += 7;
    if (byte >= 0x80) continue;
    if ((byte & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }
  reader.fail();
  return 0;
}

}  // namespace wick
