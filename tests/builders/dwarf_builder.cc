// SPDX-License-Identifier: Apache-2.0
#include "builders/dwarf_builder.h"

#include <cassert>

namespace wick {
namespace {

struct FileSpec {
  const char* name;
  int directory;
};
constexpr FileSpec kFiles[] = {{"a.c", 0}, {"b.h", 1}, {"c.h", 1}};

void append_sleb(std::string& out, std::int64_t value) {
  for (;;) {
    const auto byte = static_cast<unsigned char>(value & 0x7f);
    value >>= 7;
    const bool last = (value == 0 && (byte & 0x40) == 0) ||
                      (value == -1 && (byte & 0x40) != 0);
    out.push_back(static_cast<char>(last ? byte : byte | 0x80));
    if (last) return;
  }
}

}  // namespace

DwarfBuilder::DwarfBuilder(const Options& options) : options_(options) {}

void DwarfBuilder::put(std::string& out, std::uint64_t value,
                       unsigned size) const {
  for (unsigned i = 0; i < size; ++i)
    out.push_back(static_cast<char>(
        value >> (8 * (options_.little_endian ? i : size - 1 - i))));
}

std::uint64_t DwarfBuilder::add_text(std::string& section,
                                     std::string_view text) {
  const std::uint64_t offset = section.size();
  section += text;
  section += '\0';
  return offset;
}

void DwarfBuilder::begin_unit(std::uint8_t type, std::uint64_t dwo_id) {
  unit_ = info.size();
  if (options_.offset_size == 8) put(info, 0xffffffff, 4);
  unit_length_ = info.size();
  put_offset(info, 0);
  put(info, options_.version, 2);
  code_ = 0;
  if (options_.version >= 5) {
    put(info, type, 1);
    put(info, options_.address_size, 1);
    put_offset(info, abbrev.size());
    if (type == DW_UT_skeleton || type == DW_UT_split_compile)
      put(info, dwo_id, 8);
  } else {
    put_offset(info, abbrev.size());
    put(info, options_.address_size, 1);
  }
}

void DwarfBuilder::end_unit() {
  std::string length;
  put_offset(length, info.size() - unit_length_ - options_.offset_size);
  info.replace(unit_length_, length.size(), length);
  abbrev.push_back('\0');
}

std::uint64_t DwarfBuilder::open(std::uint16_t tag,
                                 const std::vector<Attribute>& attributes) {
  return die(tag, true, attributes);
}
std::uint64_t DwarfBuilder::leaf(std::uint16_t tag,
                                 const std::vector<Attribute>& attributes) {
  return die(tag, false, attributes);
}

std::uint64_t DwarfBuilder::die(std::uint16_t tag, bool children,
                                const std::vector<Attribute>& attributes) {
  append_varint(abbrev, ++code_);
  append_varint(abbrev, tag);
  put(abbrev, children ? 1 : 0, 1);
  const std::uint64_t offset = info.size();
  append_varint(info, code_);
  for (const Attribute& attribute : attributes) {
    append_varint(abbrev, attribute.name);
    append_varint(abbrev, attribute.form);
    if (attribute.form == DW_FORM_implicit_const)
      append_sleb(abbrev, static_cast<std::int64_t>(attribute.value));
    else
      put_value(attribute);
  }
  abbrev.append(2, '\0');
  return offset;
}

void DwarfBuilder::put_value(const Attribute& attribute) {
  const std::uint64_t value = attribute.value;
  switch (attribute.form) {
    case DW_FORM_string:
      add_text(info, attribute.bytes);
      return;
    case DW_FORM_addr:
      return put_address(info, value);
    case DW_FORM_data1:
    case DW_FORM_flag:
    case DW_FORM_ref1:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      return put(info, value, 1);
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      return put(info, value, 2);
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return put(info, value, 3);
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_sup4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
      return put(info, value, 4);
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
      return put(info, value, 8);
    case DW_FORM_ref_addr:
      return put(
          info, value,
          options_.version <= 2 ? options_.address_size : options_.offset_size);
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_sec_offset:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
      return put_offset(info, value);
    case DW_FORM_sdata:
      return append_sleb(info, static_cast<std::int64_t>(value));
    case DW_FORM_flag_present:
      return;
    case DW_FORM_data16:
      info += attribute.bytes;
      return;
    case DW_FORM_block1:
      put(info, attribute.bytes.size(), 1);
      info += attribute.bytes;
      return;
    case DW_FORM_block2:
      put(info, attribute.bytes.size(), 2);
      info += attribute.bytes;
      return;
    case DW_FORM_block4:
      put(info, attribute.bytes.size(), 4);
      info += attribute.bytes;
      return;
    case DW_FORM_block:
    case DW_FORM_exprloc:
      append_varint(info, attribute.bytes.size());
      info += attribute.bytes;
      return;
    case DW_FORM_indirect:  // the bytes are the form and the value
      info += attribute.bytes;
      return;
    default:
      return append_varint(info, value);
  }
}

std::uint64_t DwarfBuilder::lines(const std::vector<Row>& rows) {
  std::string program;
  std::uint64_t address = 0, file = 1;
  std::int64_t line = 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (i == 0 || row.address < address) {
      program += '\0';
      append_varint(program, 1U + options_.address_size);
      program += static_cast<char>(DW_LNE_set_address);
      put_address(program, row.address);
    } else {
      program += static_cast<char>(DW_LNS_advance_pc);
      append_varint(program, row.address - address);
    }
    address = row.address;
    if (i + 1 == rows.size()) {
      program += std::string("\0\1\1", 3);
      break;
    }
    if (row.file != file) {
      program += static_cast<char>(DW_LNS_set_file);
      append_varint(program, file = row.file);
    }
    program += static_cast<char>(DW_LNS_advance_line);
    append_sleb(program, row.line - line);
    line = row.line;
    program += static_cast<char>(DW_LNS_copy);
  }
  return line_program(program);
}

