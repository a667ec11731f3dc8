// SPDX-License-Identifier: Apache-2.0
// Which unit an address belongs to.
//
// .debug_aranges is meant for this, but clang does not write it, and a partial
// one does not say what it lacks. The root DIE of every unit has the same
// ranges; reading thousands of them takes a few milliseconds.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "object/dwarf/dwarf_unit.h"

namespace wick {

class UnitIndex {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  // The units that cover an address, as indices into DwarfFile::units(), the
  // most likely first, then kNone. Normally there is one.
  using Units = std::array<std::uint32_t, 3>;

  UnitIndex() = default;
  UnitIndex(DwarfFile& file, DwarfFile* alternate, int workers);

  Units find(std::uint64_t address) const;

  // Whether units that may have code have no ranges in their root.
  bool has_silent_units() const { return !silent_.empty(); }
  // Reads the functions of those units instead.
  void read_silent_units(DwarfFile& file, DwarfFile* alternate, int workers);

  std::uint64_t damaged() const { return damaged_; }

 private:
  struct UnitRange {
    AddressRange range;
    std::uint32_t unit;
  };
  struct Segment {
    std::uint64_t begin = 0;
    Units units = {kNone, kNone, kNone};
  };
  struct Part;
  void add(std::vector<Part> parts);
  void build();

  std::vector<UnitRange> ranges_;
  std::vector<Segment> segments_;  // by begin, up to the next one
  std::vector<std::uint32_t> silent_;
  std::uint64_t damaged_ = 0;
};

}  // namespace wick
