// SPDX-License-Identifier: Apache-2.0
// gzip, zstd and xz as streams; the first two are written, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace wick {

enum class Compression { kNone, kGzip, kZstd, kXz };

// By the first bytes.
Compression compression_of(std::string_view head);

// Decompresses a stream piece by piece.
//
// A few bytes can expand to terabytes, so an output larger than kExpansionGrace
// that is more than kMaxExpansion times its input is refused with an Error: no
// profile compresses that well.
class Decompressor {
 public:
  static constexpr std::uint64_t kMaxExpansion = 500;
  static constexpr std::uint64_t kExpansionGrace = 64 << 20;

  explicit Decompressor(Compression kind);
  ~Decompressor();
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;

  // Takes bytes from the front of `in` and writes at most `room` bytes to
  // `out`; returns how many. 0 with an empty `in` means that it needs more
  // input. Damaged data ends the stream: see damaged().
  std::size_t step(std::string_view& in, char* out, std::size_t room);

  // The stream is damaged; its output up to here is good.
  bool damaged() const;
  // The last compressed stream was read to its end marker.
  bool complete() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Decompresses all of `bytes`; an Error if they are damaged or the output is
// larger than `limit` bytes.
std::string decompress(std::string_view bytes, std::uint64_t limit);

// Decompress `bytes` (a zlib stream; zstd frames) into `out`; false if they are
// damaged or the output does not have exactly that size. For sizes stored in
// the file: check those with believable_size first.
bool zlib_decompress_to(std::string_view bytes, std::span<char> out);
bool zstd_decompress_to(std::string_view bytes, std::span<char> out);

// Whether Decompressor would let `packed` bytes expand to `plain` bytes.
constexpr bool believable_size(std::uint64_t packed, std::uint64_t plain) {
  return plain <= Decompressor::kExpansionGrace ||
         plain / Decompressor::kMaxExpansion <= packed;
}

// One gzip stream, by libdeflate, which is three times as fast as zlib. Level 1
// by default: higher levels make pprof files little smaller.
std::string gzip(std::string_view bytes, int level = 1);

std::string zstd_compress(std::string_view bytes, int level = 3);

// One zstd stream, written piece by piece.
class ZstdStream {
 public:
  explicit ZstdStream(int level);
  ~ZstdStream();
  ZstdStream(ZstdStream&&) noexcept;
  ZstdStream& operator=(ZstdStream&&) noexcept;

  // Compresses `bytes` and appends them to `out`, flushed: a reader that has
  // `out` can decompress all of them.
  void append(std::string_view bytes, std::string& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The checksum of gzip, PNG and debug links. `before` is the checksum of the
// bytes that precede `bytes`.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

}  // namespace wick
