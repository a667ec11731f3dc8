// SPDX-License-Identifier: Apache-2.0
// How to get from a frame to its caller, for each address of a module: the rows
// of .eh_frame, .debug_frame (and, for what has neither, nothing), compiled
// once into a sorted table of small fixed rows. Rules that do not fit a row
// (expressions, rare registers) stand in a side table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace wick {

class ElfFile;

class UnwindTable {
 public:
  // Never fails: what cannot be read is missing from the table and counted.
  // `debug` (the separate debug file, for .debug_frame) may be null.
  static UnwindTable build(const ElfFile& file, const ElfFile* debug);

  UnwindTable();
  UnwindTable(UnwindTable&&) noexcept;
  UnwindTable& operator=(UnwindTable&&) noexcept;
  ~UnwindTable();

  std::size_t rows() const;
  std::size_t damaged() const;  // entries that could not be compiled
  std::size_t bytes() const;    // of memory

 private:
  friend class Unwinder;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wick
