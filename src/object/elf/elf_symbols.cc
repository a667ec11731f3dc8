// SPDX-License-Identifier: Apache-2.0
// SymbolTable::from_elf: which entries of an ELF file's symbol tables are
// functions. The rules are those of perf (dso__load_sym_internal in
// tools/perf/util/symbol-elf.c), so that names agree.
#include <elf.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "io/xz.h"
#include "object/elf/elf_file.h"
#include "object/elf/go_functions.h"
#include "object/elf/plt_stubs.h"
#include "object/elf/symbol_table_builder.h"

namespace wick {
namespace {

constexpr std::uint64_t kMaxMiniDebug = std::uint64_t{1} << 30;

struct RawSymbol {
  std::uint32_t name = 0;
  std::uint8_t info = 0, other = 0;
  std::uint16_t section = 0;
  std::uint64_t value = 0, size = 0;
};

RawSymbol read_symbol(ByteReader& in, bool is_64) {
  RawSymbol s;
  s.name = in.read<std::uint32_t>();
  if (!is_64) {
    s.value = in.read<std::uint32_t>();
    s.size = in.read<std::uint32_t>();
  }
  s.info = in.read<std::uint8_t>();
  s.other = in.read<std::uint8_t>();
  s.section = in.read<std::uint16_t>();
  if (is_64) {
    s.value = in.read<std::uint64_t>();
    s.size = in.read<std::uint64_t>();
  }
  return s;
}

SymbolBinding binding_of(const RawSymbol& symbol) {
  switch (ELF64_ST_BIND(symbol.info)) {
    case STB_GLOBAL:
      return SymbolBinding::kGlobal;
    case STB_WEAK:
      return SymbolBinding::kWeak;
    default:
      return SymbolBinding::kLocal;
  }
}

// An assembler's local label (.L1) or mapping symbol ($x).
bool is_marker(std::string_view name, const MachineTraits& machine) {
  return name.starts_with(".L") || (machine.is_mapping_symbol != nullptr &&
                                    machine.is_mapping_symbol(name));
}

class SymbolReader {
 public:
  SymbolReader(const ElfFile& file, SymbolTableBuilder& out)
      : file_(file), out_(out), machine_(traits_of(file.machine())) {
    for (const ElfFile::Section& s : file.sections()) {
      const bool loaded = (s.flags & SHF_ALLOC) != 0;
      const bool code = loaded && (s.flags & SHF_EXECINSTR) != 0;
      // In a relocatable file sections have no address yet.
      const bool placed = file.type() != ET_REL;
      places_.push_back({.base = placed ? 0 : s.offset,
                         .end = (placed ? s.address : s.offset) + s.size,
                         .loaded = loaded,
                         .code = code});
    }
  }

  void read_table(const ElfFile::Section& table) {
    if (table.link >= file_.sections().size()) return;
    read(file_.bytes(table), file_.bytes(file_.sections()[table.link]));
  }

  // A file without section headers still has its symbols' place for the loader.
  void read_dynamic_segment();

  void read(std::string_view symbols, std::string_view names) {
    const bool is_64 = file_.is_64();
    const std::size_t size = is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    out_.reserve(symbols.size() / size);
    for (; symbols.size() >= size; symbols.remove_prefix(size)) {
      ByteReader in = file_.reader(symbols.substr(0, size));
      add(read_symbol(in, is_64), names);
    }
  }

 private:
  struct Place {
    std::uint64_t base, end;  // added to values; where the section ends
    bool loaded, code;
  };

  void add(const RawSymbol& symbol, std::string_view names) {
    const int type = ELF64_ST_TYPE(symbol.info);
    const bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (!function && type != STT_NOTYPE && type != STT_OBJECT) return;
    if (symbol.name == 0 || symbol.name >= names.size()) return;
    if (symbol.section == SHN_UNDEF || symbol.section == SHN_ABS ||
        symbol.section == SHN_COMMON)
      return;
    SymbolCandidate out{.start = symbol.value,
                        .size = symbol.size,
                        .binding = binding_of(symbol)};
    bool code = false;
    if (symbol.section < places_.size()) {
      const Place& place = places_[symbol.section];
      if (!place.loaded) return;
      code = place.code;
      out.start += place.base;
      out.limit = place.end;
    } else {
      code = in_code_segment(symbol.value);
    }
    if (!function && !code) return;
    const int visibility = ELF64_ST_VISIBILITY(symbol.other);
    if (type == STT_NOTYPE &&
        (visibility == STV_HIDDEN || visibility == STV_INTERNAL))
      return;
    names.remove_prefix(symbol.name);
    names = names.substr(0, kMaxSymbolName);
    out.name = until_nul(names);
    if (out.name.empty() || is_marker(out.name, machine_)) return;
    out_.add(out);
  }

  std::uint64_t count_by_hash(std::uint64_t addr) const;
  std::uint64_t count_by_gnu_hash(std::uint64_t addr) const;

