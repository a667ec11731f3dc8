// SPDX-License-Identifier: Apache-2.0
// The files of code that a recording met, each once. A file is looked for when
// something of it is wanted first, and never used if its build id says that it
// is another one than was recorded.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/hash_index.h"
#include "object/address_space.h"
#include "object/debug_files.h"
#include "object/unwind_table.h"

namespace wick {

class Images {
 public:
  explicit Images(DebugFiles& files) : files_(files) {}

  // The image of this file, made if it is new.
  ImageId intern(const CodeFile& file);
  const CodeFile& file(ImageId id) const { return images_[index(id)].file; }
  std::size_t size() const { return images_.size(); }
  void kernel_began_at(std::uint64_t start) { files_.kernel_began_at(start); }

  // Null where no file was found, with the reason in state(). From any thread.
  std::shared_ptr<const ElfFile> elf(ImageId id);
  FileState state(ImageId id);

  // The address that the file itself uses; without the file, the offset in it.
  std::uint64_t elf_addr(ImageId id, std::uint64_t file_off);

  // Null where there is no file. From any thread.
  const UnwindTable* unwind_table(ImageId id);

 private:
  struct Image {
    CodeFile file;
    std::once_flag opened, compiled;
    FoundFile found;
    UnwindTable table;
  };
  Image& opened(ImageId id);

  DebugFiles& files_;
  std::deque<Image> images_{1};  // row 0: none
  HashIndex index_;
};

}  // namespace wick
