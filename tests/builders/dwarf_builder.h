// SPDX-License-Identifier: Apache-2.0
// For tests: DWARF in a few lines, of any version, size and byte order.
//
//   DwarfBuilder dwarf({.version = 4});
//   dwarf.begin_unit();
//   dwarf.open(DW_TAG_compile_unit, {text(DW_AT_name, "a.c"),
//                                    address(DW_AT_low_pc, 0x1000), …});
//   dwarf.leaf(DW_TAG_subprogram, {text(DW_AT_name, "main"), …});
//   dwarf.close();
//   dwarf.end_unit();
//   DebugInfo info({.main = dwarf.file()});
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "builders/elf_builder.h"
#include "object/dwarf/dwarf_constants.h"

namespace wick {

class DwarfBuilder {
 public:
  struct Options {
    std::uint16_t version = 4;
    std::uint8_t offset_size = 4, address_size = 8;
    bool little_endian = true;
    std::uint16_t machine = EM_X86_64, type = ET_DYN;
  };
  struct Attribute {
    std::uint16_t name, form;
    std::uint64_t value = 0;
    std::string bytes = {};  // of text and blocks
  };
  struct Row {
    std::uint64_t address = 0;
    std::uint64_t file = 1;
    std::int64_t line = 0;
  };

  DwarfBuilder() : DwarfBuilder(Options{}) {}
  explicit DwarfBuilder(const Options& options);

  void begin_unit(std::uint8_t type = DW_UT_compile, std::uint64_t dwo_id = 0);
  void end_unit();
  // A DIE with children, which close() ends, or without. Gives its offset in
  // the section; unit_offset() its offset in the unit.
  std::uint64_t open(std::uint16_t tag,
                     const std::vector<Attribute>& attributes);
  std::uint64_t leaf(std::uint16_t tag,
                     const std::vector<Attribute>& attributes);
  void close() { info.push_back('\0'); }
  std::uint64_t unit_offset(std::uint64_t die) const { return die - unit_; }

  // A line table with the files 1 "a.c", 2 "inc/b.h" and 3 "inc/c.h", whose
  // program has one sequence of rows; the last row ends it. Gives its offset.
  std::uint64_t lines(const std::vector<Row>& rows);
  // The same around a given program.
  std::uint64_t line_program(const std::string& program);

  // Integers of the file's byte order and sizes.
  void put(std::string& out, std::uint64_t value, unsigned size) const;
  void put_address(std::string& out, std::uint64_t value) const {
    put(out, value, options_.address_size);
  }
  void put_offset(std::string& out, std::uint64_t value) const {
    put(out, value, options_.offset_size);
  }
  // Adds to a section of strings; gives the offset.
  static std::uint64_t add_text(std::string& section, std::string_view text);

  ElfBuilder elf() const;
  std::shared_ptr<const ElfFile> file() const { return elf().file(); }

  // The sections, to be added to or changed.
  std::string info, abbrev, line, str, line_str, ranges, rnglists, addr,
      str_offsets;
  // Sections of a .dwo have another name.
  std::string suffix;

 private:
  std::uint64_t die(std::uint16_t tag, bool children,
                    const std::vector<Attribute>& attributes);
  void put_value(const Attribute& attribute);

  Options options_;
  std::uint64_t unit_ = 0;         // where it begins
  std::uint64_t unit_length_ = 0;  // where its length stands
  std::uint64_t code_ = 0;
};

inline DwarfBuilder::Attribute text(std::uint16_t name, std::string value) {
  return {name, DW_FORM_string, 0, std::move(value)};
}
inline DwarfBuilder::Attribute address(std::uint16_t name,
                                       std::uint64_t value) {
  return {name, DW_FORM_addr, value};
}
inline DwarfBuilder::Attribute number(std::uint16_t name, std::uint64_t value) {
  return {name, DW_FORM_udata, value};
}
// The offset of a section: DW_FORM_data4 before version 4 knew better.
inline DwarfBuilder::Attribute offset(std::uint16_t name, std::uint64_t value) {
  return {name, DW_FORM_sec_offset, value};
}
inline DwarfBuilder::Attribute refers(std::uint16_t name, std::uint64_t die) {
  return {name, DW_FORM_ref_addr, die};
}

}  // namespace wick
