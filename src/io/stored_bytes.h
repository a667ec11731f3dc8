// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wick {

// How much of a file is stored; the rest are holes, which read as zeros. A file
// of a terabyte may consist of holes, so costs must be compared with this and
// not with the file's size. Moves the position of `fd`.
std::uint64_t stored_bytes(int fd);

}  // namespace wick
