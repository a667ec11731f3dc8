// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/dwarf_line.h"

#include <algorithm>

#include "object/dwarf/dwarf_constants.h"

namespace wick {

struct LineTable::Row {
  std::uint64_t address = 0;
  std::uint64_t file = 1;
  std::uint32_t line = 1;
};

// The state machine that line programs are written for. It passes its rows to
// `emit(row, end_of_sequence, offset after the instruction)`, which stops it by
// returning false. Columns, blocks and discriminators are ignored.
class LineTable::Machine {
 public:
  Machine(LineTable& table, std::uint64_t begin, std::uint64_t end)
      : table_(table),
        in_(table.unit_->main->sections().line, table.unit_->main->swap(),
            begin, end) {
    for (unsigned i = 0; i < 256; ++i) {
      const unsigned adjusted = (i - table.opcode_base_) & 0xff;
      advance_[i] = static_cast<std::uint8_t>(adjusted / table.line_range_);
      lines_[i] = static_cast<std::int16_t>(table.line_base_ +
                                            adjusted % table.line_range_);
    }
  }

  template <class Emit>
  bool run(Emit&& emit) {
    while (!in_.at_end()) {
      const std::uint8_t opcode = in_.u8();
      if (opcode >= table_.opcode_base_) {
        advance(advance_[opcode]);
        row_.line += static_cast<std::uint32_t>(lines_[opcode]);
        if (!emit(row_, false, in_.offset())) return true;
        continue;
      }
      if (opcode == DW_LNS_copy) {
        if (!emit(row_, false, in_.offset())) return true;
      } else if (opcode == 0) {
        if (extended() && !in_.failed()) {
          const bool more = emit(row_, true, in_.offset());
          row_ = {};
          operation_ = 0;
          if (!more) return true;
        }
      } else {
        standard(opcode);
      }
    }
    return !in_.failed();
  }

 private:
  void advance(std::uint64_t operations) {
    if (table_.max_operations_ == 1) {
      row_.address += operations * table_.min_instruction_;
      return;
    }
    const std::uint64_t all = operation_ + operations;
    row_.address += all / table_.max_operations_ * table_.min_instruction_;
    operation_ = all % table_.max_operations_;
  }

  void standard(std::uint8_t opcode) {
    switch (opcode) {
      case DW_LNS_advance_pc:
        return advance(in_.uleb());
      case DW_LNS_advance_line:
        row_.line += static_cast<std::uint32_t>(in_.sleb());
        return;
      case DW_LNS_set_file:
        row_.file = in_.uleb();
        return;
      case DW_LNS_const_add_pc:
        return advance(advance_[255]);
      case DW_LNS_fixed_advance_pc:
        row_.address += in_.u16();
        operation_ = 0;
        return;
      case DW_LNS_negate_stmt:
      case DW_LNS_set_basic_block:
      case DW_LNS_set_prologue_end:
      case DW_LNS_set_epilogue_begin:
        return;
      default:
        for (int i = table_.lengths_[opcode]; i > 0; --i) in_.skip_leb();
    }
  }

  // True at the end of a sequence.
  bool extended() {
    const std::uint64_t begin = in_.offset(), size = in_.uleb();
    if (size == 0) return false;
    const std::uint64_t end = in_.offset() + size;
    if (size > in_.left()) {
      in_.fail();
      return false;
    }
    const std::uint8_t opcode = in_.u8();
    if (opcode == DW_LNE_set_address && size - 1 <= 8) {
      row_.address = in_.uint(static_cast<unsigned>(size - 1));
      operation_ = 0;
    }
    if (opcode == DW_LNE_define_file && begin > table_.defined_) {
      const std::string_view name = in_.text();
      table_.files_.push_back({name, in_.uleb()});
      table_.defined_ = begin;
      if (in_.offset() > end) return false;
    }
    in_.go_forward(end);
    return opcode == DW_LNE_end_sequence;
  }

  LineTable& table_;
  DwarfCursor in_;
  Row row_;
  std::uint64_t operation_ = 0;
  std::uint8_t advance_[256];
  std::int16_t lines_[256];
};

bool LineTable::find(std::span<const std::uint64_t> addresses,
                     std::span<LineAt> out) {
  if (!unit_->main->line_limit.spend(end_ - program_)) return false;
  Machine machine(*this, program_, end_);
  Row last;
  bool in_sequence = false, sorted = true, dead = false;
  std::size_t next = 0;  // the first address that is not below last.address
  std::uint64_t sequence = program_;  // where it began
  return machine.run([&](const Row& row, bool ends, std::uint64_t behind) {
    if (!in_sequence) {
      in_sequence = true;
      sorted = true;
      dead = unit_->main->is_dead(row.address, encoding_);
      next = static_cast<std::size_t>(
          std::ranges::lower_bound(addresses, row.address) - addresses.begin());
    } else if (row.address < last.address) {
      sorted = false;
      next = addresses.size();
    } else {
      for (; next < addresses.size() && addresses[next] < row.address; ++next)
        if (!dead && sorted && !out[next].found)
          out[next] = {true, last.line, last.file};
    }
    last = row;
    if (ends) {
      if (!sorted && !dead) find_unsorted(sequence, behind, addresses, out);
      in_sequence = false;
      sequence = behind;
    }
    return true;
  });
}

void LineTable::find_unsorted(std::uint64_t begin, std::uint64_t end,
                              std::span<const std::uint64_t> addresses,
                              std::span<LineAt> out) {
  std::vector<Row> rows;
  Machine(*this, begin, end).run([&](const Row& row, bool, std::uint64_t) {
    rows.push_back(row);
    return true;
  });
  std::ranges::stable_sort(rows, {}, &Row::address);
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    auto at = std::ranges::lower_bound(addresses, rows[i].address);
    for (; at != addresses.end() && *at < rows[i + 1].address; ++at)
      out[static_cast<std::size_t>(at - addresses.begin())] = {
          true, rows[i].line, rows[i].file};
  }
}

