// SPDX-License-Identifier: Apache-2.0
// Functions of a module by address, from .symtab, .dynsym, .gnu_debugdata, PLT
// stubs ("memcpy@plt") and, for kernels, kallsyms. One symbol per address: of
// several, the best name wins by perf's rules.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

class ElfFile;

struct Symbol {
  std::uint64_t start = 0;  // elf_addr
  std::uint64_t size = 0;   // to the next symbol if the file has 0
  std::string_view name;    // as in the file: mangled
};

class SymbolTable {
 public:
  SymbolTable() = default;
  SymbolTable(SymbolTable&&) noexcept = default;
  SymbolTable& operator=(SymbolTable&&) noexcept = default;

  // All functions of `file` and of its separate debug file `debug`, which may
  // be null. Names point into the bytes of the two, which must outlive the
  // table.
  //
  // A relocatable file (a kernel module, *.ko) has no addresses yet: symbols
  // have their offset in the file.
  static SymbolTable from_elf(const ElfFile& file, const ElfFile* debug);

  // The symbol that covers the address, the innermost if they are nested, or
  // null.
  const Symbol* find(std::uint64_t elf_addr) const;

  // The symbol of a frame whose return address is `elf_addr` + 1. Like find(),
  // but some frames continue at the first byte of a function that has called
  // nothing: a signal handler returns to one, and the kernel may be interrupted
  // there (the padding before its functions, which never runs, has symbols
  // named
  // __pfx_).
  const Symbol* find_caller(std::uint64_t elf_addr) const;

  std::size_t size() const { return symbols_.size(); }
  auto begin() const { return symbols_.begin(); }
  auto end() const { return symbols_.end(); }

 private:
  friend class SymbolTableBuilder;
  std::vector<Symbol> symbols_;  // by start
  // For each symbol the nearest one before it that ends after it; empty if no
  // two overlap.
  std::vector<std::uint32_t> around_;
  std::vector<std::shared_ptr<const void>> owners_;  // of what names point into
};

}  // namespace wick
