// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/sampled_files.h"

#include <sys/stat.h>

#include <utility>

namespace wick {

bool AddressCounts::add(std::uint64_t address, MemoryAccount& memory) {
  const std::uint64_t hash = hash_pair(address, 0);
  const auto is_same = [&](std::uint32_t i) {
    return rows_[i].address == address;
  };
  std::uint32_t at = index_.find(hash, is_same);
  if (at == HashIndex::kNone) {
    if (!memory.take(kRowBytes)) return false;
    at = index_.find_or_add(hash, is_same, [&] {
      rows_.push_back({address, 0});
      return static_cast<std::uint32_t>(rows_.size() - 1);
    });
  }
  ++rows_[at].count;
  return true;
}

std::optional<FileStamp> FileStamp::of(const UniqueFd& fd) {
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return {};
  return FileStamp{.size = static_cast<std::uint64_t>(status.st_size),
                   .modified_s = status.st_mtim.tv_sec,
                   .modified_ns = status.st_mtim.tv_nsec};
}

void SampledFiles::add(ImageId image, std::uint64_t address,
                       std::uint64_t kernel_start) {
  if (index(image) >= by_image_.size())
    by_image_.resize(images_.size(), kUnknown);
  std::uint32_t& row = by_image_[index(image)];
  if (row == kUnknown) row = row_of(image, kernel_start);
  // Another process may lead to a file that was gone at first.
  if (row != kNoRoom && !files_[row].handle) open(files_[row], image);
  if (row == kNoRoom || !files_[row].addresses.add(address, memory_))
    ++omitted_;
}

std::uint32_t SampledFiles::row_of(ImageId image, std::uint64_t kernel_start) {
  const CodeFile& file = images_.file(image);
  const std::uint64_t hash = hash_of(file);
  const auto is_same = [&](std::uint32_t i) {
    return is_same_file(files_[i].file, file);
  };
  const std::uint32_t known = index_.find(hash, is_same);
  if (known != HashIndex::kNone) return known;
  if (!memory_.take(2 * sizeof(SampledModule) + 2 * file.path.size() +
                    file.build_id.size()))
    return kNoRoom;
  return index_.find_or_add(hash, is_same, [&] {
    files_.push_back({.file = file, .kernel_start = kernel_start});
    open(files_.back(), image);
    return static_cast<std::uint32_t>(files_.size() - 1);
  });
}

std::uint64_t SampledFiles::addresses() const {
  std::uint64_t count = 0;
  for (const SampledModule& file : files_)
    count += file.addresses.rows().size();
  return count;
}

void SampledFiles::open(SampledModule& sampled, ImageId image) {
  if (sampled.file.kind != CodeKind::kFile || handles_ >= most_handles_) return;
  const auto elf = images_.elf(image);
  if (!elf) return;
  sampled.handle = elf->handle();
  sampled.stamp = FileStamp::of(sampled.handle);
  sampled.opened_as = elf->name();
  if (sampled.handle) ++handles_;
}

}  // namespace wick
