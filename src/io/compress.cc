// SPDX-License-Identifier: Apache-2.0
#include "io/compress.h"

#include <libdeflate.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <climits>

#include "base/error.h"

namespace wick {

Compression compression_of(std::string_view head) {
  if (head.starts_with("\x1f\x8b")) return Compression::kGzip;
  if (head.starts_with("\x28\xb5\x2f\xfd")) return Compression::kZstd;
  if (head.starts_with("\xfd"
                       "7zX"))
    return Compression::kXz;
  return Compression::kNone;
}

struct Decompressor::State {
  explicit State(Compression kind) : kind(kind) {
    if (kind == Compression::kGzip) {
      // A window of 15 bits; +16 expects a gzip header.
      if (inflateInit2(&gz, 15 + 16) != Z_OK) fail("zlib: out of memory");
    } else if (kind == Compression::kXz) {
      start_xz();
    } else {
      zstd = ZSTD_createDStream();
      if (zstd == nullptr) fail("zstd: out of memory");
      // 128 MB, the limit of `zstd -d`.
      ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, 27);
    }
  }
  ~State() {
    if (kind == Compression::kGzip)
      inflateEnd(&gz);
    else if (kind == Compression::kXz)
      lzma_end(&xz);
    else
      ZSTD_freeDStream(zstd);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::size_t step_gzip(std::string_view& in, char* out, std::size_t room) {
    if (complete && in.empty()) return 0;
    if (complete) {  // a further member follows
      inflateReset(&gz);
      complete = false;
    }
    const std::size_t offered = std::min<std::size_t>(in.size(), UINT_MAX);
    room = std::min<std::size_t>(room, UINT_MAX);
    gz.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    gz.avail_in = static_cast<uInt>(offered);
    gz.next_out = reinterpret_cast<Bytef*>(out);
    gz.avail_out = static_cast<uInt>(room);
    const int status = inflate(&gz, Z_NO_FLUSH);
    in.remove_prefix(offered - gz.avail_in);
    if (status == Z_STREAM_END)
      complete = true;
    else if (status != Z_OK && status != Z_BUF_ERROR)
      damaged = true;
    return room - gz.avail_out;
  }

  std::size_t step_zstd(std::string_view& in, char* out, std::size_t room) {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out, room, 0};
    const std::size_t status = ZSTD_decompressStream(zstd, &to, &from);
    in.remove_prefix(from.pos);
    if (ZSTD_isError(status))
      damaged = true;
    else
      complete = status == 0;
    return to.pos;
  }

  // Also for a further stream.
  void start_xz() {
    constexpr std::uint64_t kMaxMemory = std::uint64_t{128} << 20;
    if (lzma_stream_decoder(&xz, kMaxMemory, 0) != LZMA_OK)
      fail("liblzma: out of memory");
    complete = false;
  }

  std::size_t step_xz(std::string_view& in, char* out, std::size_t room) {
    // Streams are padded to a multiple of four bytes.
    while (complete && in.starts_with('\0')) in.remove_prefix(1);
    if (complete && in.empty()) return 0;
    if (complete) start_xz();
    xz.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    xz.avail_in = in.size();
    xz.next_out = reinterpret_cast<std::uint8_t*>(out);
    xz.avail_out = room;
    const lzma_ret status = lzma_code(&xz, LZMA_RUN);
    in.remove_prefix(in.size() - xz.avail_in);
    if (status == LZMA_STREAM_END)
      complete = true;
    else if (status != LZMA_OK && status != LZMA_BUF_ERROR)
      damaged = true;
    return room - xz.avail_out;
  }

  Compression kind;
  z_stream gz{};
  lzma_stream xz = LZMA_STREAM_INIT;
  ZSTD_DStream* zstd = nullptr;
  bool damaged = false, complete = false;
  std::uint64_t taken = 0, given = 0;
};

Decompressor::Decompressor(Compression kind)
    : state_(std::make_unique<State>(kind)) {}
Decompressor::~Decompressor() = default;
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;

