// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace wick {

// A regular file mapped for reading.
class MappedFile {
 public:
  MappedFile() = default;
  // Maps the open file `fd` of `size` bytes; the descriptor may be closed
  // afterwards.
  MappedFile(int fd, std::size_t size);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  // Valid as long as this object.
  std::string_view bytes() const { return bytes_; }
  // Tells the kernel that the bytes before `offset` are no longer needed.
  void release_before(std::size_t offset);

 private:
  std::string_view bytes_;
  std::size_t released_ = 0;
};

}  // namespace wick