  bool in_code_segment(std::uint64_t addr) const {
    for (const ElfFile::Segment& s : file_.segments())
      if (s.type == PT_LOAD && (s.flags & PF_X) != 0 && addr >= s.address &&
          addr - s.address < s.memory_size)
        return true;
    return false;
  }

  const ElfFile& file_;
  SymbolTableBuilder& out_;
  const MachineTraits& machine_;
  std::vector<Place> places_;
};

void SymbolReader::read_dynamic_segment() {
  const auto segments = file_.segments();
  const auto dynamic = std::ranges::find(segments, std::uint32_t{PT_DYNAMIC},
                                         &ElfFile::Segment::type);
  if (dynamic == segments.end()) return;
  ByteReader in =
      file_.reader(file_.bytes_at(dynamic->address, dynamic->file_size));
  const auto word = [&] {
    return file_.is_64() ? in.read<std::uint64_t>() : in.read<std::uint32_t>();
  };
  std::uint64_t symbols = 0, names = 0, names_size = 0, hash = 0, gnu_hash = 0;
  while (!in.at_end()) {
    const std::uint64_t tag = word(), value = word();
    if (tag == DT_NULL) break;
    if (tag == DT_SYMTAB) symbols = value;
    if (tag == DT_STRTAB) names = value;
    if (tag == DT_STRSZ) names_size = value;
    if (tag == DT_HASH) hash = value;
    if (tag == DT_GNU_HASH) gnu_hash = value;
  }
  const std::uint64_t count =
      hash != 0 ? count_by_hash(hash) : count_by_gnu_hash(gnu_hash);
  const std::uint64_t size =
      file_.is_64() ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
  read(file_.bytes_at(symbols, count * size),
       file_.bytes_at(names, names_size));
}

// A file does not have the number of dynamic symbols, but hash tables reach the
// last one. In DT_HASH it is the second number.
std::uint64_t SymbolReader::count_by_hash(std::uint64_t addr) const {
  ByteReader in = file_.reader(file_.bytes_at(addr, 8));
  in.read<std::uint32_t>();
  return in.read<std::uint32_t>();
}

// In DT_GNU_HASH a bucket has the first symbol of a chain, and the hash of the
// chain's last symbol is odd.
std::uint64_t SymbolReader::count_by_gnu_hash(std::uint64_t addr) const {
  ByteReader in = file_.reader(file_.bytes_at(addr, UINT64_MAX));
  const auto buckets = in.read<std::uint32_t>();
  const auto first = in.read<std::uint32_t>();
  const std::uint64_t blooms = in.read<std::uint32_t>();
  in.read<std::uint32_t>();
  in.read_bytes(blooms * (file_.is_64() ? 8 : 4));
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < buckets && !in.failed(); ++i)
    last = std::max(last, in.read<std::uint32_t>());
  if (in.failed() || last < first) return first;
  in.read_bytes(std::uint64_t{last - first} * 4);
  while (!in.failed() && (in.read<std::uint32_t>() & 1) == 0) ++last;
  return std::uint64_t{last} + 1;
}

void read_tables(const ElfFile& file, SymbolTableBuilder& out) {
  SymbolReader reader(file, out);
  for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM})
    for (const ElfFile::Section& section : file.sections())
      if (section.type == type) reader.read_table(section);
  if (file.sections().empty()) reader.read_dynamic_segment();
}

bool has_symbols(const ElfFile& file) {
  return std::ranges::any_of(file.sections(),
                             [](const ElfFile::Section& section) {
                               return section.type == SHT_SYMTAB;
                             });
}

// .gnu_debugdata: an embedded ELF file, compressed with xz, that has the
// symbols missing from .dynsym.
void read_mini_debug(const ElfFile& file, SymbolTableBuilder& out) {
  const std::string_view packed = file.bytes(".gnu_debugdata");
  if (packed.empty()) return;
  try {
    const std::uint64_t most =
        packed.size() * ElfFile::kMaxGrowth + ElfFile::kLeastMemory;
    const auto inner = ElfFile::from_memory(
        file.name(), xz_decompress(packed, std::min(most, kMaxMiniDebug)));
    read_tables(*inner, out);
    out.keep(inner);
  } catch (const Error&) {
    // Damaged; the symbols of the other tables remain.
  }
}

}  // namespace

SymbolTable SymbolTable::from_elf(const ElfFile& file, const ElfFile* debug) {
  SymbolTableBuilder out;
  // The debug file of a relocatable file has sections at other offsets.
  if (debug != nullptr && file.type() != ET_REL) read_tables(*debug, out);
  read_tables(file, out);
  read_mini_debug(file, out);
  remove_go_suffixes(file, out);
  // Symbols have the same names.
  if (!has_symbols(file) && (debug == nullptr || !has_symbols(*debug)))
    add_go_functions(file, out);
  add_plt_stubs(file, out);
  return out.build();
}

}  // namespace wick
