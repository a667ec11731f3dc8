// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/text_index.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "itrace/code/firmware.h"

namespace wick {
namespace {

bool is_program(const ElfFile& elf) {
  return elf.machine() == Machine::kRiscV && elf.is_little_endian() &&
         (elf.type() == ET_EXEC || elf.type() == ET_DYN);
}

// A debug file has the section headers of the code without the code.
bool is_debug_file(const ElfFile& elf) {
  return std::ranges::any_of(elf.sections(), [](const auto& section) {
    return (section.flags & SHF_EXECINSTR) != 0 && section.type == SHT_NOBITS;
  });
}

bool is_code(const ElfFile::Segment& segment) {
  return segment.type == PT_LOAD && (segment.flags & PF_X) != 0 &&
         segment.file_size > 0 &&
         segment.address <= UINT64_MAX - segment.file_size - kTextPageSize;
}

}  // namespace

std::optional<BinaryId> TextIndex::add(std::string path,
                                       std::shared_ptr<const ElfFile> elf) {
  if (!is_program(*elf) || is_debug_file(*elf) || is_firmware(*elf)) return {};
  const BinaryId id{static_cast<std::uint32_t>(binaries_.size())};
  std::vector<Text> texts;
  std::uint64_t size = 0;
  std::size_t hash = 0;
  for (const ElfFile::Segment& segment : elf->segments()) {
    if (!is_code(segment)) continue;
    const std::string_view bytes =
        elf->bytes_at(segment.address, segment.file_size);
    if (bytes.empty()) continue;
    texts.push_back({id, segment.address, segment.offset, bytes,
                     elf->is_64() ? Xlen::k64 : Xlen::k32});
    size += bytes.size();
    hash = hash * 31 + std::hash<std::string_view>()(bytes) + segment.address;
  }
  if (texts.empty() || size > kMaxText - total_) return {};
  // A stripped copy has the same build id as the original.
  std::string content = elf->build_id();
  if (content.empty()) content = fmt::format("text {:x} {}", hash, size);
  const auto [found, is_new] = by_content_.emplace(std::move(content), id);
  if (!is_new) return found->second;

  total_ += size;
  first_text_.push_back(static_cast<std::uint32_t>(texts_.size()));
  texts_.insert(texts_.end(), texts.begin(), texts.end());
  const bool fixed = elf->type() == ET_EXEC;
  if (fixed) fixed_.push_back(id);
  binaries_.push_back({std::move(path), std::move(elf), fixed});
  return id;
}

const TextIndex::Text* TextIndex::find_text(const BinaryPage& page) const {
  for (std::size_t i = first_text_[page.binary];
       i < texts_.size() && texts_[i].binary == page.binary; ++i)
    if (page.elf_page >= texts_[i].first_page() &&
        page.elf_page < texts_[i].end())
      return &texts_[i];
  return nullptr;
}

TextPageView TextIndex::view(const BinaryPage& page) const {
  const Text* text = find_text(page);
  return text == nullptr ? TextPageView() : text->view(page.elf_page);
}

std::optional<BinaryPage> TextIndex::page_of(BinaryId binary,
                                             std::uint64_t file_off) const {
  file_off &= ~kTextPageMask;
  for (std::size_t i = first_text_[binary];
       i < texts_.size() && texts_[i].binary == binary; ++i) {
    // The first page of a segment may begin with the end of another one.
    const std::uint64_t start = texts_[i].file_off & ~kTextPageMask;
    const BinaryPage page{binary, texts_[i].first_page() + (file_off - start)};
    if (file_off >= start && page.elf_page < texts_[i].end()) return page;
  }
  return {};
}

std::vector<TextIndex::Match> TextIndex::matches(const PageEvidence& evidence,
                                                 std::size_t limit) const {
  std::vector<Match> found;
  const std::uint32_t tolerated = evidence.tolerated();
  for (const Text& text : texts_)
    for (std::uint64_t page = text.first_page(); page < text.end();
         page += kTextPageSize) {
      const Fit fit = evidence.fit(text.view(page), tolerated);
      if (fit.contradictions > tolerated) continue;
      found.push_back({{text.binary, page}, fit});
      if (found.size() >= limit) return found;
    }
  return found;
}

std::vector<BinaryId> TextIndex::fixed_at(std::uint64_t address) const {
  std::vector<BinaryId> found;
  const std::uint64_t page = address & ~kTextPageMask;
  for (const BinaryId id : fixed_)
    if (has_page({id, page})) found.push_back(id);
  return found;
}

}  // namespace wick
