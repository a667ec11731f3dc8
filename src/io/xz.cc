// SPDX-License-Identifier: Apache-2.0
#include "io/xz.h"

#include <lzma.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "io/compress.h"

namespace wick {

std::string xz_decompress(std::string_view bytes, std::uint64_t limit) {
  // Files made by `xz -9` need 65 MB.
  constexpr std::uint64_t kMaxMemory = std::uint64_t{256} << 20;
  lzma_stream stream = LZMA_STREAM_INIT;
  const std::unique_ptr<lzma_stream, decltype(&lzma_end)> owner(&stream,
                                                                lzma_end);
  if (lzma_stream_decoder(&stream, kMaxMemory, 0) != LZMA_OK)
    fail("liblzma: out of memory");
  stream.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
  stream.avail_in = bytes.size();
  std::string out;
  while (true) {
    const std::size_t old = out.size();
    out.resize(old + std::max<std::size_t>(1 << 16, old / 2));
    stream.next_out = reinterpret_cast<std::uint8_t*>(out.data()) + old;
    stream.avail_out = out.size() - old;
    const lzma_ret status = lzma_code(&stream, LZMA_FINISH);
    out.resize(out.size() - stream.avail_out);
    if (out.size() > limit || !believable_size(bytes.size(), out.size()))
      fail("has more than {} bytes when decompressed", limit);
    if (status == LZMA_STREAM_END) return out;
    if (status != LZMA_OK) fail("the compressed data is damaged");
  }
}

}  // namespace wick