std::uint64_t DwarfBuilder::line_program(const std::string& program) {
  std::string names;
  if (options_.version >= 5) {
    // One field: a path in the table itself.
    names += std::string("\1\1\x08\2", 4);
    add_text(names, "/src");
    add_text(names, "inc");
    // Three: a path, a directory, an MD5 sum.
    // File 0 is the unit's own, once more.
    names += std::string("\3\1\x08\2\x0b\5\x1e\4", 8);
    add_text(names, "a.c");
    names += '\0' + std::string(16, 'x');
    for (const auto& [name, directory] : kFiles) {
      add_text(names, name);
      put(names, static_cast<std::uint64_t>(directory), 1);
      names.append(16, 'x');
    }
  } else {
    add_text(names, "inc");
    names += '\0';
    for (const auto& [name, directory] : kFiles) {
      add_text(names, name);
      put(names, static_cast<std::uint64_t>(directory), 1);
      names.append(2, '\0');
    }
    names += '\0';
  }
  std::string header;
  put(header, 1, 1);                              // least instruction
  if (options_.version >= 4) put(header, 1, 1);   // operations
  put(header, 1, 1);                              // statements
  put(header, static_cast<std::uint8_t>(-5), 1);  // line base
  put(header, 14, 1);                             // line range
  put(header, 13, 1);                             // opcode base
  header += std::string("\0\1\1\1\1\0\0\0\1\0\0\1", 12);
  header += names;

  std::string rest;
  put(rest, options_.version, 2);
  if (options_.version >= 5) {
    put(rest, options_.address_size, 1);
    put(rest, 0, 1);
  }
  put_offset(rest, header.size());
  rest += header + program;
  const std::uint64_t offset = line.size();
  if (options_.offset_size == 8) put(line, 0xffffffff, 4);
  put_offset(line, rest.size());
  line += rest;
  return offset;
}

ElfBuilder DwarfBuilder::elf() const {
  ElfBuilder elf({.is_64 = options_.address_size == 8,
                  .little_endian = options_.little_endian,
                  .machine = options_.machine,
                  .type = options_.type});
  const std::pair<const char*, const std::string&> all[] = {
      {".debug_info", info},
      {".debug_abbrev", abbrev},
      {".debug_line", line},
      {".debug_str", str},
      {".debug_line_str", line_str},
      {".debug_ranges", ranges},
      {".debug_rnglists", rnglists},
      {".debug_addr", addr},
      {".debug_str_offsets", str_offsets}};
  for (const auto& [name, content] : all)
    if (!content.empty())
      elf.add_section({.name = name + suffix, .content = content});
  return elf;
}

}  // namespace wick
