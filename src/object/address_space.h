// SPDX-License-Identifier: Apache-2.0
// Which files are mapped where in a process at one moment. This is the only
// place that converts between kinds of addresses:
//
//   runtime_addr  where the code ran
//   file_off      where it is in its file
//   elf_addr      its address in the file's own terms (see ElfFile::elf_addr)
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.h"

namespace wick {

enum class ImageId : std::uint32_t { kNone = 0 };

struct Mapping {
  std::uint64_t start = 0, end = 0;  // runtime addresses
  std::uint64_t file_off = 0;        // of `start`
  ImageId image = ImageId::kNone;

  std::uint64_t file_off_of(std::uint64_t runtime_addr) const {
    return runtime_addr - start + file_off;
  }
};

class AddressSpace {
 public:
  // The kernel allows 65,530 per process; the limit bounds the work for hostile
  // files.
  static constexpr std::size_t kMaxMappings = 65536;

  // Replaces what was mapped there, as mmap does.
  void map(const Mapping& mapping);
  // Cuts a hole. Returns whether anything was mapped there.
  bool unmap(std::uint64_t start, std::uint64_t end);
  void clear();

  const Mapping* find(std::uint64_t runtime_addr) const;

  // Whether anything is mapped between these addresses.
  bool has_any(std::uint64_t start, std::uint64_t end) const;

  std::size_t size() const { return mappings_.size(); }
  bool empty() const { return mappings_.empty(); }
  auto begin() const { return mappings_.begin(); }
  auto end() const { return mappings_.end(); }

 private:
  std::vector<Mapping> mappings_;  // by start; they do not overlap
};

}  // namespace wick
