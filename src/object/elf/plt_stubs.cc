// SPDX-License-Identifier: Apache-2.0
// A stub loads an address from a slot of the global offset table and jumps
// there; a relocation says which function's address the slot gets. So each stub
// is named by decoding the two or three instructions that address its slot.
// That holds for every linker and layout, unlike counting stubs, which differ
// in header, size and order (.plt.sec of x86, BTI of AArch64, mold).
#include "object/elf/plt_stubs.h"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "object/elf/elf_file.h"
#include "object/elf/symbol_table_builder.h"

namespace wick {
namespace {

constexpr std::size_t kMaxName = 1 << 16;
// Of all names together: a hostile file has one long name for every stub.
constexpr std::size_t kMaxNames = 32 << 20;

struct Slot {
  std::uint64_t address = 0;
  std::string_view name;
};

struct RelocationTypes {
  std::uint32_t jump_slot, global_data, indirect;
};

std::optional<RelocationTypes> relocation_types(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return RelocationTypes{R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT,
                             R_X86_64_IRELATIVE};
    case EM_AARCH64:
      return RelocationTypes{R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT,
                             R_AARCH64_IRELATIVE};
    case EM_RISCV:  // R_RISCV_64 fills plain slots; IRELATIVE is 58
      return RelocationTypes{R_RISCV_JUMP_SLOT, R_RISCV_64, 58};
    default:
      return {};
  }
}

// The names of dynamic symbols by index.
class DynamicNames {
 public:
  DynamicNames(const ElfFile& file, std::uint32_t table) : file_(file) {
    const auto sections = file.sections();
    if (table >= sections.size() || sections[table].link >= sections.size())
      return;
    symbols_ = file.bytes(sections[table]);
    names_ = file.bytes(sections[sections[table].link]);
  }

  std::string_view operator[](std::uint64_t index) const {
    if (index >= symbols_.size() / sizeof(Elf64_Sym)) return {};
    ByteReader in = file_.reader(symbols_.substr(index * sizeof(Elf64_Sym)));
    const auto at = in.read<std::uint32_t>();
    if (at == 0 || at >= names_.size()) return {};
    const std::string_view rest = names_.substr(at, kMaxName);
    return rest.substr(0, std::min(rest.find('\0'), rest.size()));
  }

 private:
  const ElfFile& file_;
  std::string_view symbols_, names_;
};

class StubNamer {
 public:
  StubNamer(const ElfFile& file, SymbolTableBuilder& out)
      : file_(file), out_(out) {}

  void run(const RelocationTypes& types) {
    for (const ElfFile::Section& section : file_.sections())
      if (section.type == SHT_RELA && (section.flags & SHF_ALLOC) != 0)
        read_relocations(section, types);
    if (slots_.empty()) return;
    std::ranges::sort(slots_, {}, &Slot::address);
    for (const ElfFile::Section& section : file_.sections())
      if ((section.flags & SHF_EXECINSTR) != 0 &&
          (section.name.starts_with(".plt") || section.name == ".iplt"))
        name_stubs(section);
    finish();
  }

 private:
  void read_relocations(const ElfFile::Section& section,
                        const RelocationTypes& types) {
    const DynamicNames names(file_, section.link);
    ByteReader in = file_.reader(file_.bytes(section));
    while (in.fits(1, sizeof(Elf64_Rela))) {
      const auto address = in.read<std::uint64_t>();
      const auto info = in.read<std::uint64_t>();
      const auto addend = in.read<std::uint64_t>();
      const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(info));
      std::string_view name;
      if (type == types.jump_slot || type == types.global_data)
        name = names[ELF64_R_SYM(info)];
      else if (type == types.indirect)
        name = name_at(addend);
      if (!name.empty()) slots_.push_back({address, name});
    }
  }

  // The function that chooses among implementations has the name of what it
  // chooses, and a local one ("strcpy_ifunc") besides.
  std::string_view name_at(std::uint64_t addr) {
    if (by_address_.empty())
      for (const SymbolCandidate& symbol : out_.symbols()) {
        const bool local = symbol.binding == SymbolBinding::kLocal;
        const auto [at, fresh] = by_address_.try_emplace(symbol.start, &symbol);
        if (!fresh && !local && at->second->binding == SymbolBinding::kLocal)
          at->second = &symbol;
      }
    const auto found = by_address_.find(addr);
    return found == by_address_.end() ? std::string_view()
                                      : found->second->name;
  }

