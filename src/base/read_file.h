// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/unique_fd.h"

namespace wick {

// All of a regular file of at most `max_size` bytes; nothing if it is not
// there, is something else (a FIFO would never end) or is larger. With
// `follow_links` false, a symbolic link counts as not there.
std::optional<std::string> read_small_file(const std::string& path,
                                           std::uint64_t max_size,
                                           bool follow_links = true);

// When the content of a file was changed last, in nanoseconds since 1970; 0 if
// there is none.
std::int64_t modification_time(const std::string& path);

// Opens a file in another root (a container's), whose links must not lead out
// of it; `flags` beside O_RDONLY, O_CLOEXEC and O_NONBLOCK.
UniqueFd open_in_root(const std::string& root, const std::string& path,
                      int flags = 0);

}  // namespace wick
