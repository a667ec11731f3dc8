// SPDX-License-Identifier: Apache-2.0
// The files that user code can come from: those given by the user, those of a
// sysroot, which are opened when no other file explains what runs, and the
// vDSO, which is a library inside the kernel's file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "itrace/code/text_index.h"
#include "object/elf/elf_file.h"
#include "profile/format.h"

namespace wick {

// The 64-bit vDSO in a file of the kernel (vmlinux); null if there is none.
std::shared_ptr<const ElfFile> find_vdso(const ElfFile& kernel);

class UserFiles {
 public:
  // A complete distribution has some 10,000 files with code.
  static constexpr std::size_t kMaxFiles = 50000;

  explicit UserFiles(Sysroot sysroot = {}) : sysroot_(std::move(sysroot)) {}

  // Nothing if it is not a RISC-V program or library.
  std::optional<BinaryId> add(const std::string& path,
                              std::shared_ptr<const ElfFile> elf);
  // Adds the kernel's vDSO, if it has one.
  void add_kernel(const ElfFile& kernel);

  const TextIndex& index() const { return index_; }
  // Opens the files of the sysroot the first time it is called; returns whether
  // that added any.
  bool open_sysroot();
  // The file that a process knows as `path`: the one in the sysroot, or any
  // file with that name.
  std::optional<BinaryId> find(std::string_view path);

 private:
  std::optional<BinaryId> add_file(const std::string& path);
  std::optional<BinaryId> add_in_sysroot(const std::string& path);
  std::optional<BinaryId> add_in_image(const std::string& path);

  Sysroot sysroot_;
  bool sysroot_is_open_ = false;
  TextIndex index_;
  absl::flat_hash_map<std::string, BinaryId> by_name_;  // without directories
};

}  // namespace wick
