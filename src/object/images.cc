// SPDX-License-Identifier: Apache-2.0
#include "object/images.h"

namespace wick {

ImageId Images::intern(const CodeFile& file) {
  return ImageId{index_.find_or_add(
      hash_pair(hash_bytes(file.path), hash_bytes(file.build_id)),
      [&](std::uint32_t row) {
        const CodeFile& known = images_[row].file;
        // Processes share files; without a build id, those of one path may
        // still differ where containers have roots of their own.
        return known.path == file.path && known.build_id == file.build_id &&
               known.kind == file.kind;
      },
      [&] {
        images_.emplace_back().file = file;
        return static_cast<std::uint32_t>(images_.size() - 1);
      })};
}

Images::Image& Images::opened(ImageId id) {
  Image& image = images_[index(id)];
  std::call_once(image.opened, [&] {
    if (id != ImageId::kNone && image.file.kind != CodeKind::kAnonymous)
      image.found = files_.binary(image.file);
  });
  return image;
}

std::shared_ptr<const ElfFile> Images::elf(ImageId id) {
  return opened(id).found.elf;
}

FileState Images::state(ImageId id) { return opened(id).found.state; }

std::uint64_t Images::elf_addr(ImageId id, std::uint64_t file_off) {
  const Image& image = opened(id);
  if (!image.found.elf) return file_off;
  return image.found.elf->elf_addr(file_off).value_or(file_off);
}

const UnwindTable* Images::unwind_table(ImageId id) {
  Image& image = opened(id);
  if (!image.found.elf) return nullptr;
  std::call_once(image.compiled, [&] {
    const auto debug = files_.debug(*image.found.elf, image.file);
    image.table = UnwindTable::build(image.found.elf, debug);
  });
  return &image.table;
}

}  // namespace wick
