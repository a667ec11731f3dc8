// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <iterator>

#include "format/binary/pprof.h"
#include "format/binary/protobuf.h"

namespace wick::pprof {
namespace {

// Which fields a message has: bit w of field n is set if it may have wire
// kind w.
struct Shape {
  std::uint8_t kinds[16];
};
constexpr std::uint8_t kV = 1 << 0, kB = 1 << 2, kVB = kV | kB;
constexpr Shape kProfileShape = {
    {0, kB, kB, kB, kB, kB, kB, kV, kV, kV, kV, kB, kV, kVB, kV, kV}};
constexpr Shape kValueTypeShape = {{0, kV, kV}};
constexpr Shape kSampleShape = {{0, kVB, kVB, kB}};
constexpr Shape kMappingShape = {{0, kV, kV, kV, kV, kV, kV, kV, kV, kV, kV}};
constexpr Shape kLocationShape = {{0, kV, kV, kV, kB, kV}};
constexpr Shape kFunctionShape = {{0, kV, kV, kV, kV, kV}};

bool fits(const ProtoField& field, const Shape& shape) {
  return field.number < std::size(shape.kinds) &&
         (shape.kinds[field.number] >> static_cast<int>(field.wire) & 1) != 0;
}

bool has_shape(std::string_view message, const Shape& shape) {
  ByteReader in(message);
  for (ProtoField field; next_field(in, field);)
    if (!fits(field, shape)) return false;
  return !in.failed();
}

}  // namespace

bool sniff(std::string_view head) {
  ByteReader in(head);
  int messages = 0;
  bool has_string = false;
  ProtoField field;
  for (; next_field(in, field);) {
    if (!fits(field, kProfileShape)) return false;
    const Shape* shape = nullptr;
    switch (field.number) {
      case kSampleType:
      case kPeriodType:
        shape = &kValueTypeShape;
        break;
      case kSample:
        shape = &kSampleShape;
        break;
      case kMapping:
        shape = &kMappingShape;
        break;
      case kLocation:
        shape = &kLocationShape;
        break;
      case kFunction:
        shape = &kFunctionShape;
        break;
      case kStringTable:
        if (!has_string && !field.bytes.empty()) return false;
        has_string = true;
        break;
      default:
        break;
    }
    if (shape == nullptr) continue;
    if (field.bytes.empty() ? field.number == kSample
                            : !has_shape(field.bytes, *shape))
      return false;
    ++messages;
  }
  return messages > 0 && (!in.failed() || fits(field, kProfileShape));
}

}  // namespace wick::pprof
