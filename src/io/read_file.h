// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/unique_fd.h"

namespace wick {

// The content of a regular file of at most `max_size` bytes; nothing if it does
// not exist, is not a regular file (reading a FIFO would block) or is larger.
// Unless `follow_links`, nothing for a symbolic link either.
std::optional<std::string> read_small_file(const std::string& path,
                                           std::uint64_t max_size,
                                           bool follow_links = true);

// The same for an open regular file.
std::optional<std::string> read_small_file(const UniqueFd& fd,
                                           std::uint64_t max_size);

// When the file was last modified, in nanoseconds since 1970; 0 if it does not
// exist.
std::int64_t modification_time(const std::string& path);

}  // namespace wick
