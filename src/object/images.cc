// SPDX-License-Identifier: Apache-2.0
#include "object/images.h"

#include "object/elf/elf_file.h"

namespace wick {

ImageId Images::intern(const CodeFile& file) {
  return ImageId{index_.find_or_add(
      hash_pair(hash_bytes(file.path), hash_bytes(file.build_id)),
      [&](std::uint32_t row) {
        const CodeFile& known = images_[row].file;
        // Processes share files. Without a build id, files of the same path may
        // still differ, as containers have their own roots.
        return known.path == file.path && known.build_id == file.build_id &&
               known.kind == file.kind;
      },
      [&] {
        images_.emplace_back().file = file;
        return static_cast<std::uint32_t>(images_.size() - 1);
      })};
}

Images::Contents& Images::opened(ImageId id) {
  const Image& image = images_[index(id)];
  Contents& contents = *image.contents;
  std::call_once(contents.opened, [&] {
    if (id != ImageId::kNone && image.file.kind != CodeKind::kAnonymous)
      contents.found = files_.binary(image.file);
  });
  if (!contents.is_used.load(std::memory_order_relaxed))
    contents.is_used.store(true, std::memory_order_relaxed);
  return contents;
}

std::shared_ptr<const ElfFile> Images::elf(ImageId id) {
  return opened(id).found.elf;
}

FileState Images::state(ImageId id) { return opened(id).found.state; }

std::uint64_t Images::elf_addr(ImageId id, std::uint64_t file_off) {
  const Contents& contents = opened(id);
  if (!contents.found.elf) return file_off;
  return contents.found.elf->elf_addr(file_off).value_or(file_off);
}

const UnwindTable* Images::unwind_table(ImageId id) {
  Contents& contents = opened(id);
  if (!contents.found.elf) return nullptr;
  std::call_once(contents.compiled, [&] {
    const auto debug =
        files_.debug(*contents.found.elf, images_[index(id)].file);
    contents.table = UnwindTable::build(contents.found.elf, debug);
  });
  return &contents.table;
}

std::size_t Images::Contents::bytes() const {
  if (table.functions() == 0) return 0;
  std::size_t sum = table.bytes();
  for (const char* name : {".eh_frame", ".eh_frame_hdr", ".debug_frame"})
    if (const ElfFile::Section* section = found.elf->section(name))
      sum += section->size;
  return sum;
}

bool Images::trim(std::size_t bytes) {
  std::size_t held = 0;
  bool any = false;
  for (const Image& image : images_) held += image.contents->bytes();
  for (Image& image : images_) {
    const bool was_used = image.contents->is_used.exchange(false);
    if (held <= bytes || was_used || !image.contents->found.elf) continue;
    image.contents = std::make_unique<Contents>();
    any = true;
  }
  return any;
}

}  // namespace wick
