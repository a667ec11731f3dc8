// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/dwarf_file.h"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/parallel.h"
#include "object/dwarf/dwarf_constants.h"
#include "object/dwarf/dwarf_relocate.h"

namespace wick {

std::optional<UnitHeader> read_unit_header(std::string_view info, bool swap,
                                           std::uint64_t offset) {
  DwarfCursor in(info, swap, offset);
  UnitHeader unit{.offset = offset};
  std::uint64_t length = in.u32();
  if (length == 0xffffffff) {
    unit.encoding.offset_size = 8;
    length = in.u64();
  }
  if (in.failed()) return std::nullopt;
  // What a truncated file has of its last unit can be read.
  unit.end = in.offset() + std::min(length, in.left());
  unit.encoding.version = in.u16();
  unit.type = DW_UT_compile;
  if (unit.encoding.version >= 5) {
    unit.type = in.u8();
    unit.encoding.address_size = in.u8();
    unit.abbrev_offset = in.uint(unit.encoding.offset_size);
    if (unit.type == DW_UT_skeleton || unit.type == DW_UT_split_compile)
      unit.dwo_id = in.u64();
    if (unit.type == DW_UT_type || unit.type == DW_UT_split_type)
      in.skip(8U + unit.encoding.offset_size);
  } else {
    unit.abbrev_offset = in.uint(unit.encoding.offset_size);
    unit.encoding.address_size = in.u8();
  }
  unit.first_die = in.offset();
  const std::uint8_t size = unit.encoding.address_size;
  if (in.failed() || unit.first_die > unit.end || unit.encoding.version < 2 ||
      unit.encoding.version > 5 || !std::has_single_bit(size) || size > 8)
    return std::nullopt;
  return unit;
}

DwarfFile::DwarfFile(std::shared_ptr<const ElfFile> elf, Kind kind, int workers)
    : elf_(std::move(elf)), kind_(kind) {
  swap_ =
      elf_->is_little_endian() != (std::endian::native == std::endian::little);
  zero_is_code_ = elf_->type() == ET_REL;

  struct Wanted {
    std::string_view DwarfSections::*member;
    std::string_view name;
    bool in_alternate, in_split;
  };
  static constexpr Wanted kWanted[] = {
      {&DwarfSections::info, ".debug_info", true, true},
      {&DwarfSections::abbrev, ".debug_abbrev", true, true},
      {&DwarfSections::str, ".debug_str", true, true},
      {&DwarfSections::line, ".debug_line", false, false},
      {&DwarfSections::line_str, ".debug_line_str", false, false},
      {&DwarfSections::ranges, ".debug_ranges", false, false},
      {&DwarfSections::rnglists, ".debug_rnglists", false, true},
      {&DwarfSections::str_offsets, ".debug_str_offsets", false, true},
      {&DwarfSections::addr, ".debug_addr", false, false},
  };
  relocated_.resize(std::size(kWanted));
  parallel_for(std::size(kWanted), workers, [&](std::size_t i) {
    const Wanted& wanted = kWanted[i];
    if (kind == Kind::kAlternate && !wanted.in_alternate) return;
    if (kind == Kind::kSplit && !wanted.in_split) return;
    std::string name(wanted.name);
    if (kind == Kind::kSplit) name += ".dwo";
    const ElfFile::Section* section = elf_->section(name);
    if (section == nullptr) return;
    sections_.*wanted.member = elf_->bytes(*section);
    if (elf_->type() != ET_REL) return;
    if (auto bytes = relocated_bytes(*elf_, *section)) {
      relocated_[i] = std::move(*bytes);
      sections_.*wanted.member = relocated_[i];
    }
  });
  find_units();
  begin_pass();
}

void DwarfFile::find_units() {
  for (std::uint64_t offset = 0; offset < sections_.info.size();) {
    const auto unit = read_unit_header(sections_.info, swap_, offset);
    if (unit) {
      units_.push_back(*unit);
      offset = unit->end;
      continue;
    }
    // The length is known even if the version is not.
    DwarfCursor in(sections_.info, swap_, offset);
    std::uint64_t length = in.u32();
    if (length == 0xffffffff) length = in.u64();
    if (length != 0 || in.failed()) ++damaged_headers_;
    in.skip(length);
    offset = in.failed() ? sections_.info.size() : in.offset();
  }
}

const UnitHeader* DwarfFile::unit_at(std::uint64_t offset) const {
  auto after =
      std::ranges::upper_bound(units_, offset, {}, &UnitHeader::offset);
  if (after == units_.begin()) return nullptr;
  const UnitHeader& unit = *--after;
  return offset >= unit.first_die && offset < unit.end ? &unit : nullptr;
}

std::shared_ptr<const AbbrevTable> DwarfFile::abbrevs(
    const UnitHeader& unit, std::string_view section) {
  if (unit.abbrev_offset >= section.size())
    return std::make_shared<const AbbrevTable>();
  const DwarfEncoding& encoding = unit.encoding;
  const AbbrevKey key{section.data() + unit.abbrev_offset,
                      encoding.version << 16 | encoding.address_size << 8 |
                          encoding.offset_size};
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = abbrevs_.find(key); known != abbrevs_.end())
      return known->second;
  }
  if (!abbrev_limit.spend(1)) return std::make_shared<const AbbrevTable>();
  auto table = std::make_shared<const AbbrevTable>(
      AbbrevTable::parse(section, swap_, unit.abbrev_offset, encoding));
  abbrev_limit.spend(table->bytes());
  const std::scoped_lock lock(mutex_);
  return abbrevs_.try_emplace(key, std::move(table)).first->second;
}

void DwarfFile::begin_pass() {
  abbrevs_.clear();
  constexpr std::uint64_t kLeast = 1 << 20;
  abbrev_limit.reset(kLeast + 64 * sections_.abbrev.size());
  range_limit.reset(kLeast +
                    16 * (sections_.ranges.size() + sections_.rnglists.size()));
  line_limit.reset(kLeast + 16 * sections_.line.size());
  name_limit.reset(kLeast + 64 * sections_.info.size());
}

bool DwarfFile::is_dead(std::uint64_t address,
                        const DwarfEncoding& encoding) const {
  if (address == 0) return !zero_is_code_;
  const std::uint64_t last =
      ~std::uint64_t{0} >> (64 - 8 * encoding.address_size);
  return address >= last - 1;
}

}  // namespace wick
