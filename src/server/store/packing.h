// SPDX-License-Identifier: Apache-2.0
// How buckets become bytes.
//
// Measured values are kept in three bytes each: a float with 16 bits of
// mantissa, which is more than a measurement has. The bytes of equal
// significance are next to each other, so that they compress.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

// Values that are no number are kept, as what is not known.
void append_column(std::string& out, const std::vector<double>& values);

// Takes a column of `count` values from the front of `bytes`, which must have
// that many: see column_size().
std::vector<double> take_column(std::string_view& bytes, std::size_t count);

constexpr std::size_t column_size(std::size_t count) { return 3 * count; }

// Compressed bytes with their size in front, and back; nothing if they are
// damaged or would be larger than any bucket.
std::string packed_bucket(std::string_view plain);
std::optional<std::string> unpacked_bucket(std::string_view bytes);

}  // namespace wick
