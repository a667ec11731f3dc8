// SPDX-License-Identifier: Apache-2.0
// Reading untrusted bytes. Errors of a ByteReader are sticky: a read past the
// end yields zeros and marks it as failed, so a decoder reads one field a line
// and checks once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace wick {

template <class T>
requires std::is_integral_v<T>
constexpr T byte_swap(T value) {
  if constexpr (sizeof(T) == 1) return value;
  if constexpr (sizeof(T) == 2)
    return static_cast<T>(__builtin_bswap16(static_cast<std::uint16_t>(value)));
  if constexpr (sizeof(T) == 4)
    return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
}

class ByteReader {
 public:
  // With `swap`, integers have the opposite of this machine's byte order.
  explicit ByteReader(std::string_view bytes, bool swap = false)
      : bytes_(bytes), swap_(swap) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T read() {
    T value{};
    if (!fits(1, sizeof(T))) {
      fail();
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
    if constexpr (std::is_integral_v<T> && sizeof(T) > 1)
      if (swap_) return byte_swap(value);
    return value;
  }

  // LEB128 as in DWARF and protobuf.
  std::uint64_t read_varint() {
    if (!bytes_.empty() && static_cast<unsigned char>(bytes_[0]) < 0x80) {
      const auto value = static_cast<unsigned char>(bytes_[0]);
      bytes_.remove_prefix(1);
      return value;
    }
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = read<std::uint8_t>();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }

  std::string_view read_bytes(std::uint64_t count) {
    if (!fits(count, 1)) {
      fail();
      return {};
    }
    const std::string_view result = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return result;
  }

  // Whether `count` items of `size` bytes are left: ask before reserving.
  bool fits(std::uint64_t count, std::size_t size) const {
    return count <= bytes_.size() / size;
  }

  // Marks the input as damaged; nothing more can be read.
  void fail() {
    failed_ = true;
    bytes_ = {};
  }
  bool failed() const { return failed_; }
  bool at_end() const { return bytes_.empty(); }
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
  bool swap_ = false;
  bool failed_ = false;
};

template <class T>
requires std::is_trivially_copyable_v<T>
void append_raw(std::string& out, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  out.append(raw, sizeof(T));
}

inline constexpr std::size_t kMaxVarint = 10;

// Writes up to kMaxVarint bytes to `out`; returns how many.
inline std::size_t put_varint(char* out, std::uint64_t value) {
  std::size_t size = 0;
  for (; value >= 0x80; value >>= 7)
    out[size++] = static_cast<char>(value | 0x80);
  out[size++] = static_cast<char>(value);
  return size;
}

inline void append_varint(std::string& out, std::uint64_t value) {
  char bytes[kMaxVarint];
  out.append(bytes, put_varint(bytes, value));
}

constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^
         static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^
         -static_cast<std::int64_t>(value & 1);
}

// These stop at the ends of the range instead of overflowing: weights come from
// untrusted files.
constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

constexpr std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a > 0) == (b > 0) ? INT64_MAX : INT64_MIN;
}

}  // namespace wick
