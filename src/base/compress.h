// SPDX-License-Identifier: Apache-2.0
// gzip and zstd, read and written as streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace wick {

enum class Compression { kNone, kGzip, kZstd };

// By the first bytes.
Compression compression_of(std::string_view head);

// Turns compressed bytes into plain ones, piece by piece.
//
// A few bytes can stand for terabytes, so a stream that has grown by more than
// kMaxExpansion once it is past kExpansionGrace is refused with an Error: no
// profile compresses like that.
class Decompressor {
 public:
  static constexpr std::uint64_t kMaxExpansion = 500;
  static constexpr std::uint64_t kExpansionGrace = 64 << 20;

  explicit Decompressor(Compression kind);
  ~Decompressor();
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;

  // Takes bytes from the front of `in` and writes at most `room` bytes to
  // `out`; returns how many. 0 with `in` empty means: give more. Damaged data
  // ends the stream: see damaged().
  std::size_t step(std::string_view& in, char* out, std::size_t room);

  // The stream is broken; what was given out before is good.
  bool damaged() const;
  // The last compressed stream was read to its end marker.
  bool complete() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The whole of `bytes`, at most `limit` bytes of output; an Error otherwise.
std::string decompress(std::string_view bytes, std::uint64_t limit);

// The checksum of gzip and of debug links, of `bytes` behind those whose
// checksum is `before`; 0 to begin with.
std::uint32_t crc32_of(std::uint32_t before, std::string_view bytes);

// Fills all of `out` with what `bytes` (a zlib stream; zstd frames) stand for;
// false if they are damaged or stand for more or less. Meant for sizes that
// another place of the file names: check those with believable_size first.
bool zlib_decompress_to(std::string_view bytes, std::span<char> out);
bool zstd_decompress_to(std::string_view bytes, std::span<char> out);

// Whether `packed` bytes may stand for `plain` ones by the limits of
// Decompressor.
constexpr bool believable_size(std::uint64_t packed, std::uint64_t plain) {
  return plain <= Decompressor::kExpansionGrace ||
         plain / Decompressor::kMaxExpansion <= packed;
}

// One gzip stream, by libdeflate, which makes three times as many bytes a
// second as zlib. Level 1 by default: profiles are written often and read once,
// and pprof files lose little by it.
std::string gzip(std::string_view bytes, int level = 1);

std::string zstd_compress(std::string_view bytes, int level = 3);

// One zstd stream, made piece by piece.
class ZstdStream {
 public:
  explicit ZstdStream(int level);
  ~ZstdStream();
  ZstdStream(ZstdStream&&) noexcept;
  ZstdStream& operator=(ZstdStream&&) noexcept;

  // Appends to `out` what stands for `bytes`, all of it: a reader that has got
  // this far can give them out.
  void append(std::string_view bytes, std::string& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The checksum of gzip and PNG. `before` is that of the bytes before these.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

}  // namespace wick