  void name_stubs(const ElfFile::Section& section) {
    const std::string_view code = file_.bytes(section);
    switch (file_.machine()) {
      case EM_X86_64:
        return name_x86(code, section);
      case EM_AARCH64:
        return name_aarch64(code, section.address);
      default:
        return name_riscv(code, section.address);
    }
  }

  // Stubs of one size; in each `jmp *offset(%rip)` (ff 25 and the offset),
  // behind endbr64 and bnd where there are such.
  void name_x86(std::string_view code, const ElfFile::Section& section) {
    const std::size_t size = section.entry_size == 8 || section.entry_size == 16
                                 ? section.entry_size
                             : section.name == ".plt.got" ? 8
                                                          : 16;
    for (std::size_t at = 0; at + size <= code.size(); at += size) {
      const std::size_t jump = code.substr(at, size).find("\xff\x25");
      if (jump == code.npos || at + jump + 6 > code.size()) continue;
      const auto offset = little_endian<std::int32_t>(code, at + jump + 2);
      add(section.address + at,
          section.address + at + jump + 6 + static_cast<std::uint64_t>(offset),
          size);
    }
  }

  // adrp x16, page; ldr x17, [x16, #offset]; behind bti c where that is asked
  // for.
  void name_aarch64(std::string_view code, std::uint64_t address) {
    constexpr std::uint32_t kBti = 0xd503245f;
    for (std::size_t at = 0; at + 8 <= code.size(); at += 4) {
      const auto adrp = little_endian<std::uint32_t>(code, at);
      const auto ldr = little_endian<std::uint32_t>(code, at + 4);
      if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
        continue;
      const std::uint64_t pages = (adrp >> 29 & 3) | (adrp >> 5 & 0x7ffff) << 2;
      const std::uint64_t page =  // 21 bits and a sign
          ((address + at) & ~std::uint64_t{0xfff}) +
          (((pages ^ 0x100000) - 0x100000) << 12);
      const bool bti =
          at >= 4 && little_endian<std::uint32_t>(code, at - 4) == kBti;
      add(address + at - (bti ? 4 : 0), page + (ldr >> 10 & 0xfff) * 8,
          bti ? 24 : 16);
    }
  }

  // auipc t3, high; ld t3, low(t3)
  void name_riscv(std::string_view code, std::uint64_t address) {
    for (std::size_t at = 0; at + 8 <= code.size(); at += 4) {
      const auto auipc = little_endian<std::uint32_t>(code, at);
      const auto load = little_endian<std::uint32_t>(code, at + 4);
      if ((auipc & 0xfff) != 0xe17 || (load & 0xfffff) != 0xe3e03) continue;
      const auto high = static_cast<std::int32_t>(auipc & 0xfffff000);
      const auto low = static_cast<std::int32_t>(load) >> 20;
      add(address + at,
          address + at + static_cast<std::uint64_t>(std::int64_t{high} + low),
          16);
    }
  }

  // Instructions are little-endian whatever the data is.
  template <class T>
  static T little_endian(std::string_view code, std::size_t at) {
    return ByteReader(code.substr(at), std::endian::native == std::endian::big)
        .read<T>();
  }

  void add(std::uint64_t stub, std::uint64_t slot, std::uint64_t size) {
    const auto found =
        std::ranges::lower_bound(slots_, slot, {}, &Slot::address);
    if (found == slots_.end() || found->address != slot) return;
    if (names_.size() > kMaxNames) return;
    stubs_.push_back({stub, size, names_.size()});
    (names_ += found->name) += "@plt";
  }

  void finish() {
    const auto names = std::make_shared<const std::string>(std::move(names_));
    for (std::size_t i = 0; i < stubs_.size(); ++i) {
      const std::size_t end =
          i + 1 < stubs_.size() ? stubs_[i + 1].name_at : names->size();
      out_.add({.start = stubs_[i].start,
                .size = stubs_[i].size,
                .name = std::string_view(*names).substr(
                    stubs_[i].name_at, end - stubs_[i].name_at)});
    }
    out_.keep(names);
  }

  struct Stub {
    std::uint64_t start, size;
    std::size_t name_at;
  };

  const ElfFile& file_;
  SymbolTableBuilder& out_;
  std::vector<Slot> slots_;
  absl::flat_hash_map<std::uint64_t, const SymbolCandidate*> by_address_;
  std::vector<Stub> stubs_;
  std::string names_;  // of stubs, one behind the other
};

}  // namespace

void add_plt_stubs(const ElfFile& file, SymbolTableBuilder& out) {
  const auto types = relocation_types(file.machine());
  if (types && file.is_64()) StubNamer(file, out).run(*types);
}

}  // namespace wick
