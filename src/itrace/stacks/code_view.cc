// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/code_view.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "object/elf/needed.h"

namespace wick {

void CodeView::enter(SpaceId space) {
  space_ = space;
  near_pages_.fill({});
}

bool CodeView::refresh() {
  if (generation_ == map_.generation()) return false;
  generation_ = map_.generation();
  near_pages_.fill({});
  return true;
}

CodePage& CodeView::page_at(std::uint64_t pc) {
  const std::uint64_t page_pc = pc & ~(CodePage::kBytes - 1);
  NearPage& near = near_pages_[pc / CodePage::kBytes % near_pages_.size()];
  if (near.page == nullptr || near.page_pc != page_pc)
    near = {page_pc, &map_.page(space_, pc)};
  return *near.page;
}

bool CodeView::is_program_entry(const CodePoint& at) const {
  if (map_.function(at.function).name == "_start") return at.is_entry();
  if (at.page->image == CodeImageId::kNone) return false;
  const CodeImage& image = map_.image(at.page->image);
  return image.elf != nullptr && image.elf->entry() != 0 &&
         image.elf->entry() == at.page->elf_addr + at.slot() * 2;
}

CodeView::Role CodeView::role_of(const CodeImage& image) {
  if (image.layer != Layer::kUser || image.elf == nullptr)
    return Role::kUnknown;
  const Needed needed = needed_by(*image.elf);
  if (needed.name.starts_with("linux-vdso")) return Role::kUnknown;
  if (!is_main_program(*image.elf)) return Role::kLibrary;
  return needed.loader.empty() ? Role::kStaticProgram : Role::kProgram;
}

CodeView::Role CodeView::role(CodeImageId image) {
  const auto i = static_cast<std::size_t>(index(image));
  if (i >= roles_.size()) roles_.resize(map_.image_count());
  std::optional<Role>& known = roles_[i];
  if (!known) known = role_of(map_.image(image));
  return *known;
}

bool CodeView::is_entry_of_program(const CodePoint& at) {
  return is_program_entry(at) && role(at.page->image) >= Role::kProgram;
}

std::optional<bool> CodeView::is_one_process(std::uint64_t pc,
                                             FunctionId function,
                                             const CodePoint& other) {
  const CodeImageId image = map_.function(function).image;
  if (image == CodeImageId::kNone || other.page->image == CodeImageId::kNone)
    return {};
  if (image != other.page->image) {
    const auto [less, more] =
        std::minmax({role(image), role(other.page->image)});
    if (more == Role::kStaticProgram ? less != Role::kUnknown
                                     : less == Role::kProgram)
      return false;
    return {};
  }
  const CodeImage& file = map_.image(image);
  if (file.fixed) return true;
  const std::uint64_t bias =
      other.pc - (other.page->elf_addr + other.slot() * 2);
  const std::uint64_t elf_addr = (pc - bias) & map_.pc_mask();
  return file.text_start <= elf_addr && elf_addr < file.text_end;
}

std::uint32_t CodeView::word_at(std::uint64_t pc, const CodePage& page) const {
  if (page.image == CodeImageId::kNone) return 0;
  const std::string_view text =
      map_.image(page.image)
          .text(page.elf_addr + pc % CodePage::kBytes, sizeof(std::uint32_t));
  std::uint32_t word = 0;
  if (!text.empty()) std::memcpy(&word, text.data(), text.size());
  return word;
}

std::optional<std::uint64_t> CodeView::target_of(const CodePoint& from) const {
  const std::int32_t distance =
      riscv_distance(word_at(from.pc, *from.page), map_.xlen());
  if (distance == 0) return std::nullopt;
  return (from.pc + static_cast<std::uint64_t>(std::int64_t{distance})) &
         map_.pc_mask();
}

FunctionId CodeView::function_ahead(const CodePoint& from) {
  const auto target = target_of(from);
  return target ? page_at(*target).function(CodePage::slot(*target))
                : FunctionId::kNone;
}

std::optional<bool> CodeView::leads_to(const CodePoint& from,
                                       std::uint64_t pc) const {
  const auto target = target_of(from);
  if (!target) return std::nullopt;
  return ((*target ^ pc) & map_.pc_mask()) == 0;
}

}  // namespace wick
