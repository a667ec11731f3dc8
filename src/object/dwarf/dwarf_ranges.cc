// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/dwarf_ranges.h"

#include "object/dwarf/dwarf_constants.h"

namespace wick {
namespace {

class RangeList {
 public:
  RangeList(const Unit& unit, std::vector<AddressRange>& out)
      : unit_(unit),
        out_(out),
        base_(unit.base_address),
        last_(~std::uint64_t{0} >> (64 - 8 * unit.encoding().address_size)) {}

  // Pairs of offsets from a base. Two zeros end the list; a first offset of all
  // ones sets the base.
  bool read_old(DwarfCursor in) {
    const unsigned size = unit_.encoding().address_size;
    while (in.left() != 0) {
      const std::uint64_t begin = in.uint(size), end = in.uint(size);
      if (in.failed() || !spend()) return false;
      if (begin == 0 && end == 0) return true;
      if (begin == last_)
        base_ = end;
      else
        add_to_base(begin, end);
    }
    return false;
  }

  bool read_new(DwarfCursor in) {
    const unsigned size = unit_.encoding().address_size;
    while (in.left() != 0) {
      if (!spend()) return false;
      switch (in.u8()) {
        case DW_RLE_end_of_list:
          return true;
        case DW_RLE_base_addressx:
          base_ = indexed(in);
          break;
        case DW_RLE_startx_endx: {
          const std::uint64_t begin = indexed(in), end = indexed(in);
          add(begin, end);
          break;
        }
        case DW_RLE_startx_length: {
          const std::uint64_t begin = indexed(in), length = in.uleb();
          add(begin, begin + length);
          break;
        }
        case DW_RLE_offset_pair: {
          const std::uint64_t begin = in.uleb(), end = in.uleb();
          add_to_base(begin, end);
          break;
        }
        case DW_RLE_base_address:
          base_ = in.uint(size);
          break;
        case DW_RLE_start_end: {
          const std::uint64_t begin = in.uint(size), end = in.uint(size);
          add(begin, end);
          break;
        }
        case DW_RLE_start_length: {
          const std::uint64_t begin = in.uint(size), length = in.uleb();
          add(begin, begin + length);
          break;
        }
        default:
          return false;
      }
      if (in.failed()) return false;
    }
    return false;
  }

 private:
  bool spend() { return unit_.main->range_limit.spend(1); }

  std::uint64_t indexed(DwarfCursor& in) {
    const auto address = unit_.indexed_address(in.uleb());
    if (!address) in.fail();
    return address.value_or(0);
  }

  // A base of zero is valid: addresses are then absolute.
  void add_to_base(std::uint64_t begin, std::uint64_t end) {
    if (base_ >= last_ - 1) return;
    add((base_ + begin) & last_, (base_ + end) & last_);
  }
  void add(std::uint64_t begin, std::uint64_t end) {
    if (begin < end && !unit_.main->is_dead(begin, unit_.encoding()))
      out_.push_back({begin, end});
  }

  const Unit& unit_;
  std::vector<AddressRange>& out_;
  std::uint64_t base_, last_;
};

}  // namespace

bool range_list(const Unit& unit, const FormValue& value,
                std::vector<AddressRange>& out) {
  RangeList list(unit, out);
  if (unit.encoding().version < 5) {
    return list.read_old(DwarfCursor(unit.sections.ranges, unit.main->swap(),
                                     unit.ranges_base + value.value));
  }
  std::uint64_t offset = value.value;
  if (value.form == DW_FORM_rnglistx) {
    const unsigned size = unit.encoding().offset_size;
    if (value.value > unit.sections.rnglists.size() / size) return false;
    DwarfCursor in(unit.sections.rnglists, unit.swap(),
                   unit.rnglists_base + value.value * size);
    offset = unit.rnglists_base + in.uint(size);
    if (in.failed()) return false;
  }
  return list.read_new(
      DwarfCursor(unit.sections.rnglists, unit.swap(), offset));
}

}  // namespace wick
