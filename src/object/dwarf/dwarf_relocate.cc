// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/dwarf_relocate.h"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <span>

#include "object/dwarf/dwarf_cursor.h"

namespace wick {
namespace {

class Relocator {
 public:
  Relocator(const ElfFile& elf, std::string bytes)
      : elf_(elf),
        types_(traits_of(elf.machine()).debug_relocations),
        bytes_(std::move(bytes)),
        little_(elf.is_little_endian()),
        swap_(little_ != (std::endian::native == std::endian::little)) {}

  void apply(const ElfFile::Section& relocations) {
    if (relocations.link >= elf_.sections().size()) return;
    symbols_ = elf_.bytes(elf_.sections()[relocations.link]);
    const bool with_addend = relocations.type == SHT_RELA;
    DwarfCursor in(elf_.bytes(relocations), swap_);
    const unsigned word = elf_.is_64() ? 8 : 4;
    while (!in.at_end()) {
      const std::uint64_t place = in.uint(word), info = in.uint(word);
      const std::uint64_t addend = with_addend ? in.uint(word) : 0;
      if (in.failed()) return;
      const std::uint64_t symbol = elf_.is_64() ? info >> 32 : info >> 8;
      const auto type = static_cast<std::uint32_t>(
          elf_.is_64() ? info & 0xffffffff : info & 0xff);
      const auto how = std::ranges::find(types_, type, &DebugRelocation::type);
      if (how == types_.end() || place > bytes_.size() ||
          bytes_.size() - place < how->size)
        continue;
      const std::uint64_t old = load(place, how->size);
      std::uint64_t value = symbol_value(symbol) + addend;
      switch (how->change) {
        case DebugRelocation::Change::kSet:
          if (!with_addend) value += old;
          break;
        case DebugRelocation::Change::kAdd:
          value = old + value;
          break;
        case DebugRelocation::Change::kSubtract:
          value = old - value;
          break;
      }
      store(place, how->size, value);
    }
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::uint64_t load(std::uint64_t place, unsigned size) const {
    return DwarfCursor(bytes_, swap_, place).uint(size);
  }
  void store(std::uint64_t place, unsigned size, std::uint64_t value) {
    for (unsigned i = 0; i < size; ++i)
      bytes_[place + i] =
          static_cast<char>(value >> (8 * (little_ ? i : size - 1 - i)));
  }

  std::uint64_t symbol_value(std::uint64_t index) const {
    const std::uint64_t size = elf_.is_64() ? 24 : 16;
    if (index >= symbols_.size() / size) return 0;
    DwarfCursor in(symbols_, swap_, index * size);
    std::uint64_t value = 0;
    std::uint16_t section = 0;
    if (elf_.is_64()) {
      in.skip(6);
      section = in.u16();
      value = in.u64();
    } else {
      in.skip(4);
      value = in.u32();
      in.skip(6);
      section = in.u16();
    }
    if (section == SHN_UNDEF || section >= elf_.sections().size()) return value;
    return value + address_in_relocatable(elf_.sections()[section]);
  }

  const ElfFile& elf_;
  std::span<const DebugRelocation> types_;
  std::string bytes_;
  std::string_view symbols_;
  bool little_, swap_;
};

}  // namespace

std::uint64_t address_in_relocatable(const ElfFile::Section& section) {
  if (section.address != 0 || (section.flags & SHF_ALLOC) == 0)
    return section.address;
  return section.offset;
}

std::optional<std::string> relocated_bytes(const ElfFile& elf,
                                           const ElfFile::Section& section) {
  const auto index =
      static_cast<std::uint64_t>(&section - elf.sections().data());
  std::optional<Relocator> relocator;
  for (const ElfFile::Section& other : elf.sections()) {
    if ((other.type != SHT_RELA && other.type != SHT_REL) ||
        other.info != index)
      continue;
    if (!relocator) relocator.emplace(elf, std::string(elf.bytes(section)));
    relocator->apply(other);
  }
  if (!relocator) return std::nullopt;
  return relocator->take();
}

}  // namespace wick
