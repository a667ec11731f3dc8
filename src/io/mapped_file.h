// SPDX-License-Identifier: Apache-2.0
// A regular file mapped for reading, which may change meanwhile.
//
// Reading a mapped page that the file no longer has raises SIGBUS, which ends
// the program. Reading by read() instead would need as much memory as a
// recording of gigabytes has bytes, since readers go back and forth in it. So
// the mapping stays, and SIGBUS is handled: zeros are mapped over the rest of
// the file from that page on, and the reader, which must cope with any bytes
// anyway, runs to its end. Who owns the mapping then asks whether that
// happened, and fails.
//
// The handler is the process's, installed by the first mapping. It leaves
// faults outside of all mappings to the handler before it.
#pragma once

#include <cstddef>
#include <string_view>

#include "io/unique_fd.h"

namespace wick {

class MappedFile {
 public:
  MappedFile() = default;
  // Maps the first `size` bytes of an open file.
  MappedFile(UniqueFd fd, std::size_t size);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  // Valid as long as this object.
  std::string_view bytes() const { return bytes_; }
  // Tells the kernel that the bytes before `offset` are no longer needed.
  void release_before(std::size_t offset);

  // Whether the file has fewer bytes than were mapped. The rest of its last
  // page reads as zeros even without a fault.
  bool became_shorter() const;
  // Whether a page could not be read and zeros took its place: the file was
  // shorter for a while, or its disk failed.
  bool read_failed() const;

 private:
  struct Guard;
  friend struct SigbusHandler;

  UniqueFd fd_;
  std::string_view bytes_;
  std::size_t released_ = 0;
  Guard* guard_ = nullptr;
};

}  // namespace wick
