// SPDX-License-Identifier: Apache-2.0
// The wire format of protocol buffers, by hand. A message is a list of fields,
// each a number, a kind and a value; pprof needs no more, and generated code
// would build the whole message in memory, many times the size of a hostile
// input, before the first check.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace wick {

enum class Wire : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kFixed32 = 5,
};

struct ProtoField {
  std::uint64_t number = 0;
  Wire wire = Wire::kVarint;
  std::uint64_t value = 0;  // of all kinds but kBytes
  std::string_view bytes;   // of kBytes
};

// Takes the next field; false at the end and at damage (`in.failed()`).
inline bool next_field(ByteReader& in, ProtoField& field) {
  if (in.at_end()) return false;
  const std::uint64_t tag = in.read_varint();
  field.number = tag >> 3;
  field.wire = static_cast<Wire>(tag & 7);
  switch (field.wire) {
    case Wire::kVarint:
      field.value = in.read_varint();
      break;
    case Wire::kBytes:
      field.bytes = in.read_bytes(in.read_varint());
      break;
    case Wire::kFixed64:
      field.value = in.read<std::uint64_t>();
      break;
    case Wire::kFixed32:
      field.value = in.read<std::uint32_t>();
      break;
    default:
      in.fail();
  }
  if (field.number == 0) in.fail();
  return !in.failed();
}

// Calls each(value) for the value of a repeated integer field, or for all of
// its values if they are packed; false if they are damaged.
template <class Each>
bool for_each_integer(const ProtoField& field, Each&& each) {
  if (field.wire != Wire::kBytes) {
    each(field.value);
    return true;
  }
  ByteReader in(field.bytes);
  while (!in.at_end()) {
    const std::uint64_t value = in.read_varint();
    if (in.failed()) return false;
    each(value);
  }
  return true;
}

inline void append_field(std::string& out, int number, std::uint64_t value) {
  append_varint(out, static_cast<std::uint64_t>(number) << 3);
  append_varint(out, value);
}

inline void append_field(std::string& out, int number, std::string_view bytes) {
  append_varint(out, static_cast<std::uint64_t>(number) << 3 |
                         static_cast<std::uint64_t>(Wire::kBytes));
  append_varint(out, bytes.size());
  out += bytes;
}

}  // namespace wick
