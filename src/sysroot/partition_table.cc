// SPDX-License-Identifier: Apache-2.0
#include "sysroot/partition_table.h"

#include <unistd.h>

#include <algorithm>
#include <bit>

#include "base/bytes.h"

namespace wick {
namespace {

constexpr std::uint64_t kSector = 512;
constexpr std::uint64_t kMaxSector = (std::uint64_t{1} << 62) / kSector;
constexpr std::uint32_t kMaxPartitions = 256;
constexpr bool kSwap = std::endian::native == std::endian::big;

std::vector<std::uint64_t> gpt_starts(int fd, std::string_view header) {
  ByteReader in(header, kSwap);
  in.read_bytes(72);
  const auto table = in.read<std::uint64_t>();
  const auto count = in.read<std::uint32_t>();
  const auto entry_size = in.read<std::uint32_t>();
  std::vector<std::uint64_t> starts;
  if (in.failed() || table > kMaxSector || entry_size < 128 ||
      entry_size > 4096)
    return starts;
  for (std::uint32_t i = 0; i < std::min(count, kMaxPartitions); ++i) {
    const std::string entry =
        read_at(fd, table * kSector + std::uint64_t{i} * entry_size, 128);
    ByteReader fields(entry, kSwap);
    const std::string_view type = fields.read_bytes(16);
    fields.read_bytes(16);
    const auto start = fields.read<std::uint64_t>();
    if (fields.failed()) break;
    const bool is_used = type.find_first_not_of('\0') != type.npos;
    if (is_used && start <= kMaxSector) starts.push_back(start * kSector);
  }
  return starts;
}

std::vector<std::uint64_t> mbr_starts(std::string_view sector) {
  ByteReader in(sector, kSwap);
  in.read_bytes(446);
  std::vector<std::uint64_t> starts;
  for (int i = 0; i < 4; ++i) {
    in.read<std::uint32_t>();  // state and first cylinder
    const auto type = in.read<std::uint32_t>() & 0xff;
    const auto start = in.read<std::uint32_t>();
    in.read<std::uint32_t>();  // size
    if (type != 0 && start != 0) starts.push_back(start * kSector);
  }
  return starts;
}

}  // namespace

std::string read_at(int fd, std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  const ssize_t got =
      ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

bool is_ext_at(int fd, std::uint64_t offset) {
  constexpr std::uint64_t kMagicAt = 1024 + 56;
  return read_at(fd, offset + kMagicAt, 2) == "\x53\xef";
}

std::vector<std::uint64_t> partition_starts(int fd) {
  const std::string sector = read_at(fd, 0, kSector);
  if (!sector.ends_with("\x55\xaa")) return {};
  const std::string gpt = read_at(fd, kSector, kSector);
  return gpt.starts_with("EFI PART") ? gpt_starts(fd, gpt) : mbr_starts(sector);
}

}  // namespace wick
