// SPDX-License-Identifier: Apache-2.0
// How to get from a frame to its caller, for each address of a module: the rows
// of .eh_frame and .debug_frame as a sorted table of eight bytes a row
// (address, rule). Equal rules are kept once; a module has some hundred
// distinct ones.
//
// A recording hits a few percent of the functions of a large module, so rows
// are compiled a few functions at a time, on first use. .eh_frame_hdr, if it
// can be trusted, lists the functions; without it the sections are read once
// completely.
//
// Addresses are stored as 32-bit offsets from the lowest code address: code
// more than 4 GB above it is missing and counted as damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "object/unwind/unwind_rule.h"

namespace wick {

class ElfFile;

class UnwindTable {
 public:
  // Never fails: unreadable entries are omitted and counted.
  // `debug` (the separate debug file, for .debug_frame) may be null. Both are
  // kept. Memory is taken from file->memory(); code for which there is none has
  // no rules.
  static UnwindTable build(std::shared_ptr<const ElfFile> file,
                           std::shared_ptr<const ElfFile> debug);

  UnwindTable();
  UnwindTable(UnwindTable&&) noexcept;
  UnwindTable& operator=(UnwindTable&&) noexcept;
  ~UnwindTable();

  // The rule at an address, kNone if there is none. Lives as long as the table.
  // Thread-safe.
  const UnwindRule& find(std::uint64_t elf_addr) const;

  // Compiles everything that is not compiled yet.
  void compile_all(int workers) const;

  // Compiled so far.
  std::size_t rows() const;
  std::size_t rules() const;
  std::size_t damaged() const;  // entries that could not be compiled
  std::size_t bytes() const;    // of memory

  // Functions that have rules, compiled or not.
  std::size_t functions() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wick
