// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/dwarf_split.h"

#include <algorithm>

#include "base/error.h"
#include "object/dwarf/dwarf_constants.h"

namespace wick {
namespace {

constexpr std::string_view kIndex = ".debug_cu_index";

std::uint64_t dwo_id(const Unit& unit) {
  return unit.encoding().version >= 5 ? unit.header.dwo_id
                                      : unit.root[Attr::kDwoId].value;
}

// A unit's part of a package section.
struct Part {
  std::uint64_t offset = 0, size = UINT64_MAX;

  std::string_view of(std::string_view section) const {
    if (offset > section.size()) return {};
    return section.substr(offset, size);
  }
};
struct UnitParts {
  Part info, abbrev, str_offsets, rnglists;
};

// Finds a unit in .debug_cu_index: a hash table from ids to rows, the section
// identifier of each column, the rows of offsets, the rows of sizes.
std::optional<UnitParts> find_in_package(std::string_view index, bool swap,
                                         std::uint64_t id) {
  DwarfCursor in(index, swap);
  // 4 bytes in version 2, 2 bytes and padding in version 5.
  std::uint32_t version = in.u16();
  const std::uint16_t rest = in.u16();
  if (version == 0) version = rest;
  const std::uint64_t columns = in.u32(), units = in.u32(), slots = in.u32();
  if (in.failed() || (version != 2 && version != 5) || columns > 16 ||
      slots == 0 || (slots & (slots - 1)) != 0 || slots > in.left() / 12)
    return std::nullopt;
  const std::uint64_t ids = in.offset(), rows = ids + slots * 8,
                      kinds = rows + slots * 4, offsets = kinds + columns * 4,
                      sizes = offsets + units * columns * 4;
  const auto u32_at = [&](std::uint64_t offset) {
    return DwarfCursor(index, swap, offset).u32();
  };

  const std::uint64_t mask = slots - 1, step = ((id >> 32) & mask) | 1;
  constexpr int kMostTries = 4096;
  std::uint32_t row = 0;
  std::uint64_t slot = id & mask;
  for (int i = 0; i < kMostTries; ++i, slot = (slot + step) & mask) {
    const std::uint32_t here = u32_at(rows + slot * 4);
    if (here == 0) return std::nullopt;
    if (DwarfCursor(index, swap, ids + slot * 8).u64() != id) continue;
    row = here;
    break;
  }
  if (row == 0 || row > units) return std::nullopt;

  UnitParts parts;
  for (std::uint64_t column = 0; column < columns; ++column) {
    const std::uint64_t at = ((row - 1) * columns + column) * 4;
    const Part part{u32_at(offsets + at), u32_at(sizes + at)};
    switch (u32_at(kinds + column * 4)) {
      case DW_SECT_INFO:
        parts.info = part;
        break;
      case DW_SECT_ABBREV:
        parts.abbrev = part;
        break;
      case DW_SECT_STR_OFFSETS:
        parts.str_offsets = part;
        break;
      case DW_SECT_RNGLISTS:
        if (version == 5) parts.rnglists = part;
        break;
      default:
        break;
    }
  }
  return parts;
}

}  // namespace

bool SplitFiles::is_skeleton(const Unit& unit) {
  return static_cast<bool>(unit.root[Attr::kDwoName]);
}

std::shared_ptr<DwarfFile> SplitFiles::open_file(const Unit& skeleton) {
  if (!open_) return nullptr;
  std::shared_ptr<const ElfFile> elf;
  {
    const std::scoped_lock lock(mutex_);
    try {
      elf = open_(skeleton.text(skeleton.root[Attr::kDwoName]),
                  skeleton.text(skeleton.root[Attr::kCompDir]));
    } catch (const Error&) {
      // A damaged file counts as missing.
    }
    if (elf == nullptr) return nullptr;
    if (const auto known = packages_.find(elf.get()); known != packages_.end())
      return known->second;
    if (elf->section(kIndex) != nullptr)
      return packages_[elf.get()] =
                 std::make_shared<DwarfFile>(elf, DwarfFile::Kind::kSplit, 1);
  }
  return std::make_shared<DwarfFile>(elf, DwarfFile::Kind::kSplit, 1);
}

std::optional<SplitUnit> SplitFiles::open(const Unit& skeleton) {
  std::shared_ptr<DwarfFile> file = open_file(skeleton);
  if (file == nullptr) return std::nullopt;
  const std::uint64_t id = dwo_id(skeleton);
  const std::string_view index = file->elf().bytes(kIndex);

  const auto open_at =
      [&](const UnitHeader& header,
          const DwarfSections& sections) -> std::optional<SplitUnit> {
    auto table = file->abbrevs(header, sections.abbrev);
    auto unit = open_unit(*file, nullptr, header, sections, *table, &skeleton);
    if (!unit || dwo_id(*unit) != id) return std::nullopt;
    return SplitUnit{file, *unit, std::move(table)};
  };

  if (!index.empty()) {
    const auto parts = find_in_package(index, file->swap(), id);
    if (!parts) return std::nullopt;
    DwarfSections sections = file->sections();
    const auto header =
        read_unit_header(sections.info, file->swap(), parts->info.offset);
    if (!header) return std::nullopt;
    sections.abbrev = parts->abbrev.of(sections.abbrev);
    sections.str_offsets = parts->str_offsets.of(sections.str_offsets);
    sections.rnglists = parts->rnglists.of(sections.rnglists);
    return open_at(*header, sections);
  }
  constexpr std::size_t kMostUnits = 64;  // type units may precede it
  for (std::size_t i = 0; i < std::min(file->units().size(), kMostUnits); ++i)
    if (auto unit = open_at(file->units()[i], file->sections())) return unit;
  return std::nullopt;
}

}  // namespace wick
