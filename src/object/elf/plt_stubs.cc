// SPDX-License-Identifier: Apache-2.0
// A stub loads an address from a slot of the global offset table and jumps
// there; a relocation has the function whose address fills the slot. So a stub
// is named by decoding the two or three instructions that address its slot.
// This works for every linker and layout, unlike counting stubs, which differ
// in header, size and order (.plt.sec of x86, BTI of AArch64, mold).
#include "object/elf/plt_stubs.h"

#include <elf.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "object/elf/elf_file.h"
#include "object/elf/symbol_table_builder.h"

namespace wick {
namespace {

constexpr std::size_t kMaxStubName = 1 << 16;
// All names together: a hostile file may have one long name for every stub.
constexpr std::size_t kMaxStubNames = 32 << 20;
// Linkers write a handful of sections with stubs and of those with their
// relocations; in a crafted file thousands are the same bytes.
constexpr int kMaxStubSections = 16;

struct Slot {
  std::uint64_t address = 0;
  std::string_view name;  // up to its NUL, which need not be the end
};

// The names of dynamic symbols by index, each with what follows its NUL: most
// are never used, and a crafted file has a long one for every relocation.
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
    return names_[at] == '\0' ? std::string_view()
                              : names_.substr(at, kMaxStubName);
  }

 private:
  const ElfFile& file_;
  std::string_view symbols_, names_;
};

class StubNamer {
 public:
  StubNamer(const ElfFile& file, SymbolTableBuilder& out)
      : file_(file), out_(out), plt_(traits_of(file.machine()).plt) {}

  void run() {
    int left = kMaxStubSections;
    for (const ElfFile::Section& section : file_.sections())
      if (section.type == SHT_RELA && (section.flags & SHF_ALLOC) != 0 &&
          left-- > 0)
        read_relocations(section);
    if (slots_.empty()) return;
    std::ranges::sort(slots_, {}, &Slot::address);
    left = kMaxStubSections;
    for (const ElfFile::Section& section : file_.sections())
      if ((section.flags & SHF_EXECINSTR) != 0 &&
          (section.name.starts_with(".plt") || section.name == ".iplt") &&
          left-- > 0)
        name_stubs(section);
    finish();
  }

 private:
  void read_relocations(const ElfFile::Section& section) {
    const DynamicNames names(file_, section.link);
    ByteReader in = file_.reader(file_.bytes(section));
    while (in.fits(1, sizeof(Elf64_Rela))) {
      const auto address = in.read<std::uint64_t>();
      const auto info = in.read<std::uint64_t>();
      const auto addend = in.read<std::uint64_t>();
      const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(info));
      std::string_view name;
      if (type == plt_.jump_slot || type == plt_.global_data)
        name = names[ELF64_R_SYM(info)];
      else if (type == plt_.indirect)
        name = name_at(addend);
      if (!name.empty()) slots_.push_back({address, name});
    }
  }

  // A resolver, which chooses among implementations, has the name of what it
  // chooses and a local one ("strcpy_ifunc").
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
    for (const PltStub& stub : plt_.find_stubs({.name = section.name,
                               .code = file_.bytes(section),
                               .address = section.address,
                               .entry_size = section.entry_size}))
      add(stub);
  }

  void add(const PltStub& stub) {
    const auto found =
        std::ranges::lower_bound(slots_, stub.slot, {}, &Slot::address);
    if (found == slots_.end() || found->address != stub.slot) return;
    if (names_.size() > kMaxStubNames) return;
    stubs_.push_back({stub.start, stub.size, names_.size()});
    (names_ += until_nul(found->name)) += "@plt";
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

  struct NamedStub {
    std::uint64_t start, size;
    std::size_t name_at;
  };

  const ElfFile& file_;
  SymbolTableBuilder& out_;
  const Plt& plt_;
  std::vector<Slot> slots_;
  absl::flat_hash_map<std::uint64_t, const SymbolCandidate*> by_address_;
  std::vector<NamedStub> stubs_;
  std::string names_;  // of stubs, concatenated
};

}  // namespace

void add_plt_stubs(const ElfFile& file, SymbolTableBuilder& out) {
  if (file.is_64() && traits_of(file.machine()).plt.find_stubs != nullptr)
    StubNamer(file, out).run();
}

}  // namespace wick
