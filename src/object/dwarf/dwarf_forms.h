// SPDX-License-Identifier: Apache-2.0
// How attribute values are encoded in a DIE.
#pragma once

#include <cstdint>

#include "object/dwarf/dwarf_cursor.h"

namespace wick {

// What the size of some forms depends on; the same for a whole unit.
struct DwarfEncoding {
  std::uint16_t version = 0;
  std::uint8_t address_size = 0;  // 1, 2, 4 or 8
  std::uint8_t offset_size = 4;   // 8 in 64-bit DWARF

  bool operator==(const DwarfEncoding&) const = default;
};

// An attribute's value as encoded in the DIE. For inline strings and blocks,
// `value` is their offset in the section. form 0: no value.
struct FormValue {
  std::uint16_t form = 0;
  std::uint64_t value = 0;

  explicit operator bool() const { return form != 0; }
};

// The size of a value of this form in bytes; -1 if it varies or the form is
// unknown.
int fixed_size(std::uint64_t form, const DwarfEncoding& encoding);

// Reads one value; `implicit` is the abbreviation's, for
// DW_FORM_implicit_const. An unknown form fails the cursor.
FormValue read_form(DwarfCursor& in, std::uint64_t form,
                    const DwarfEncoding& encoding, std::int64_t implicit = 0);
void skip_form(DwarfCursor& in, std::uint64_t form,
               const DwarfEncoding& encoding);

}  // namespace wick
