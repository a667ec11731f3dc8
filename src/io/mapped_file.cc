// SPDX-License-Identifier: Apache-2.0
#include "io/mapped_file.h"

#include <sys/mman.h>

#include <utility>

#include "base/error.h"

namespace wick {

MappedFile::MappedFile(int fd, std::size_t size) {
  if (size == 0) return;
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (address == MAP_FAILED) fail("cannot map: {}", last_system_error());
  madvise(address, size, MADV_SEQUENTIAL);
  bytes_ = {static_cast<const char*>(address), size};
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})),
      released_(std::exchange(other.released_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(released_, other.released_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

void MappedFile::release_before(std::size_t offset) {
  constexpr std::size_t kPage = 4096;
  offset = offset / kPage * kPage;
  if (offset <= released_) return;
  madvise(const_cast<char*>(bytes_.data()) + released_, offset - released_,
          MADV_DONTNEED);
  released_ = offset;
}

}  // namespace wick
