// SPDX-License-Identifier: Apache-2.0
// The files that user code can come from: those that were named (--elf), those
// of a sysroot, which are opened when nothing else explains what runs, and the
// vDSO, which is a library inside of the kernel's file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "itrace/code/text_index.h"
#include "object/elf/elf_file.h"

namespace wick {

// The 64-bit vDSO in a file of the kernel (vmlinux); null if there is none.
std::shared_ptr<const ElfFile> find_vdso(const ElfFile& kernel);

class UserFiles {
 public:
  // A distribution with everything in it has some 10,000 files of code.
  static constexpr std::size_t kMaxFiles = 50000;

  explicit UserFiles(std::string sysroot = {}) : sysroot_(std::move(sysroot)) {}

  // Nothing if it has no code of a RISC-V program.
  std::optional<BinaryId> add(const std::string& path,
                              std::shared_ptr<const ElfFile> elf);
  // Adds the vDSO in it, if there is one.
  void add_kernel(const ElfFile& kernel);

  const TextIndex& index() const { return index_; }
  // Opens the files of the sysroot. Whether that added any; the second time it
  // never does.
  bool open_sysroot();
  // The file that a process calls `path`: that of the sysroot, or one of this
  // name.
  std::optional<BinaryId> find(std::string_view path);

 private:
  std::optional<BinaryId> add_file(const std::string& path);

  std::string sysroot_;
  bool sysroot_is_open_ = false;
  TextIndex index_;
  absl::flat_hash_map<std::string, BinaryId> by_name_;  // without directories
};

}  // namespace wick
