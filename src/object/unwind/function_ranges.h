// SPDX-License-Identifier: Apache-2.0
// Where functions begin, by unwind rules: what tells functions apart in code
// without symbols. Compilers write rules for each function, so that a stripped
// file still has them. A function of which the compiler moved a part elsewhere
// ("f.cold") is two.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "object/unwind/frame_sections.h"

namespace wick {

class FunctionRanges {
 public:
  // Reads the index of the functions. Memory is taken from file->memory();
  // without it, no function is known.
  explicit FunctionRanges(std::shared_ptr<const ElfFile> file);
  FunctionRanges(const FunctionRanges&) = delete;
  FunctionRanges& operator=(const FunctionRanges&) = delete;
  ~FunctionRanges();

  // The beginning of the function with the byte at `elf_addr`; nothing for code
  // without rules.
  std::optional<std::uint64_t> start_of(std::uint64_t elf_addr) const;

 private:
  std::shared_ptr<const ElfFile> file_;
  std::uint64_t base_ = 0;
  std::uint64_t taken_ = 0;  // of the file's memory
  std::vector<CfiFunctions> sections_;
};

}  // namespace wick
