// SPDX-License-Identifier: Apache-2.0
// Where file systems are on a disk: partition tables of the kinds MBR and GPT.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wick {

// `size` bytes at `offset` of an open file; fewer at its end.
std::string read_at(int fd, std::uint64_t offset, std::size_t size);

// Whether an ext2, ext3 or ext4 file system begins at `offset`.
bool is_ext_at(int fd, std::uint64_t offset);

// Where the partitions begin, in bytes. Logical partitions of an MBR are not
// looked for.
std::vector<std::uint64_t> partition_starts(int fd);

}  // namespace wick
