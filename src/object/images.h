// SPDX-License-Identifier: Apache-2.0
// The files of code in a recording, each once. A file is opened on first use,
// and never used if its build id is not the recorded one.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/hash_index.h"
#include "object/address_space.h"
#include "object/debug_files.h"
#include "object/unwind/unwind_table.h"

namespace wick {

class Images {
 public:
  explicit Images(DebugFiles& files) : files_(files) {}

  // The image of this file, made if it is new.
  ImageId intern(const CodeFile& file);
  const CodeFile& file(ImageId id) const { return images_[index(id)].file; }
  std::size_t size() const { return images_.size(); }
  void kernel_began_at(std::uint64_t start) { files_.kernel_began_at(start); }

  // Null if no file was found; state() has the reason. Thread-safe.
  std::shared_ptr<const ElfFile> elf(ImageId id);
  FileState state(ImageId id);

  // The address in the file's own terms; without the file, the offset in it.
  std::uint64_t elf_addr(ImageId id, std::uint64_t file_off);

  // Null if there is no file. Thread-safe.
  const UnwindTable* unwind_table(ImageId id);

  // If the files together hold more than about `bytes` of memory, closes those
  // not used since the last call; they are reopened on next use. Returns
  // whether it closed any; then what the functions above returned, and every
  // rule copied from a table, is invalid. For recordings of a whole machine
  // over hours, which see new files all the time.
  bool trim(std::size_t bytes);

 private:
  struct Contents {
    std::once_flag opened, compiled;
    FoundFile found;
    UnwindTable table;
    std::atomic<bool> is_used = false;

    std::size_t bytes() const;  // of memory, about
  };
  struct Image {
    CodeFile file;
    std::unique_ptr<Contents> contents = std::make_unique<Contents>();
  };
  Contents& opened(ImageId id);

  DebugFiles& files_;
  std::deque<Image> images_{1};  // row 0: none
  HashIndex index_;
};

}  // namespace wick
