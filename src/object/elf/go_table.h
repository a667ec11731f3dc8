// SPDX-License-Identifier: Apache-2.0
// The functions of a Go program, from the table that its runtime needs for
// stack traces and stripping leaves in place (.gopclntab). Every version since
// Go 1.2.
//
// The table begins with a header; numbers are as wide as a pointer:
//
//   magic (4 bytes) | 0 0 | least size of an instruction | size of a pointer
//   1.2:  functions
//   1.16: functions, files, names, units, file names, values, index
//   1.18: functions, files, text, names, units, file names, values, index
//
// Those from "names" on are offsets in the table. The index has a pair for each
// function, its address and the offset of its description, and at last where
// the code ends. Since 1.18 both are 32 bits and the address is relative to
// "text". Until 1.16 the index follows the header, and all offsets count from
// the beginning of the table; then, from "names", "values" and the index.
// (Go's sources: src/debug/gosym/pclntab.go, src/runtime/symtab.go.)
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace wick {

class ElfFile;

class GoTable {
 public:
  // Nothing if the file is not a Go program. Refers to the file.
  static std::optional<GoTable> find(const ElfFile& file);

  struct Function {
    std::uint64_t start = 0, end = 0;  // elf_addr
    std::uint64_t description = 0;     // its offset
  };
  std::uint64_t size() const { return size_; }
  // Requires row < size().
  Function function(std::uint64_t row) const;
  // The function with the byte at `elf_addr`, if the index is in order.
  std::optional<Function> function_at(std::uint64_t elf_addr) const;

  // With what follows: it ends at a NUL.
  std::string_view name(const Function& function) const;
  // How much its frame has on the stack, by address: a list of values as
  // src/runtime/symtab.go's pcvalue() reads it.
  ByteReader stack_sizes(const Function& function) const;
  // Whether the stack begins there: nothing called it, or it switches stacks
  // and its caller is on another (runtime.systemstack).
  bool is_root(const Function& function) const;

  std::string_view names() const { return names_; }

 private:
  explicit GoTable(const ElfFile& file) : file_(&file) {}
  // `bytes` begin with the table, and are at `elf_addr`.
  static std::optional<GoTable> read(const ElfFile& file,
                                     std::string_view bytes,
                                     std::uint64_t elf_addr);
  std::uint64_t start_of(std::uint64_t row) const;
  ByteReader fields(const Function& function) const;

  const ElfFile* file_;
  std::uint64_t size_ = 0;
  std::uint64_t text_ = 0;     // added to addresses
  std::uint32_t width_ = 8;    // of the numbers in the index
  std::uint32_t flag_at_ = 0;  // in a description; 0: there is none
  std::string_view names_, values_, index_, descriptions_;
};

}  // namespace wick
