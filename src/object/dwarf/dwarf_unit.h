// SPDX-License-Identifier: Apache-2.0
// A unit being read: the attributes of its root DIE, and what attribute values
// mean in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "object/dwarf/dwarf_file.h"

namespace wick {

struct AddressRange {
  std::uint64_t begin = 0, end = 0;  // begin < end
};

// A DIE anywhere.
struct DieRef {
  DwarfFile* file = nullptr;
  std::uint64_t offset = 0;

  bool operator==(const DieRef&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const DieRef& ref) {
    return H::combine(std::move(h), ref.file, ref.offset);
  }
};

struct Unit {
  DwarfFile* file = nullptr;       // has the DIEs
  DwarfFile* main = nullptr;       // has code and lines; `file` unless split
  DwarfFile* alternate = nullptr;  // may be null
  UnitHeader header;
  // As seen by this unit: parts of the sections in a package; for a split unit,
  // .debug_addr and .debug_ranges of the main file.
  DwarfSections sections;
  std::uint64_t str_offsets_base = 0;
  std::uint64_t addr_base = 0;
  std::uint64_t rnglists_base = 0;
  std::uint64_t ranges_base =
      0;  // GNU's split units: where .debug_ranges begins
  std::uint64_t base_address = 0;
  Die root;
  std::uint16_t root_tag = 0;
  bool has_children = false;

  bool swap() const { return file->swap(); }
  const DwarfEncoding& encoding() const { return header.encoding; }
  DwarfCursor dies(std::uint64_t offset) const {
    return DwarfCursor(sections.info, swap(), offset, header.end);
  }
  bool is_c_or_cpp() const;

  std::string_view text(const FormValue& value) const;
  std::optional<std::uint64_t> address(const FormValue& value) const;
  std::optional<std::uint64_t> indexed_address(std::uint64_t index) const;
  std::optional<DieRef> reference(const FormValue& value) const;

  // Appends the code ranges of a DIE to `out`; false if they are damaged.
  bool ranges(const Die& die, std::vector<AddressRange>& out) const;
};

// Reads the root DIE with `table`, which has its abbreviation. For the unit of
// a .dwo or .dwp, `skeleton` is its skeleton in the main file. Nothing if the
// root cannot be read.
std::optional<Unit> open_unit(DwarfFile& file, DwarfFile* alternate,
                              const UnitHeader& header,
                              const DwarfSections& sections,
                              const AbbrevTable& table,
                              const Unit* skeleton = nullptr);

}  // namespace wick
