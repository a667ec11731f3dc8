// SPDX-License-Identifier: Apache-2.0
// A position in a DWARF section. Like ByteReader it is sticky: a read past the
// end yields zero and marks it failed. Unlike ByteReader it knows its offset in
// the section, which DWARF uses for references, and it can skip without
// decoding, which is most of the work.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.h"
#include "base/signed_varint.h"

namespace wick {

class DwarfCursor {
 public:
  DwarfCursor() = default;
  // Reads from `offset` to `end` or the end of the section.
  DwarfCursor(std::string_view section, bool swap, std::uint64_t offset = 0,
              std::uint64_t end = UINT64_MAX)
      : begin_(section.data()), swap_(swap) {
    const std::uint64_t size = section.size();
    end_ = begin_ + (end < size ? end : size);
    if (offset <= static_cast<std::uint64_t>(end_ - begin_))
      at_ = begin_ + offset;
    else
      fail();
  }

  std::uint64_t offset() const {
    return static_cast<std::uint64_t>(at_ - begin_);
  }
  std::uint64_t left() const { return static_cast<std::uint64_t>(end_ - at_); }
  bool at_end() const { return at_ == end_; }
  bool failed() const { return failed_; }
  void fail() {
    failed_ = true;
    at_ = end_;
  }

  // Fails if `offset` is before the current one.
  void go_forward(std::uint64_t offset) {
    if (offset < this->offset()) return fail();
    skip(offset - this->offset());
  }
  void skip(std::uint64_t count) {
    if (count > left()) return fail();
    at_ += count;
  }

  template <class T>
  T read() {
    T value = 0;
    if (left() < sizeof(T)) {
      fail();
      return value;
    }
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return swap_ ? byte_swap(value) : value;
  }
  std::uint8_t u8() { return read<std::uint8_t>(); }
  std::uint16_t u16() { return read<std::uint16_t>(); }
  std::uint32_t u32() { return read<std::uint32_t>(); }
  std::uint64_t u64() { return read<std::uint64_t>(); }
  std::uint32_t u24() {
    std::uint32_t a = u8(), b = u8(), c = u8();
    const bool little = (std::endian::native == std::endian::little) != swap_;
    return little ? a | b << 8 | c << 16 : a << 16 | b << 8 | c;
  }
  // An integer of 1, 2, 4 or 8 bytes.
  std::uint64_t uint(unsigned size) {
    switch (size) {
      case 1:
        return u8();
      case 2:
        return u16();
      case 4:
        return u32();
      case 8:
        return u64();
      default:
        fail();
        return 0;
    }
  }

  std::uint64_t uleb() {
    if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80)
      return static_cast<unsigned char>(*at_++);
    ByteReader in = rest();
    const std::uint64_t value = in.read_varint();
    follow(in);
    return value;
  }
  std::int64_t sleb() {
    ByteReader in = rest();
    const std::int64_t value = read_signed_varint(in);
    follow(in);
    return value;
  }
  void skip_leb() {
    while (at_ != end_)
      if (static_cast<unsigned char>(*at_++) < 0x80) return;
    fail();
  }

  // A NUL-terminated string; the view points into the section.
  std::string_view text() {
    const auto* zero =
        at_ == end_ ? nullptr
                    : static_cast<const char*>(std::memchr(at_, 0, left()));
    if (zero == nullptr) {
      fail();
      return {};
    }
    const std::string_view result(at_, static_cast<std::size_t>(zero - at_));
    at_ = zero + 1;
    return result;
  }

 private:
  ByteReader rest() const {
    return ByteReader(std::string_view(at_, left()), swap_);
  }
  // Continues after what `in`, which began here, has read.
  void follow(const ByteReader& in) {
    if (in.failed()) return fail();
    at_ = end_ - in.rest().size();
  }

  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool swap_ = false;
  bool failed_ = false;
};

// The string at an offset of a string section; empty if there is none. Cut at
// 64 kB: in a crafted file, many names are the rest of one long string.
inline std::string_view text_at(std::string_view section,
                                std::uint64_t offset) {
  constexpr std::size_t kMaxText = std::size_t{1} << 16;
  if (offset >= section.size()) return {};
  const std::string_view text = section.substr(offset, kMaxText);
  const std::size_t end = text.find('\0');
  if (end != text.npos) return text.substr(0, end);
  return text.size() == kMaxText ? text : std::string_view();
}

}  // namespace wick
