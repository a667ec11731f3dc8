// SPDX-License-Identifier: Apache-2.0
// How to get from a frame to its caller, for each address of a module: the rows
// of .eh_frame and .debug_frame as a sorted table of eight bytes a row
// (address, rule). Equal rules are kept once; a module has some hundred
// distinct ones.
//
// A recording meets a few percent of the functions of a large module, so rows
// are compiled a few functions at a time, when the first of them is asked for.
// .eh_frame_hdr, where it can be trusted, says which functions there are;
// without it the sections are read once from end to end.
//
// Addresses are kept as 32 bits from the lowest code address on: what lies
// 4 GB behind it is missing and counted as damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "object/unwind/unwind_rule.h"

namespace wick {

class ElfFile;

class UnwindTable {
 public:
  // Never fails: what cannot be read is missing from the table and counted.
  // `debug` (the separate debug file, for .debug_frame) may be null. Both are
  // kept open.
  static UnwindTable build(std::shared_ptr<const ElfFile> file,
                           std::shared_ptr<const ElfFile> debug);

  UnwindTable();
  UnwindTable(UnwindTable&&) noexcept;
  UnwindTable& operator=(UnwindTable&&) noexcept;
  ~UnwindTable();

  // The rule at an address, kNone if there is none. Lives as long as the table.
  // May be asked from several threads at once.
  const UnwindRule& find(std::uint64_t elf_addr) const;

  // Compiles what was not asked for yet.
  void compile_all(int workers) const;

  // Of what is compiled so far.
  std::size_t rows() const;
  std::size_t rules() const;
  std::size_t damaged() const;  // entries that could not be compiled
  std::size_t bytes() const;    // of memory

  // How many functions have rules, compiled or not.
  std::size_t functions() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wick
