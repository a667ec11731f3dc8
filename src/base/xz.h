// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wick {

// What the .xz stream `bytes` stands for, at most `limit` bytes; an Error if it
// is damaged or larger, or grows as only a decompression bomb does.
std::string xz_decompress(std::string_view bytes, std::uint64_t limit);

}  // namespace wick
