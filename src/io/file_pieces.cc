// SPDX-License-Identifier: Apache-2.0
#include "io/file_pieces.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace wick {
namespace {

bool pread_all(int fd, std::uint64_t offset, std::span<char> out) {
  while (!out.empty()) {
    const ssize_t got =
        ::pread(fd, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

}  // namespace

std::uint64_t FilePieces::stored_bytes() const {
  std::uint64_t sum = 0;
  for (const FilePiece& piece : pieces) sum += piece.size;
  return sum;
}

bool FilePieces::read(std::uint64_t file_off, std::span<char> out) const {
  if (file_off > size || out.size() > size - file_off) return false;
  if (out.empty()) return true;
  std::memset(out.data(), 0, out.size());
  const std::uint64_t end = file_off + out.size();
  auto piece = std::ranges::upper_bound(
      pieces, file_off, {},
      [](const FilePiece& one) { return one.file_off + one.size; });
  for (; piece != pieces.end() && piece->file_off < end; ++piece) {
    const std::uint64_t from = std::max(file_off, piece->file_off);
    const std::uint64_t to = std::min(end, piece->file_off + piece->size);
    if (!pread_all(around->get(), piece->stored_at + (from - piece->file_off),
                   out.subspan(from - file_off, to - from)))
      return false;
  }
  return true;
}

bool is_valid(const FilePieces& file, std::uint64_t size_around) {
  const auto lies_within = [](std::uint64_t offset, std::uint64_t size,
                              std::uint64_t whole) {
    return offset <= whole && size <= whole - offset;
  };
  std::uint64_t end = 0;
  for (const FilePiece& piece : file.pieces) {
    if (piece.size == 0 || piece.file_off < end ||
        !lies_within(piece.file_off, piece.size, file.size) ||
        !lies_within(piece.stored_at, piece.size, size_around))
      return false;
    end = piece.file_off + piece.size;
  }
  return true;
}

}  // namespace wick
