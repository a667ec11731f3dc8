// SPDX-License-Identifier: Apache-2.0
// The DWARF sections of one file, the places of its units, their abbreviations.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "object/dwarf/dwarf_abbrev.h"
#include "object/elf/elf_file.h"

namespace wick {

struct DwarfSections {
  std::string_view info, abbrev, str, line, line_str, ranges, rnglists,
      str_offsets, addr;
};

// A budget for work on data in which many places may share one long list. Real
// files share little; a crafted one could make the work grow with the square of
// its size.
class WorkLimit {
 public:
  void reset(std::uint64_t most) {
    left_ = static_cast<std::int64_t>(most < (1ULL << 60) ? most : 1ULL << 60);
  }
  // False if the budget is exceeded.
  bool spend(std::uint64_t amount) {
    return left_.fetch_sub(static_cast<std::int64_t>(amount),
                           std::memory_order_relaxed) > 0;
  }

 private:
  std::atomic<std::int64_t> left_ = INT64_MAX;
};

struct UnitHeader {
  std::uint64_t offset = 0;  // of the header, in .debug_info
  std::uint64_t first_die = 0, end = 0;
  std::uint64_t abbrev_offset = 0;
  std::uint64_t dwo_id = 0;
  DwarfEncoding encoding;
  std::uint8_t type = 0;  // DW_UT_…; DW_UT_compile before version 5
};

// The unit at `offset`; nothing if its version or its size is unknown.
std::optional<UnitHeader> read_unit_header(std::string_view info, bool swap,
                                           std::uint64_t offset);

class DwarfFile {
 public:
  enum class Kind {
    kMain,
    kAlternate,  // dwz's: names only
    kSplit,      // .dwo or .dwp
  };
  // Reads the sections, on up to `workers` threads.
  DwarfFile(std::shared_ptr<const ElfFile> elf, Kind kind, int workers);

  const DwarfSections& sections() const { return sections_; }
  const ElfFile& elf() const { return *elf_; }
  Kind kind() const { return kind_; }
  bool swap() const { return swap_; }

  // All units, by offset.
  const std::vector<UnitHeader>& units() const { return units_; }
  // The unit that contains `offset`, or null.
  const UnitHeader* unit_at(std::uint64_t offset) const;
  // Headers that could not be read.
  std::uint64_t damaged_headers() const { return damaged_headers_; }

  // The unit's abbreviations, compiled once for all units that share them. In a
  // package they are in the unit's own part of the section.
  std::shared_ptr<const AbbrevTable> abbrevs(const UnitHeader& unit,
                                             std::string_view section);
  // Drops caches and resets the budgets.
  void begin_pass();

  // Linkers give discarded code the address 0 or one near the end of the
  // address space.
  bool is_dead(std::uint64_t address, const DwarfEncoding& encoding) const;

  WorkLimit abbrev_limit, range_limit, line_limit, name_limit;

 private:
  void find_units();

  std::shared_ptr<const ElfFile> elf_;
  Kind kind_;
  bool swap_ = false;
  bool zero_is_code_ = false;
  DwarfSections sections_;
  std::vector<std::string> relocated_;
  std::vector<UnitHeader> units_;
  std::uint64_t damaged_headers_ = 0;

  std::mutex mutex_;
  using AbbrevKey = std::pair<const char*, std::uint64_t>;  // place, encoding
  std::map<AbbrevKey, std::shared_ptr<const AbbrevTable>> abbrevs_;
};

}  // namespace wick
