// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/dwarf_index.h"

#include <algorithm>
#include <tuple>

#include "base/parallel.h"
#include "object/dwarf/dwarf_constants.h"
#include "object/dwarf/dwarf_functions.h"

namespace wick {

// What one worker found in some of the units.
struct UnitIndex::Part {
  std::vector<UnitRange> ranges;
  std::vector<std::uint32_t> silent;
  std::uint64_t damaged = 0;
};

namespace {

constexpr std::size_t kUnitsPerPart = 64;

// The root of a unit, read with only the abbreviation it needs. Adjacent units
// may share a table (dwz arranges that), which is then kept.
class RootReader {
 public:
  RootReader(DwarfFile& file, DwarfFile* alternate)
      : file_(file), alternate_(alternate) {}

  std::optional<Unit> read(const UnitHeader& header) {
    const DwarfSections& sections = file_.sections();
    if (header.abbrev_offset == last_offset_) {
      const auto table = file_.abbrevs(header, sections.abbrev);
      return open_unit(file_, alternate_, header, sections, *table);
    }
    last_offset_ = header.abbrev_offset;
    if (!file_.abbrev_limit.spend(1)) return std::nullopt;
    DwarfCursor in(sections.info, file_.swap(), header.first_die, header.end);
    const auto table = AbbrevTable::parse_one(sections.abbrev, file_.swap(),
                                              header.abbrev_offset,
                                              header.encoding, in.uleb());
    file_.abbrev_limit.spend(table.bytes());
    return open_unit(file_, alternate_, header, sections, table);
  }

 private:
  DwarfFile& file_;
  DwarfFile* alternate_;
  std::uint64_t last_offset_ = UINT64_MAX;
};

bool can_have_code(const UnitHeader& unit) {
  return unit.type == DW_UT_compile || unit.type == DW_UT_skeleton;
}

}  // namespace

UnitIndex::UnitIndex(DwarfFile& file, DwarfFile* alternate, int workers) {
  const std::vector<UnitHeader>& units = file.units();
  std::vector<Part> parts((units.size() + kUnitsPerPart - 1) / kUnitsPerPart);
  parallel_for(parts.size(), workers, [&](std::size_t k) {
    Part& part = parts[k];
    RootReader roots(file, alternate);
    std::vector<AddressRange> ranges;
    const std::size_t end = std::min(units.size(), (k + 1) * kUnitsPerPart);
    for (std::size_t i = k * kUnitsPerPart; i < end; ++i) {
      if (!can_have_code(units[i])) continue;
      const auto unit = roots.read(units[i]);
      if (!unit) {
        ++part.damaged;
        continue;
      }
      if (unit->root_tag == DW_TAG_partial_unit) continue;
      const auto number = static_cast<std::uint32_t>(i);
      const Die& root = unit->root;
      if (!root[Attr::kRanges] && !root[Attr::kHighPc]) {
        if (unit->has_children) part.silent.push_back(number);
        continue;
      }
      ranges.clear();
      if (!unit->ranges(root, ranges)) ++part.damaged;
      for (const AddressRange& range : ranges)
        part.ranges.push_back({range, number});
    }
  });
  add(std::move(parts));
}

void UnitIndex::read_silent_units(DwarfFile& file, DwarfFile* alternate,
                                  int workers) {
  const std::vector<std::uint32_t> silent = std::exchange(silent_, {});
  std::vector<Part> parts(silent.size());
  parallel_for(parts.size(), workers, [&](std::size_t k) {
    const UnitHeader& header = file.units()[silent[k]];
    const DwarfSections& sections = file.sections();
    const auto table = file.abbrevs(header, sections.abbrev);
    // With link-time optimisation, the units of source files have none.
    if (!table->has_functions()) return;
    const auto unit = open_unit(file, alternate, header, sections, *table);
    std::vector<AddressRange> ranges;
    if (!unit || !function_ranges(*unit, *table, ranges)) ++parts[k].damaged;
    for (const AddressRange& range : ranges)
      parts[k].ranges.push_back({range, silent[k]});
  });
  add(std::move(parts));
}

void UnitIndex::add(std::vector<Part> parts) {
  for (Part& part : parts) {
    ranges_.insert(ranges_.end(), part.ranges.begin(), part.ranges.end());
    silent_.insert(silent_.end(), part.silent.begin(), part.silent.end());
    damaged_ += part.damaged;
  }
  build();
}

// Cuts the address space where a range begins or ends. Where ranges overlap,
// the shorter one is more likely: a unit may claim everything from its first to
// its last function.
void UnitIndex::build() {
  std::ranges::sort(ranges_, [](const UnitRange& a, const UnitRange& b) {
    return std::tie(a.range.begin, a.unit, a.range.end) <
           std::tie(b.range.begin, b.unit, b.range.end);
  });
  segments_.clear();
  constexpr std::size_t kMostAtOnce = 64;  // more overlap is nonsense
  std::vector<UnitRange> here;             // the shortest first
  for (std::size_t next = 0; next < ranges_.size() || !here.empty();) {
    std::uint64_t at =
        next < ranges_.size() ? ranges_[next].range.begin : UINT64_MAX;
    for (const UnitRange& range : here) at = std::min(at, range.range.end);
    std::erase_if(
        here, [at](const UnitRange& range) { return range.range.end <= at; });
    for (; next < ranges_.size() && ranges_[next].range.begin == at; ++next) {
      const auto length = [](const UnitRange& range) {
        return range.range.end - range.range.begin;
      };
      if (here.size() == kMostAtOnce) continue;
      here.insert(
          std::ranges::upper_bound(here, length(ranges_[next]), {}, length),
          ranges_[next]);
    }
    Segment segment{.begin = at};
    std::size_t count = 0;
    for (const UnitRange& range : here) {
      if (count == segment.units.size()) break;
      if (std::ranges::find(segment.units, range.unit) == segment.units.end())
        segment.units[count++] = range.unit;
    }
    if (segments_.empty() || segments_.back().units != segment.units)
      segments_.push_back(segment);
  }
}

UnitIndex::Units UnitIndex::find(std::uint64_t address) const {
  const auto after =
      std::ranges::upper_bound(segments_, address, {}, &Segment::begin);
  if (after == segments_.begin()) return {kNone, kNone, kNone};
  return std::prev(after)->units;
}

}  // namespace wick
