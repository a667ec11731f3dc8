// SPDX-License-Identifier: Apache-2.0
// The table begins with a header; numbers are as wide as a pointer:
//
//   magic (4 bytes) | 0 0 | least size of an instruction | size of a pointer
//   1.2:  functions
//   1.16: functions, files, names, units, file names, pc table, index
//   1.18: functions, files, text, names, units, file names, pc table, index
//
// Those from "names" on are offsets in the table. The index has a pair for each
// function, its address and the offset of its description, and at last where
// the code ends. Since 1.18 both are 32 bits and the address is relative to
// "text". A description begins with the address again and the offset of the
// name. Until 1.16 the index follows the header, and offsets count from the
// beginning of the table; then, from "names" and from the index.
// (Go's sources: src/debug/gosym/pclntab.go, src/runtime/symtab.go.)
#include "object/elf/go_functions.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "object/elf/elf_file.h"
#include "object/elf/symbol_table_builder.h"

namespace wick {
namespace {

enum : std::uint32_t {
  kGo12 = 0xfffffffb,
  kGo116 = 0xfffffffa,
  kGo118 = 0xfffffff0,
  kGo120 = 0xfffffff1,  // differs from 1.18 in what is not read here
};

struct GoTable {
  std::uint64_t functions = 0;
  std::uint64_t text = 0;  // added to addresses
  int width = 8;           // of the numbers in the index
  std::string_view names, index, descriptions;
};

std::uint64_t read_number(ByteReader& in, int width) {
  return width == 4 ? in.read<std::uint32_t>() : in.read<std::uint64_t>();
}

std::string_view from(std::string_view bytes, std::uint64_t offset) {
  return offset < bytes.size() ? bytes.substr(offset) : std::string_view();
}

// In a position-independent program, what a pointer at `elf_addr` will be may
// only be in its relocation.
std::optional<std::uint64_t> relocated(const ElfFile& file,
                                       std::uint64_t elf_addr) {
  for (const ElfFile::Section& section : file.sections()) {
    if (section.type != SHT_RELA || section.name != ".rela.dyn") continue;
    ByteReader in = file.reader(file.bytes(section));
    while (file.is_64() && in.fits(1, sizeof(Elf64_Rela))) {
      const auto address = in.read<std::uint64_t>();
      in.read<std::uint64_t>();
      const auto addend = in.read<std::uint64_t>();
      if (address == elf_addr) return addend;
    }
    break;
  }
  return {};
}

std::uint64_t text_address(const ElfFile& file, std::uint64_t stored,
                           std::uint64_t stored_at) {
  if (stored != 0) return stored;
  if (const auto address = relocated(file, stored_at)) return *address;
  const ElfFile::Section* text = file.section(".text");
  return text == nullptr ? 0 : text->address;
}

// `bytes` begin with the table, and are at `elf_addr`.
std::optional<GoTable> read_header(const ElfFile& file, std::string_view bytes,
                                   std::uint64_t elf_addr) {
  ByteReader in = file.reader(bytes);
  const auto magic = in.read<std::uint32_t>();
  if (in.read<std::uint16_t>() != 0) return {};
  in.read<std::uint8_t>();
  const int pointer = in.read<std::uint8_t>();
  if (in.failed() || (pointer != 4 && pointer != 8)) return {};
  GoTable table{.functions = read_number(in, pointer), .width = pointer};
  if (magic == kGo12) {
    table.index = in.rest();
    table.names = table.descriptions = bytes;
    return table;
  }
  const bool has_text = magic == kGo118 || magic == kGo120;
  if (!has_text && magic != kGo116) return {};
  read_number(in, pointer);  // files
  if (has_text) {
    const std::uint64_t at = bytes.size() - in.rest().size();
    table.text = text_address(file, read_number(in, pointer), elf_addr + at);
    table.width = 4;
  }
  table.names = from(bytes, read_number(in, pointer));
  for (int i = 0; i < 3; ++i) read_number(in, pointer);
  table.index = table.descriptions = from(bytes, read_number(in, pointer));
  return in.failed() ? std::optional<GoTable>() : table;
}

std::optional<GoTable> find_table(const ElfFile& file) {
  for (const char* name : {".gopclntab", ".data.rel.ro.gopclntab"})
    if (const ElfFile::Section* section = file.section(name))
      return read_header(file, file.bytes(*section), section->address);
  // Other linkers than Go's add it to what else is relocated.
  const ElfFile::Section* section = file.section(".data.rel.ro");
  if (section == nullptr || file.section(".go.buildinfo") == nullptr) return {};
  const std::string_view bytes = file.bytes(*section);
  constexpr std::uint64_t kAlignment = 32;
  for (std::uint64_t at = -section->address % kAlignment; at < bytes.size();
       at += kAlignment)
    if (auto table = read_header(file, bytes.substr(at), section->address + at))
      return table;
  return {};
}

class GoFunctions {
 public:
  GoFunctions(const ElfFile& file, const GoTable& table)
      : file_(file), table_(table), name_bytes_left_(2 * table.names.size()) {}

  void add_to(SymbolTableBuilder& out) {
    ByteReader in = file_.reader(table_.index);
    const auto pair = 2 * static_cast<std::uint64_t>(table_.width);
    if (!in.fits(table_.functions, pair)) return;
    out.reserve(table_.functions);
    std::uint64_t start = number(in);
    for (std::uint64_t i = 0; i < table_.functions; ++i) {
      const std::string_view name = name_of(number(in));
      const std::uint64_t next = number(in);
      if (in.failed()) return;
      if (next > start && !name.empty())
        out.add(
            {.start = table_.text + start, .size = next - start, .name = name});
      start = next;
    }
  }

 private:
  std::uint64_t number(ByteReader& in) const {
    return read_number(in, table_.width);
  }

  std::string_view name_of(std::uint64_t description) {
    ByteReader in = file_.reader(from(table_.descriptions, description));
    number(in);
    const std::uint64_t at = in.read<std::uint32_t>();
    if (in.failed()) return {};
    const std::string_view name =
        until_nul(from(table_.names, at)
                      .substr(0, std::min<std::uint64_t>(kMaxSymbolName,
                                                         name_bytes_left_)));
    name_bytes_left_ -= name.size();
    return name;
  }

  const ElfFile& file_;
  const GoTable& table_;
  // Names follow each other. In a crafted table each could be the same long
  // one.
  std::uint64_t name_bytes_left_;
};

}  // namespace

void add_go_functions(const ElfFile& file, SymbolTableBuilder& out) {
  if (const auto table = find_table(file))
    GoFunctions(file, *table).add_to(out);
}

}  // namespace wick
