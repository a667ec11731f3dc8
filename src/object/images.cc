// SPDX-License-Identifier: Apache-2.0
#include "object/images.h"

#include <algorithm>

#include "object/elf/elf_file.h"

namespace wick {
ImageId Images::intern(const CodeFile& file) {
  if (is_program_in_memory(file)) {
    CodeFile program = file;
    program.kind = CodeKind::kFile;
    return intern(program);
  }
  const auto is_same = [&](std::uint32_t row) {
    // With neither a build id nor an inode, files of the same path may still
    // differ, as containers have their own roots.
    return is_same_file(images_[row].file, file);
  };
  const std::uint32_t known = index_.find(hash_of(file), is_same);
  if (known != HashIndex::kNone) {
    on_mapped_again(images_[known], file);
    return ImageId{known};
  }
  if (!names_.take(bytes_of(file))) return ImageId::kNone;
  std::uint32_t row = 0;
  if (free_rows_.empty()) {
    row = static_cast<std::uint32_t>(images_.size());
    images_.emplace_back();
  } else {
    row = free_rows_.back();
    free_rows_.pop_back();
  }
  images_[row] = {.file = file,
                  .kept = kept_ == nullptr ? nullptr : kept_->module(file)};
  add_to_index(row);
  return ImageId{row};
}

// A memfd is known as a file by its build id, by the names that were kept, or
// by its first bytes.
bool Images::is_program_in_memory(const CodeFile& file) const {
  if (file.kind != CodeKind::kAnonymous || !is_memfd(file.path)) return false;
  if (!file.build_id.empty()) return true;
  CodeFile program = file;
  program.kind = CodeKind::kFile;
  return (kept_ != nullptr && kept_->module(program) != nullptr) ||
         files_.is_elf(file);
}

// The file may be reachable only by its processes, of which the newest is the
// most likely to run still.
void Images::on_mapped_again(Image& image, const CodeFile& file) {
  constexpr std::uint8_t kMostRetries = 8;
  image.file.is_deleted |= file.is_deleted;
  if (file.pid == image.file.pid || image.contents->found.elf) return;
  if (image.contents->was_looked_for) {
    if (image.file.kind != CodeKind::kFile || image.retries == kMostRetries)
      return;
    ++image.retries;
    image.contents = std::make_unique<Contents>();
  }
  image.file.pid = file.pid;
  image.file.mapped_start = file.mapped_start;
  image.file.mapped_end = file.mapped_end;
}

// With its contents and its place in the index.
std::uint64_t Images::bytes_of(const CodeFile& file) {
  constexpr std::uint64_t kIndex = 32;
  return sizeof(Image) + sizeof(Contents) + kIndex + file.path.size() +
         file.build_id.size();
}

void Images::add_to_index(std::uint32_t row) {
  index_.find_or_add(
      hash_of(images_[row].file), [](std::uint32_t) { return false; },
      [&] { return row; });
}

Images::Contents& Images::opened(ImageId id) {
  const Image& image = images_[index(id)];
  Contents& contents = *image.contents;
  std::call_once(contents.opened, [&] {
    contents.was_looked_for = true;
    if (image.is_refused) contents.found.state = FileState::kFound;
    if (id != ImageId::kNone && image.file.kind != CodeKind::kAnonymous &&
        !image.is_refused)
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
  const KeptModule* kept = images_[index(id)].kept;
  if (kept != nullptr && !files_.has_symfs()) return kept->elf_addr(file_off);
  const Contents& contents = opened(id);
  if (!contents.found.elf)
    return kept == nullptr ? file_off : kept->elf_addr(file_off);
  return contents.found.elf->elf_addr(file_off).value_or(file_off);
}

const UnwindTable* Images::unwind_table(ImageId id) {
  Contents& contents = opened(id);
  if (!contents.found.elf) return nullptr;
  std::call_once(contents.compiled, [&] {
    contents.debug = files_.debug(*contents.found.elf, images_[index(id)].file);
    contents.table = UnwindTable::build(contents.found.elf, contents.debug);
  });
  return &contents.table;
}

std::uint64_t Images::Contents::bytes() const {
  return (found.elf ? found.elf->memory().used() : 0) +
         (debug ? debug->memory().used() : 0);
}

bool Images::Contents::exceeded_own_limit() const {
  return (found.elf && found.elf->memory().exceeded_own_limit()) ||
         (debug && debug->memory().exceeded_own_limit());
}

bool Images::Contents::exceeded_budget() const {
  return (found.elf && found.elf->memory().exceeded_budget()) ||
         (debug && debug->memory().exceeded_budget());
}

bool Images::is_short_of_memory() const {
  return memory_.files &&
         memory_.files->used() > memory_.files->limit() / 4 * 3;
}

bool Images::trim() {
  if (!memory_.files) return false;
  for (Image& image : images_)
    if (image.contents->exceeded_own_limit()) refuse(image);
  const bool closed_unused = close_unused();
  return close_largest() || closed_unused;
}

std::uint64_t Images::refused_files() const {
  return refused_files_ + static_cast<std::uint64_t>(std::ranges::count_if(
                              images_, [](const Image& image) {
                                return !image.is_refused &&
                                       image.contents->exceeded_own_limit();
                              }));
}

void Images::refuse(Image& image) {
  if (image.is_refused) return;
  image.is_refused = true;
  ++refused_files_;
}

bool Images::close(Image& image) {
  if (!image.contents->found.elf) return false;
  image.contents = std::make_unique<Contents>();
  return true;
}

bool Images::close_unused() {
  const bool is_needed = memory_.files->used() > memory_.files->limit() / 4;
  bool any = false;
  for (Image& image : images_) {
    const bool was_used = image.contents->is_used.exchange(false);
    // What was refused for the sake of others may be read once these are
    // closed.
    if ((is_needed && !was_used) || image.contents->exceeded_budget())
      any |= close(image);
  }
  return any;
}

bool Images::close_largest() {
  if (!is_short_of_memory()) return false;
  std::vector<Image*> largest;
  for (Image& image : images_)
    if (image.contents->bytes() > 0) largest.push_back(&image);
  std::ranges::sort(largest, std::ranges::greater{}, [](const Image* image) {
    return image->contents->bytes();
  });
  bool any = false;
  for (Image* image : largest) {
    if (memory_.files->used() <= memory_.files->limit() / 2) break;
    refuse(*image);
    any |= close(*image);
  }
  return any;
}

void Images::forget_all_but(const std::vector<bool>& needed) {
  index_.clear();
  for (std::uint32_t row = 1; row < images_.size(); ++row) {
    Image& image = images_[row];
    if (image.is_free) continue;
    if (row < needed.size() && needed[row]) {
      add_to_index(row);
      continue;
    }
    if (image.contents->exceeded_own_limit()) refuse(image);
    names_.give_back(bytes_of(image.file));
    image = {.is_free = true};
    free_rows_.push_back(row);
  }
  // Not again before as many new ones have come.
  names_limit_ = std::max(memory_.names->limit() / 2,
                          (memory_.names->limit() + names_.used()) / 2);
}

}  // namespace wick
