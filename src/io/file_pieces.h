// SPDX-License-Identifier: Apache-2.0
// A file that is stored inside another one: in a disk image or an archive. It
// is read in place, so a disk image needs no space beside it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "io/unique_fd.h"

namespace wick {

struct FilePiece {
  std::uint64_t file_off = 0, size = 0;
  std::uint64_t stored_at = 0;  // in the file around it
  friend bool operator==(const FilePiece&, const FilePiece&) = default;
};

struct FilePieces {
  std::shared_ptr<const UniqueFd> around;
  std::uint64_t size = 0;
  // By `file_off`, without overlaps, none beyond `size`. The bytes between them
  // are zeros.
  std::vector<FilePiece> pieces;

  // The size without what is between the pieces.
  std::uint64_t stored_bytes() const;
  // False if these bytes are not within the file or cannot be read.
  bool read(std::uint64_t file_off, std::span<char> out) const;
};

// Whether the pieces are as required above, and within a file of this size.
bool is_valid(const FilePieces& file, std::uint64_t size_around);

}  // namespace wick
