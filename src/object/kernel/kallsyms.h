// SPDX-License-Identifier: Apache-2.0
// The running kernel's own list of its functions, /proc/kallsyms, or a copy of
// it: an address, a letter for the kind, a name, and for modules theirs in
// brackets.
//
//   ffffffff81000000 T _stext
//   ffffffffc0a01000 t nft_do_chain	[nf_tables]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "object/elf/symbol_table.h"

namespace wick {

class Kallsyms {
 public:
  // Fails (wick::Error) if the file cannot be read.
  static Kallsyms open(const std::string& path = "/proc/kallsyms");
  static Kallsyms from_text(std::string text);

  // There are functions, but all at address 0: who is not root sees them so
  // (sysctl kernel.kptr_restrict). The tables are empty then.
  bool addresses_hidden() const { return addresses_hidden_; }

  // Where the kernel's code begins at run time: _text, else _stext, else 0.
  std::uint64_t kernel_start() const { return kernel_start_; }

  // Functions at their runtime addresses.
  const SymbolTable& kernel() const { return kernel_; }
  // For one who wants nothing else.
  SymbolTable take_kernel() { return std::move(kernel_); }
  // `name` without brackets; null if there is no such module.
  const SymbolTable* module(std::string_view name) const;

  struct Module {
    std::string_view name;  // lives as long as `symbols`
    SymbolTable symbols;
  };
  const std::vector<Module>& modules() const { return modules_; }  // by name

  // Lines that are not of this form.
  std::size_t damaged_lines() const { return damaged_lines_; }

 private:
  SymbolTable kernel_;
  std::vector<Module> modules_;
  std::uint64_t kernel_start_ = 0;
  std::size_t damaged_lines_ = 0;
  bool addresses_hidden_ = false;
};

}  // namespace wick
