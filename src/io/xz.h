// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wick {

// Decompresses an .xz stream; an Error if it is damaged, its output is larger
// than `limit` bytes, or it looks like a decompression bomb.
std::string xz_decompress(std::string_view bytes, std::uint64_t limit);

}  // namespace wick
