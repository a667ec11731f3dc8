// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/fireperf_labels.h"

#include <elf.h>

#include <algorithm>
#include <iterator>

#include "object/dwarf/top_functions.h"

namespace wick {
namespace {

// In a crafted file, many names are the rest of one long string.
constexpr std::size_t kMaxLabel = 1 << 12;

struct FirePerfEntry {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // 0: where the next entry begins
  std::string_view name;
  bool is_function = true;
};
using FirePerfEntries = std::vector<FirePerfEntry>;

// The first one at an address counts.
void sort_entries(FirePerfEntries& entries) {
  std::ranges::stable_sort(entries, {}, &FirePerfEntry::begin);
  const auto rest = std::ranges::unique(entries, {}, &FirePerfEntry::begin);
  entries.erase(rest.begin(), rest.end());
}

FirePerfEntries functions_in_dwarf(const CodeImage& image, int workers) {
  FirePerfEntries entries;
  if (!image.elf->has_debug_info()) return entries;
  for (const TopFunction& function : top_functions(image.elf, workers))
    entries.push_back({.begin = function.begin,
                       .end = function.end,
                       .name = function.name.substr(0, kMaxLabel)});
  sort_entries(entries);
  return entries;
}

// Whether the last function that does not begin behind it covers the address.
bool is_covered(const FirePerfEntries& functions, std::uint64_t address) {
  const auto next =
      std::ranges::upper_bound(functions, address, {}, &FirePerfEntry::begin);
  if (next == functions.begin()) return false;
  const FirePerfEntry& last = *std::prev(next);
  return last.begin == address || address < last.end;
}

struct ElfSymbol {
  std::uint64_t value = 0;
  std::uint32_t name = 0;  // its offset in the table of names
  std::uint16_t section = 0;
  bool is_function = false;
};

ElfSymbol read_symbol(ByteReader& in, bool is_64) {
  ElfSymbol symbol;
  symbol.name = in.read<std::uint32_t>();
  if (!is_64) {
    symbol.value = in.read<std::uint32_t>();
    in.read<std::uint32_t>();  // the size
  }
  symbol.is_function = (in.read<std::uint8_t>() & 15) == STT_FUNC;
  in.read<std::uint8_t>();
  symbol.section = in.read<std::uint16_t>();
  if (is_64) {
    symbol.value = in.read<std::uint64_t>();
    in.read<std::uint64_t>();
  }
  return symbol;
}

// Appends the symbols that no function covers.
void add_symbols(const ElfFile& elf, FirePerfEntries& entries) {
  const auto sections = elf.sections();
  const auto table =
      std::ranges::find(sections, SHT_SYMTAB, &ElfFile::Section::type);
  if (table == sections.end() || table->link >= sections.size()) return;
  const std::string_view names = elf.bytes(sections[table->link]);
  const FirePerfEntries functions = entries;
  const std::size_t size = elf.is_64() ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
  ByteReader in = elf.reader(elf.bytes(*table));
  while (in.fits(1, size)) {
    const ElfSymbol symbol = read_symbol(in, elf.is_64());
    if (symbol.section >= sections.size() || symbol.name >= names.size() ||
        (sections[symbol.section].flags & SHF_EXECINSTR) == 0 ||
        is_covered(functions, symbol.value))
      continue;
    const auto name = until_nul(names.substr(symbol.name, kMaxLabel));
    if (!name.empty())
      entries.push_back({.begin = symbol.value,
                         .name = name,
                         .is_function = symbol.is_function});
  }
  sort_entries(entries);
}

// Where the last symbol ends.
std::uint64_t text_end(const CodeImage& image) {
  std::uint64_t end = 0;
  if (image.elf != nullptr)
    for (const ElfFile::Section& section : image.elf->sections())
      if ((section.flags & SHF_EXECINSTR) != 0 &&
          section.address + section.size > section.address)
        end = std::max(end, section.address + section.size);
  return end != 0 ? end : image.text_end;
}

}  // namespace

FirePerfLabels::FirePerfLabels(const CodeImage& image, int workers) {
  FirePerfEntries entries;
  if (image.elf != nullptr) {
    entries = functions_in_dwarf(image, workers);
    add_symbols(*image.elf, entries);
  }
  // A System.map, or a file without both, of which FirePerf knows nothing.
  if (entries.empty())
    for (const Symbol& symbol : image.symbols())
      entries.push_back({.begin = symbol.start, .name = symbol.name});

  std::uint64_t limit = text_end(image);
  for (const FirePerfEntry& entry : entries) limit = std::max(limit, entry.end);
  std::uint64_t covered = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [begin, written_end, name, is_function] = entries[i];
    if (begin < covered) continue;
    if (begin >= limit) break;
    std::uint64_t end = std::max(written_end, begin + 1);
    if (written_end == 0)
      end = i + 1 < entries.size() ? std::min(entries[i + 1].begin, limit)
                                   : limit;
    if (begin > covered) spans_.push_back({.begin = covered, .end = begin});
    spans_.push_back({begin, end, name, is_function});
    covered = end;
  }
  spans_.push_back({.begin = covered, .end = UINT64_MAX});
}

const FirePerfLabels::Span& FirePerfLabels::at(std::uint64_t elf_addr) const {
  return *std::prev(
      std::ranges::upper_bound(spans_, elf_addr, {}, &Span::begin));
}

}  // namespace wick
