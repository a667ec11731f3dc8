// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/dwarf_abbrev.h"

#include <algorithm>
#include <iterator>

#include "object/dwarf/dwarf_constants.h"

namespace wick {
namespace {

// More attributes than any compiler gives a DIE. Values may take no bytes, so
// the size of the unit does not bound the work for one DIE.
constexpr int kMaxAttributes = 1000;

constexpr std::uint32_t bit(Attr attr) {
  return 1U << static_cast<unsigned>(attr);
}

constexpr std::uint32_t kCode =
    bit(Attr::kLowPc) | bit(Attr::kHighPc) | bit(Attr::kRanges);
constexpr std::uint32_t kNames = bit(Attr::kName) | bit(Attr::kLinkageName) |
                                 bit(Attr::kAbstractOrigin) |
                                 bit(Attr::kSpecification);

// Which attributes to read from a DIE of this tag.
std::uint32_t wanted_attributes(std::uint64_t tag) {
  switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_entry_point:
      return kCode | kNames | bit(Attr::kSibling);
    case DW_TAG_inlined_subroutine:
      return kCode | kNames | bit(Attr::kCallFile) | bit(Attr::kCallLine);
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
      return bit(Attr::kSibling);
    case DW_TAG_compile_unit:
    case DW_TAG_partial_unit:
    case DW_TAG_type_unit:
    case DW_TAG_skeleton_unit:
      return ~0U;
    default:
      return 0;
  }
}

Attr attr_of(std::uint64_t name) {
  switch (name) {
    case DW_AT_sibling:
      return Attr::kSibling;
    case DW_AT_name:
      return Attr::kName;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
      return Attr::kLinkageName;
    case DW_AT_low_pc:
      return Attr::kLowPc;
    case DW_AT_high_pc:
      return Attr::kHighPc;
    case DW_AT_ranges:
      return Attr::kRanges;
    case DW_AT_abstract_origin:
      return Attr::kAbstractOrigin;
    case DW_AT_specification:
      return Attr::kSpecification;
    case DW_AT_call_file:
      return Attr::kCallFile;
    case DW_AT_call_line:
      return Attr::kCallLine;
    case DW_AT_stmt_list:
      return Attr::kStmtList;
    case DW_AT_comp_dir:
      return Attr::kCompDir;
    case DW_AT_language:
      return Attr::kLanguage;
    case DW_AT_str_offsets_base:
      return Attr::kStrOffsetsBase;
    case DW_AT_addr_base:
    case DW_AT_GNU_addr_base:
      return Attr::kAddrBase;
    case DW_AT_rnglists_base:
      return Attr::kRnglistsBase;
    case DW_AT_GNU_ranges_base:
      return Attr::kGnuRangesBase;
    case DW_AT_dwo_name:
    case DW_AT_GNU_dwo_name:
      return Attr::kDwoName;
    case DW_AT_GNU_dwo_id:
      return Attr::kDwoId;
    default:
      return Attr::kCount;
  }
}

DieKind kind_of(std::uint64_t tag, std::uint32_t attributes) {
  // An inlined call may also have only an entry address, and no code.
  const bool code = (attributes & bit(Attr::kRanges)) != 0 ||
                    ((attributes & bit(Attr::kLowPc)) != 0 &&
                     (attributes & bit(Attr::kHighPc)) != 0);
  switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_entry_point:
      return code ? DieKind::kFunction : DieKind::kAbstract;
    case DW_TAG_inlined_subroutine:
      return DieKind::kInlined;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
      return DieKind::kType;
    case DW_TAG_compile_unit:
    case DW_TAG_partial_unit:
    case DW_TAG_type_unit:
    case DW_TAG_skeleton_unit:
      return DieKind::kUnit;
    default:
      return DieKind::kOther;
  }
}

}  // namespace

