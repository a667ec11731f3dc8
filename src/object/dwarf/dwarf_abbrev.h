// SPDX-License-Identifier: Apache-2.0
// Abbreviations define which attributes a DIE has and how they are encoded.
// Nearly all DIEs are skipped, so each abbreviation is compiled into steps
// once: runs of fixed-size forms become one number, and only attributes that
// wick needs are decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "object/dwarf/dwarf_forms.h"

namespace wick {

// The attributes that are decoded, as indices into a Die.
enum class Attr : std::uint8_t {
  kSibling,
  kName,
  kLinkageName,
  kLowPc,
  kHighPc,
  kRanges,
  kAbstractOrigin,
  kSpecification,
  kCallFile,
  kCallLine,
  kStmtList,
  kCompDir,
  kLanguage,
  kStrOffsetsBase,
  kAddrBase,
  kRnglistsBase,
  kGnuRangesBase,
  kDwoName,
  kDwoId,
  kCount,
};

// The decoded values of one DIE.
struct Die {
  FormValue values[static_cast<std::size_t>(Attr::kCount)];

  const FormValue& operator[](Attr attr) const {
    return values[static_cast<std::size_t>(attr)];
  }
};

// What a walk over the DIEs does with one.
enum class DieKind : std::uint8_t {
  kOther,     // skips its attributes
  kFunction,  // with code: a subprogram, or an entry point into one
  kInlined,   // an inlined call with code
  kAbstract,  // a subprogram without code: a declaration, an abstract instance
  kType,      // a type with members
  kUnit,
};

struct Abbrev {
  std::uint64_t code = 0;
  std::uint16_t tag = 0;
  DieKind kind = DieKind::kOther;
  bool has_children = false;
  bool has_sibling = false;
  // Ranges of the table's steps: those that skip the DIE, those that read it.
  std::uint32_t skip_begin = 0, skip_end = 0;
  std::uint32_t read_begin = 0, read_end = 0;
};

class AbbrevTable {
 public:
  // Compiles the table at `offset` of .debug_abbrev. Damage ends the table
  // early; DIEs that use the missing codes then fail.
  static AbbrevTable parse(std::string_view section, bool swap,
                           std::uint64_t offset, const DwarfEncoding& encoding);
  // Compiles only the abbreviation `code`, all that the root of a unit needs.
  static AbbrevTable parse_one(std::string_view section, bool swap,
                               std::uint64_t offset,
                               const DwarfEncoding& encoding,
                               std::uint64_t code);

  // Null if there is no such code.
  const Abbrev* find(std::uint64_t code) const {
    if (code - 1 < abbrevs_.size() && abbrevs_[code - 1].code == code)
      return &abbrevs_[code - 1];
    return search(code);
  }

  // Skips the attributes of a DIE.
  void skip(const Abbrev& abbrev, DwarfCursor& in) const {
    for (std::uint32_t i = abbrev.skip_begin; i != abbrev.skip_end; ++i) {
      const Step& step = steps_[i];
      in.skip(step.skip);
      if (step.form != 0) skip_form(in, step.form, encoding_);
    }
  }
  // Reads the attributes that its kind needs, and skips the others.
  Die read(const Abbrev& abbrev, DwarfCursor& in) const;

  // Whether a unit that uses this table can have functions with code.
  bool has_functions() const;
  // Bytes of the section that were read.
  std::uint64_t bytes() const { return bytes_; }

 private:
  static constexpr std::uint8_t kNoAttr = 0xff;
  // Skips `skip` bytes, then skips or reads a value of `form` (0: none).
  struct Step {
    std::uint32_t skip = 0;
    std::uint16_t form = 0;
    std::uint8_t attr = kNoAttr;
    std::int64_t implicit = 0;
  };

  struct Scratch {
    std::vector<Step> skip, read;
  };

  void parse_table(DwarfCursor in, std::optional<std::uint64_t> only);
  bool parse_attributes(DwarfCursor& in, Abbrev& abbrev, bool wanted,
                        Scratch& scratch);
  const Abbrev* search(std::uint64_t code) const;

  DwarfEncoding encoding_;
  std::vector<Abbrev> abbrevs_;  // by code
  std::vector<Step> steps_;
  std::uint64_t bytes_ = 0;
};

}  // namespace wick
