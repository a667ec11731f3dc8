// SPDX-License-Identifier: Apache-2.0
// The layout is that of the kernel's Documentation/bpf/btf.rst.
#include "object/kernel/btf.h"

#include <string>

#include "base/bytes.h"

namespace wick {
namespace {

constexpr std::uint16_t kMagic = 0xeb9f;
constexpr std::size_t kHeaderSize = 24;
// The depth of unnamed structures, and of typedefs of typedefs.
constexpr int kMaxDepth = 8, kMaxModifiers = 32;
// A structure could contain itself as an unnamed member, many times.
constexpr std::uint32_t kMaxMembers = 1 << 20;

enum Kind : std::uint32_t {
  kInt = 1,
  kArray = 3,
  kStruct = 4,
  kUnion = 5,
  kEnum = 6,
  kTypedef = 8,
  kVolatile = 9,
  kConst = 10,
  kRestrict = 11,
  kFunction = 12,
  kFuncProto = 13,
  kVar = 14,
  kDatasec = 15,
  kDeclTag = 17,
  kTypeTag = 18,
  kEnum64 = 19,
  kKinds = 20
};

std::uint32_t kind_of(std::uint32_t info) { return info >> 24 & 0x1f; }
std::uint32_t count_of(std::uint32_t info) { return info & 0xffff; }

// Bytes that follow a type's common ones.
std::uint64_t more_bytes(std::uint32_t info) {
  const std::uint64_t count = count_of(info);
  switch (kind_of(info)) {
    case kInt:
    case kVar:
    case kDeclTag:
      return 4;
    case kArray:
      return 12;
    case kStruct:
    case kUnion:
    case kDatasec:
    case kEnum64:
      return count * 12;
    case kEnum:
    case kFuncProto:
      return count * 8;
    default:
      return 0;
  }
}

}  // namespace

std::optional<Btf> Btf::parse(std::string_view bytes) {
  ByteReader in(bytes);
  const auto magic = in.read<std::uint16_t>();
  const auto version = in.read<std::uint8_t>();
  in.read<std::uint8_t>();
  const auto header_size = in.read<std::uint32_t>();
  const auto types_at = in.read<std::uint32_t>();
  const auto types_size = in.read<std::uint32_t>();
  const auto strings_at = in.read<std::uint32_t>();
  const auto strings_size = in.read<std::uint32_t>();
  if (in.failed() || magic != kMagic || version != 1 ||
      header_size < kHeaderSize || header_size > bytes.size())
    return std::nullopt;
  bytes.remove_prefix(header_size);
  const auto part = [&](std::uint64_t at, std::uint64_t size) {
    return at <= bytes.size() && size <= bytes.size() - at
               ? bytes.substr(at, size)
               : std::string_view();
  };
  Btf btf;
  btf.type_bytes_ = part(types_at, types_size);
  btf.strings_ = part(strings_at, strings_size);
  if (btf.type_bytes_.empty() || btf.strings_.empty()) return std::nullopt;
  btf.types_.emplace_back();
  ByteReader types(btf.type_bytes_);
  while (!types.at_end()) {
    Type type;
    type.name = types.read<std::uint32_t>();
    type.info = types.read<std::uint32_t>();
    type.size_or_type = types.read<std::uint32_t>();
    type.members = static_cast<std::uint32_t>(btf.type_bytes_.size() -
                                              types.rest().size());
    types.read_bytes(more_bytes(type.info));
    if (types.failed() || kind_of(type.info) >= kKinds) return std::nullopt;
    btf.types_.push_back(type);
  }
  return btf;
}

std::optional<Btf> Btf::find(std::string_view bytes,
                             std::string_view with_struct) {
  // Magic, version, flags, size of the header: the same in all kernels.
  constexpr std::string_view kStart("\x9f\xeb\x01\0\x18\0\0\0", 8);
  for (std::size_t at = bytes.find(kStart); at != std::string_view::npos;
       at = bytes.find(kStart, at + 1)) {
    std::optional<Btf> btf = parse(bytes.substr(at));
    if (btf && btf->has_struct(with_struct)) return btf;
  }
  return std::nullopt;
}

bool Btf::has_text(std::uint32_t at, std::string_view text) const {
  if (at >= strings_.size()) return text.empty();
  const std::string_view rest = strings_.substr(at);
  return rest.starts_with(text) &&
         (rest.size() == text.size() || rest[text.size()] == '\0');
}

std::uint32_t Btf::find_struct(std::string_view name) const {
  for (std::uint32_t id = 1; id < types_.size(); ++id)
    if (kind_of(types_[id].info) == kStruct && has_text(types_[id].name, name))
      return id;
  return 0;
}

bool Btf::has_struct(std::string_view name) const {
  return find_struct(name) != 0;
}

std::optional<std::uint32_t> Btf::function(std::string_view name) const {
  for (std::uint32_t id = 1; id < types_.size(); ++id)
    if (kind_of(types_[id].info) == kFunction &&
        has_text(types_[id].name, name))
      return id;
  return std::nullopt;
}

std::uint32_t Btf::without_modifiers(std::uint32_t type) const {
  for (int i = 0; i < kMaxModifiers && type < types_.size(); ++i) {
    const std::uint32_t kind = kind_of(types_[type].info);
    if (kind != kTypedef && kind != kVolatile && kind != kConst &&
        kind != kRestrict && kind != kTypeTag)
      return type;
    type = types_[type].size_or_type;
  }
  return 0;
}

std::optional<Btf::Place> Btf::find_member(std::uint32_t type,
                                           std::string_view name, int depth,
                                           std::uint32_t& left) const {
  type = without_modifiers(type);
  if (depth > kMaxDepth || type >= types_.size()) return std::nullopt;
  const Type& row = types_[type];
  if (kind_of(row.info) != kStruct && kind_of(row.info) != kUnion)
    return std::nullopt;
  const bool has_bit_fields = row.info >> 31;
  ByteReader in(type_bytes_.substr(row.members));
  for (std::uint32_t i = 0; i < count_of(row.info) && left > 0; ++i) {
    --left;
    const auto member = in.read<std::uint32_t>();
    const auto member_type = in.read<std::uint32_t>();
    const auto raw = in.read<std::uint32_t>();
    const std::uint64_t bits = has_bit_fields ? raw & 0xffffff : raw;
    if (has_text(member, name)) {
      if (has_bit_fields && raw >> 24 != 0) return std::nullopt;
      return Place{bits, member_type};
    }
    if (!has_text(member, "")) continue;
    if (auto inner = find_member(member_type, name, depth + 1, left))
      return Place{bits + inner->bits, inner->type};
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Btf::offset(std::string_view struct_name,
                                         std::string_view member) const {
  Place place{0, find_struct(struct_name)};
  if (place.type == 0) return std::nullopt;
  while (true) {
    const std::size_t dot = member.find('.');
    std::uint32_t left = kMaxMembers;
    const auto next = find_member(place.type, member.substr(0, dot), 0, left);
    if (!next) return std::nullopt;
    place = {place.bits + next->bits, next->type};
    if (dot == std::string_view::npos) break;
    member.remove_prefix(dot + 1);
  }
  if (place.bits % 8 != 0) return std::nullopt;
  return place.bits / 8;
}

}  // namespace wick
