// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/dwarf_forms.h"

#include "object/dwarf/dwarf_constants.h"

namespace wick {

int fixed_size(std::uint64_t form, const DwarfEncoding& encoding) {
  switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
      return 0;
    case DW_FORM_data1:
    case DW_FORM_flag:
    case DW_FORM_ref1:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_sup4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
      return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
      return 8;
    case DW_FORM_data16:
      return 16;
    case DW_FORM_addr:
      return encoding.address_size;
    case DW_FORM_ref_addr:  // version 2 has an address here
      return encoding.version <= 2 ? encoding.address_size
                                   : encoding.offset_size;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_sec_offset:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
      return encoding.offset_size;
    default:
      return -1;
  }
}

FormValue read_form(DwarfCursor& in, std::uint64_t form,
                    const DwarfEncoding& encoding, std::int64_t implicit) {
  if (form == DW_FORM_indirect) {
    form = in.uleb();
    // An indirect form may not be indirect again: that would never end.
    if (form == DW_FORM_indirect || form == DW_FORM_implicit_const) in.fail();
  }
  const auto result = [form](std::uint64_t value) {
    return FormValue{static_cast<std::uint16_t>(form), value};
  };
  const auto block = [&](std::uint64_t size) {
    const std::uint64_t begin = in.offset();
    in.skip(size);
    return result(begin);
  };
  switch (form) {
    case DW_FORM_string: {
      const std::uint64_t begin = in.offset();
      in.text();
      return result(begin);
    }
    case DW_FORM_block1:
      return block(in.u8());
    case DW_FORM_block2:
      return block(in.u16());
    case DW_FORM_block4:
      return block(in.u32());
    case DW_FORM_block:
    case DW_FORM_exprloc:
      return block(in.uleb());
    case DW_FORM_data16:
      return block(16);
    case DW_FORM_sdata:
      return result(static_cast<std::uint64_t>(in.sleb()));
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
      return result(in.uleb());
    case DW_FORM_flag_present:
      return result(1);
    case DW_FORM_implicit_const:
      return result(static_cast<std::uint64_t>(implicit));
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return result(in.u24());
    default:
      break;
  }
  const int size = fixed_size(form, encoding);
  if (size < 0) {
    in.fail();
    return {};
  }
  return result(in.uint(static_cast<unsigned>(size)));
}

void skip_form(DwarfCursor& in, std::uint64_t form,
               const DwarfEncoding& encoding) {
  switch (form) {
    case DW_FORM_exprloc:
    case DW_FORM_block:
      return in.skip(in.uleb());
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
      return in.skip_leb();
    default:
      read_form(in, form, encoding);
  }
}

}  // namespace wick