// Compiles the abbreviation's steps if it is needed; false if it is damaged.
bool AbbrevTable::parse_attributes(DwarfCursor& in, Abbrev& abbrev, bool wanted,
                                   Scratch& scratch) {
  const std::uint32_t to_read = wanted_attributes(abbrev.tag);
  std::uint32_t seen = 0;
  auto& [skip, read] = scratch;
  skip.assign(1, {});
  read.assign(1, {});
  const auto add_fixed = [](std::vector<Step>& steps, int size) {
    if (steps.back().form != 0) steps.emplace_back();
    steps.back().skip += static_cast<std::uint32_t>(size);
  };
  const auto add_form = [](std::vector<Step>& steps, std::uint64_t form) {
    if (steps.back().form != 0) steps.emplace_back();
    steps.back().form = static_cast<std::uint16_t>(form);
  };
  for (int count = 0; count <= kMaxAttributes; ++count) {
    const std::uint64_t name = in.uleb(), form = in.uleb();
    const std::int64_t implicit =
        form == DW_FORM_implicit_const ? in.sleb() : 0;
    if (in.failed() || form > UINT16_MAX || (form == 0 && name != 0))
      return false;
    if (name == 0 && form == 0) {
      if (!wanted) return true;
      abbrev.kind = kind_of(abbrev.tag, seen);
      abbrev.has_sibling = (seen & bit(Attr::kSibling)) != 0;
      abbrev.skip_begin = static_cast<std::uint32_t>(steps_.size());
      std::ranges::copy(skip, std::back_inserter(steps_));
      abbrev.skip_end = abbrev.read_begin =
          static_cast<std::uint32_t>(steps_.size());
      std::ranges::copy(read, std::back_inserter(steps_));
      abbrev.read_end = static_cast<std::uint32_t>(steps_.size());
      return true;
    }
    if (!wanted) continue;
    const int size = fixed_size(form, encoding_);
    if (size >= 0)
      add_fixed(skip, size);
    else
      add_form(skip, form);
    const Attr attr = attr_of(name);
    // The first of two equal attributes counts, so that no DIE costs more than
    // its bytes.
    if (attr != Attr::kCount && (to_read & ~seen & bit(attr)) != 0) {
      add_form(read, form);
      read.back().attr = static_cast<std::uint8_t>(attr);
      read.back().implicit = implicit;
      seen |= bit(attr);
    } else if (size >= 0) {
      add_fixed(read, size);
    } else {
      add_form(read, form);
    }
  }
  return false;
}

void AbbrevTable::parse_table(DwarfCursor in,
                              std::optional<std::uint64_t> only) {
  const std::uint64_t begin = in.offset();
  Scratch scratch;
  while (!in.at_end()) {
    Abbrev abbrev;
    abbrev.code = in.uleb();
    if (abbrev.code == 0) break;
    const std::uint64_t tag = in.uleb();
    abbrev.tag =
        static_cast<std::uint16_t>(std::min<std::uint64_t>(tag, 0xffff));
    abbrev.has_children = in.u8() != 0;
    const bool wanted = !only || *only == abbrev.code;
    if (!parse_attributes(in, abbrev, wanted, scratch)) break;
    if (wanted) abbrevs_.push_back(abbrev);
    if (only && wanted) break;
  }
  bytes_ = in.offset() - begin;
  if (!std::ranges::is_sorted(abbrevs_, {}, &Abbrev::code))
    std::ranges::stable_sort(abbrevs_, {}, &Abbrev::code);
}

AbbrevTable AbbrevTable::parse(std::string_view section, bool swap,
                               std::uint64_t offset,
                               const DwarfEncoding& encoding) {
  AbbrevTable table;
  table.encoding_ = encoding;
  table.parse_table(DwarfCursor(section, swap, offset), {});
  return table;
}

AbbrevTable AbbrevTable::parse_one(std::string_view section, bool swap,
                                   std::uint64_t offset,
                                   const DwarfEncoding& encoding,
                                   std::uint64_t code) {
  AbbrevTable table;
  table.encoding_ = encoding;
  table.parse_table(DwarfCursor(section, swap, offset), code);
  return table;
}

const Abbrev* AbbrevTable::search(std::uint64_t code) const {
  const auto at = std::ranges::lower_bound(abbrevs_, code, {}, &Abbrev::code);
  return at != abbrevs_.end() && at->code == code ? &*at : nullptr;
}

Die AbbrevTable::read(const Abbrev& abbrev, DwarfCursor& in) const {
  Die die;
  for (std::uint32_t i = abbrev.read_begin; i != abbrev.read_end; ++i) {
    const Step& step = steps_[i];
    in.skip(step.skip);
    if (step.form == 0) continue;
    if (step.attr == kNoAttr)
      skip_form(in, step.form, encoding_);
    else
      die.values[step.attr] =
          read_form(in, step.form, encoding_, step.implicit);
  }
  return die;
}

bool AbbrevTable::has_functions() const {
  return std::ranges::any_of(abbrevs_, [](const Abbrev& abbrev) {
    return abbrev.kind == DieKind::kFunction;
  });
}

}  // namespace wick
