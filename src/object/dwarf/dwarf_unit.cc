// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/dwarf_unit.h"

#include "object/dwarf/dwarf_constants.h"
#include "object/dwarf/dwarf_ranges.h"

namespace wick {
namespace {

bool is_address_form(std::uint16_t form) {
  switch (form) {
    case DW_FORM_addr:
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index:
      return true;
    default:
      return false;
  }
}

// An entry of a table of offsets or addresses.
std::optional<std::uint64_t> entry(std::string_view section, bool swap,
                                   std::uint64_t base, std::uint64_t index,
                                   unsigned size) {
  if (base > section.size() || index >= (section.size() - base) / size)
    return std::nullopt;
  return DwarfCursor(section, swap, base + index * size).uint(size);
}

}  // namespace

bool Unit::is_c_or_cpp() const {
  switch (root[Attr::kLanguage].value) {
    case 0x01:  // DW_LANG_C89
    case 0x02:  // C
    case 0x04:  // C++
    case 0x0c:  // C99
    case 0x19:  // C++03
    case 0x1a:  // C++11
    case 0x1d:  // C11
    case 0x21:  // C++14
    case 0x2b:  // C++17
    case 0x2c:  // C17
    case 0x3a:  // C++20
      return true;
    default:
      return false;
  }
}

std::string_view Unit::text(const FormValue& value) const {
  switch (value.form) {
    case DW_FORM_string:
      return text_at(sections.info, value.value);
    case DW_FORM_strp:
      return text_at(sections.str, value.value);
    case DW_FORM_line_strp:
      return text_at(sections.line_str, value.value);
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_strp_alt:
      if (alternate == nullptr) return {};
      return text_at(alternate->sections().str, value.value);
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
    case DW_FORM_GNU_str_index: {
      const auto offset = entry(sections.str_offsets, swap(), str_offsets_base,
                                value.value, encoding().offset_size);
      return offset ? text_at(sections.str, *offset) : std::string_view();
    }
    default:
      return {};
  }
}

std::optional<std::uint64_t> Unit::indexed_address(std::uint64_t index) const {
  return entry(sections.addr, main->swap(), addr_base, index,
               encoding().address_size);
}

std::optional<std::uint64_t> Unit::address(const FormValue& value) const {
  if (!is_address_form(value.form)) return std::nullopt;
  if (value.form == DW_FORM_addr) return value.value;
  return indexed_address(value.value);
}

std::optional<DieRef> Unit::reference(const FormValue& value) const {
  switch (value.form) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
      if (value.value >= header.end - header.offset) return std::nullopt;
      return DieRef{file, header.offset + value.value};
    case DW_FORM_ref_addr:
      return DieRef{file, value.value};
    case DW_FORM_ref_sup4:
    case DW_FORM_ref_sup8:
    case DW_FORM_GNU_ref_alt:
      if (alternate == nullptr) return std::nullopt;
      return DieRef{alternate, value.value};
    default:
      return std::nullopt;
  }
}

bool Unit::ranges(const Die& die, std::vector<AddressRange>& out) const {
  if (die[Attr::kRanges]) return range_list(*this, die[Attr::kRanges], out);
  const auto low = address(die[Attr::kLowPc]);
  const FormValue& high = die[Attr::kHighPc];
  if (!die[Attr::kLowPc] || !high) return true;
  if (!low) return false;
  std::uint64_t end = *low + high.value;
  if (is_address_form(high.form)) {
    const auto address = this->address(high);
    if (!address) return false;
    end = *address;
  }
  if (*low < end && !main->is_dead(*low, encoding()))
    out.push_back({*low, end});
  return true;
}

std::optional<Unit> open_unit(DwarfFile& file, DwarfFile* alternate,
                              const UnitHeader& header,
                              const DwarfSections& sections,
                              const AbbrevTable& table, const Unit* skeleton) {
  Unit unit{.file = &file,
            .main = &file,
            .alternate = alternate,
            .header = header,
            .sections = sections};
  DwarfCursor in = unit.dies(header.first_die);
  const Abbrev* abbrev = table.find(in.uleb());
  if (abbrev == nullptr || abbrev->kind != DieKind::kUnit) return std::nullopt;
  unit.root = table.read(*abbrev, in);
  if (in.failed()) return std::nullopt;
  unit.root_tag = abbrev->tag;
  unit.has_children = abbrev->has_children;

  const Die& root = unit.root;
  const bool is_64 = header.encoding.offset_size == 8;
  unit.str_offsets_base = root[Attr::kStrOffsetsBase].value;
  unit.addr_base = root[Attr::kAddrBase].value;
  unit.rnglists_base = root[Attr::kRnglistsBase].value;
  if (skeleton != nullptr) {
    unit.main = skeleton->file;
    unit.sections.addr = skeleton->sections.addr;
    unit.sections.ranges = skeleton->sections.ranges;
    unit.addr_base = skeleton->addr_base;
    unit.ranges_base = skeleton->root[Attr::kGnuRangesBase].value;
    unit.base_address = skeleton->base_address;
    // A split unit's own tables begin right after the section's header.
    if (header.encoding.version >= 5) {
      if (!root[Attr::kStrOffsetsBase]) unit.str_offsets_base = is_64 ? 16 : 8;
      if (!root[Attr::kRnglistsBase]) unit.rnglists_base = is_64 ? 20 : 12;
    }
  }
  if (const auto low = unit.address(root[Attr::kLowPc]))
    unit.base_address = *low;
  return unit;
}

}  // namespace wick