std::optional<LineTable> LineTable::open(const Unit& unit) {
  const FormValue& offset = unit.root[Attr::kStmtList];
  if (!offset) return std::nullopt;
  LineTable table(unit);
  if (!table.read_header(offset.value)) return std::nullopt;
  return table;
}

bool LineTable::read_header(std::uint64_t offset) {
  const std::string_view section = unit_->main->sections().line;
  DwarfCursor in(section, unit_->main->swap(), offset);
  encoding_ = unit_->encoding();
  encoding_.offset_size = 4;
  std::uint64_t length = in.u32();
  if (length == 0xffffffff) {
    encoding_.offset_size = 8;
    length = in.u64();
  }
  end_ = in.offset() + std::min(length, in.left());
  in = DwarfCursor(section, unit_->main->swap(), in.offset(), end_);
  encoding_.version = in.u16();
  if (encoding_.version < 2 || encoding_.version > 5) return false;
  if (encoding_.version >= 5) {
    in.u8();  // the size of an address, which operations repeat
    in.u8();  // of a segment selector
  }
  const std::uint64_t header_length = in.uint(encoding_.offset_size);
  program_ = in.offset() + std::min(header_length, in.left());
  min_instruction_ = in.u8();
  max_operations_ = encoding_.version >= 4 ? in.u8() : 1;
  if (max_operations_ == 0) max_operations_ = 1;
  in.u8();  // initial value of is_stmt
  line_base_ = static_cast<std::int8_t>(in.u8());
  line_range_ = in.u8();
  opcode_base_ = in.u8();
  if (in.failed() || line_range_ == 0 || opcode_base_ == 0) return false;
  for (int i = 1; i < opcode_base_; ++i) lengths_[i] = in.u8();

  if (encoding_.version < 5) {
    read_old_names(in);
  } else {
    read_names(in, [this](const FileName& entry) {
      directories_.push_back(entry.name);
    });
    read_names(in, [this](const FileName& entry) { files_.push_back(entry); });
  }
  return !in.failed();
}

void LineTable::read_old_names(DwarfCursor& in) {
  while (!in.failed()) {
    const std::string_view directory = in.text();
    if (directory.empty()) break;
    directories_.push_back(directory);
  }
  while (!in.failed()) {
    FileName file{.name = in.text()};
    if (file.name.empty()) break;
    file.directory = in.uleb();
    in.skip_leb();  // time
    in.skip_leb();  // size
    files_.push_back(file);
  }
}

// Version 5: each table describes the encoding of its entries.
template <class Add>
void LineTable::read_names(DwarfCursor& in, Add&& add) {
  struct Field {
    std::uint64_t content, form;
  };
  Field fields[255];
  const int field_count = in.u8();
  for (int i = 0; i < field_count; ++i)
    fields[i] = {.content = in.uleb(), .form = in.uleb()};
  const std::uint64_t count = in.uleb();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t begin = in.offset();
    FileName entry;
    for (int k = 0; k < field_count; ++k) {
      const FormValue value = read_form(in, fields[k].form, encoding_);
      if (fields[k].content == DW_LNCT_path)
        entry.name = value.form == DW_FORM_string
                         ? text_at(unit_->main->sections().line, value.value)
                         : unit_->text(value);
      else if (fields[k].content == DW_LNCT_directory_index)
        entry.directory = value.value;
    }
    // The number of entries without bytes has no bound.
    if (in.failed() || in.offset() == begin) return in.fail();
    add(entry);
  }
}

std::string LineTable::path(std::uint64_t file) const {
  const bool from_zero = encoding_.version >= 5;
  if (!from_zero && file == 0) return {};
  const std::uint64_t index = from_zero ? file : file - 1;
  if (index >= files_.size()) return {};
  const FileName& entry = files_[index];
  if (entry.name.starts_with('/')) return std::string(entry.name);

  // Directory 0 is the unit's own, which version 5 may have only here.
  const std::string_view own = unit_->text(unit_->root[Attr::kCompDir]);
  std::string_view directory;
  const std::uint64_t place = from_zero ? entry.directory : entry.directory - 1;
  if ((entry.directory != 0 || own.empty()) && place < directories_.size())
    directory = directories_[place];
  std::string path;
  if (!directory.starts_with('/')) path = own;
  for (const std::string_view part : {directory, entry.name}) {
    if (part.empty()) continue;
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

}  // namespace wick
