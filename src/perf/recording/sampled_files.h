// SPDX-License-Identifier: Apache-2.0
// The addresses at which samples found code, by file. Files stay open, so that
// their names can be looked up when the recording ends, even if they have been
// removed, replaced or unmounted by then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_index.h"
#include "base/memory_budget.h"
#include "io/open_files.h"
#include "io/unique_fd.h"
#include "object/images.h"

namespace wick {

// Distinct addresses, and how often each occurred.
class AddressCounts {
 public:
  struct Row {
    std::uint64_t address;
    std::uint32_t count;
  };
  // False if the address is new and there is no memory for it.
  bool add(std::uint64_t address, MemoryAccount& memory);
  const std::vector<Row>& rows() const { return rows_; }

 private:
  // With its place in the index and room to grow.
  static constexpr std::uint64_t kRowBytes = 2 * (sizeof(Row) + 16);

  std::vector<Row> rows_;
  HashIndex index_;
};

// Changes when a file is overwritten.
struct FileStamp {
  std::uint64_t size = 0;
  std::int64_t modified_s = 0, modified_ns = 0;
  // Of an open file; nothing if there is none.
  static std::optional<FileStamp> of(const UniqueFd& fd);
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

struct SampledModule {
  CodeFile file;
  std::uint64_t kernel_start = 0;  // of the kernel and its modules
  UniqueFd handle;                 // not open: find it by its path
  std::optional<FileStamp> stamp;  // of `handle`, when it was first sampled
  std::string opened_as;           // the name of what `handle` is
  // Offsets in the file; in the kernel, relative to `kernel_start`.
  AddressCounts addresses;
};

class SampledFiles {
 public:
  // Both outlive it.
  SampledFiles(Images& images, MemoryAccount& memory)
      : images_(images), memory_(memory) {}

  void add(ImageId image, std::uint64_t address,
           std::uint64_t kernel_start = 0);
  // Images were forgotten, and others may have their ids.
  void forget_ids() { by_image_.clear(); }

  std::vector<SampledModule>& files() { return files_; }
  std::uint64_t addresses() const;
  // Times that an address was not added for lack of memory.
  std::uint64_t omitted() const { return omitted_; }

 private:
  static constexpr std::uint32_t kUnknown = 0xffffffff;
  static constexpr std::uint32_t kNoRoom = 0xfffffffe;

  std::uint32_t row_of(ImageId image, std::uint64_t kernel_start);
  void open(SampledModule& sampled, ImageId image);

  Images& images_;
  MemoryAccount& memory_;
  std::vector<std::uint32_t> by_image_;  // rows of files_
  std::vector<SampledModule> files_;
  HashIndex index_;
  const std::size_t most_handles_ = open_files_share(8, 256);
  std::size_t handles_ = 0;
  std::uint64_t omitted_ = 0;
};

}  // namespace wick
