// SPDX-License-Identifier: Apache-2.0
// The kernel's list of its functions, /proc/kallsyms or a copy: an address, a
// letter for the kind, a name, and the module's name in brackets.
//
//   ffffffff81000000 T _stext
//   ffffffffc0a01000 t nft_do_chain	[nf_tables]
#pragma once

#include <algorithm>
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

  // All functions have address 0, as users other than root see them (sysctl
  // kernel.kptr_restrict). The tables are then empty.
  bool addresses_hidden() const { return addresses_hidden_; }

  // Where the kernel's code begins at run time: _text, else _stext, else 0.
  std::uint64_t kernel_start() const { return kernel_start_; }

  // Functions at their runtime addresses.
  const SymbolTable& kernel() const { return kernel_; }
  // For a caller that needs nothing else.
  SymbolTable take_kernel() { return std::move(kernel_); }
  // `name` without brackets; null if there is no such module.
  const SymbolTable* module(std::string_view name) const;

  struct Module {
    std::string_view name;  // lives as long as `symbols`
    SymbolTable symbols;
  };
  const std::vector<Module>& modules() const { return modules_; }  // by name

  // Lines that do not have this form.
  std::size_t damaged_lines() const { return damaged_lines_; }

 private:
  SymbolTable kernel_;
  std::vector<Module> modules_;
  std::uint64_t kernel_start_ = 0;
  std::size_t damaged_lines_ = 0;
  bool addresses_hidden_ = false;
};

}  // namespace wick