std::size_t Decompressor::step(std::string_view& in, char* out,
                               std::size_t room) {
  State& s = *state_;
  if (s.damaged) {
    in = {};
    return 0;
  }
  const std::size_t before = in.size();
  const std::size_t made =
      s.kind == Compression::kGzip ? s.step_gzip(in, out, room)
      : s.kind == Compression::kXz ? s.step_xz(in, out, room)
                                   : s.step_zstd(in, out, room);
  s.taken += before - in.size();
  s.given += made;
  if (s.damaged) in = {};
  if (!believable_size(s.taken, s.given))
    fail(
        "expands more than {}-fold, which looks like a decompression bomb; if "
        "it is not, decompress the file first",
        kMaxExpansion);
  return made;
}

bool Decompressor::damaged() const { return state_->damaged; }
bool Decompressor::complete() const { return state_->complete; }

std::string decompress(std::string_view bytes, std::uint64_t limit) {
  Decompressor stream(compression_of(bytes));
  std::string out;
  while (true) {
    const std::size_t old = out.size();
    out.resize(old + std::max<std::size_t>(1 << 16, old / 2));
    const std::size_t made =
        stream.step(bytes, out.data() + old, out.size() - old);
    out.resize(old + made);
    if (out.size() > limit)
      fail("has more than {} bytes when decompressed", limit);
    if (stream.damaged()) fail("the compressed data is damaged");
    if (made == 0 && bytes.empty()) break;
  }
  if (!stream.complete()) fail("the compressed data is truncated");
  return out;
}

bool zlib_decompress_to(std::string_view bytes, std::span<char> out) {
  const std::unique_ptr<libdeflate_decompressor,
                        decltype(&libdeflate_free_decompressor)>
      decompressor(libdeflate_alloc_decompressor(),
                   libdeflate_free_decompressor);
  if (!decompressor) fail("libdeflate: out of memory");
  // With nullptr for the actual size, any size but out.size() is an error.
  return libdeflate_zlib_decompress(decompressor.get(), bytes.data(),
                                    bytes.size(), out.data(), out.size(),
                                    nullptr) == LIBDEFLATE_SUCCESS;
}

bool zstd_decompress_to(std::string_view bytes, std::span<char> out) {
  return ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size()) ==
         out.size();
}

std::string gzip(std::string_view bytes, int level) {
  const std::unique_ptr<libdeflate_compressor,
                        decltype(&libdeflate_free_compressor)>
      compressor(libdeflate_alloc_compressor(level),
                 libdeflate_free_compressor);
  if (!compressor) fail("libdeflate: out of memory");
  std::string out(
      libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor.get(), bytes.data(),
                                      bytes.size(), out.data(), out.size()));
  return out;
}

std::string zstd_compress(std::string_view bytes, int level) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size)) fail("zstd: {}", ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

struct ZstdStream::State {
  State() : context(ZSTD_createCCtx()) {
    if (context == nullptr) fail("zstd: out of memory");
  }
  ~State() { ZSTD_freeCCtx(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ZSTD_CCtx* context;
};

ZstdStream::ZstdStream(int level) : state_(std::make_unique<State>()) {
  ZSTD_CCtx_setParameter(state_->context, ZSTD_c_compressionLevel, level);
}
ZstdStream::~ZstdStream() = default;
ZstdStream::ZstdStream(ZstdStream&&) noexcept = default;
ZstdStream& ZstdStream::operator=(ZstdStream&&) noexcept = default;

void ZstdStream::append(std::string_view bytes, std::string& out) {
  ZSTD_inBuffer from{bytes.data(), bytes.size(), 0};
  const std::size_t start = out.size();
  out.resize(start + ZSTD_compressBound(bytes.size()));
  ZSTD_outBuffer to{out.data(), out.size(), start};
  while (true) {
    const std::size_t left =
        ZSTD_compressStream2(state_->context, &to, &from, ZSTD_e_flush);
    if (ZSTD_isError(left)) fail("zstd: {}", ZSTD_getErrorName(left));
    if (left == 0 && from.pos == from.size) break;
    out.resize(out.size() + std::max<std::size_t>(left, 1 << 12));
    to.dst = out.data();
    to.size = out.size();
  }
  out.resize(to.pos);
}

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  return libdeflate_crc32(before, bytes.data(), bytes.size());
}

}  // namespace wick
