// SPDX-License-Identifier: Apache-2.0
#include "builders/xz.h"

#include <lzma.h>

#include <cstdint>

#include "base/error.h"

namespace wick {

std::string xz(std::string_view bytes) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t size = 0;
  if (lzma_easy_buffer_encode(
          1, LZMA_CHECK_CRC32, nullptr,
          reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
          reinterpret_cast<std::uint8_t*>(out.data()), &size,
          out.size()) != LZMA_OK)
    fail("liblzma failed");
  out.resize(size);
  return out;
}

}  // namespace wick
