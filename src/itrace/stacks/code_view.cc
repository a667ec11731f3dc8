// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/code_view.h"

#include <cstring>
#include <string_view>

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
