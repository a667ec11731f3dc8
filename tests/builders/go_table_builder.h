// SPDX-License-Identifier: Apache-2.0
// For tests: a Go program's table of functions in a few lines.
//
//   GoTableBuilder{.functions = {{0x20, "main.main"}}, .end = 0x80}.bytes()
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "builders/elf_builder.h"

namespace wick {

struct GoTableBuilder {
  enum Version { k12, k116, k118, k120 };
  static constexpr std::uint64_t kText = 0x401000, kTable = 0x500000;

  struct Function {
    std::uint64_t start;  // after kText
    std::string name;
    std::string stack_sizes = "";  // pairs of varints, and a 0
    int flags = 0;
  };

  Version version = k118;
  int pointer = 8;  // its size
  std::uint64_t text = kText;
  std::vector<Function> functions = {
      {0, "runtime.text"}, {0x20, "main.spin"}, {0x60, "main.main"}};
  std::uint64_t end = 0x80;      // of the last function, after kText
  std::string name_of_all = "";  // instead of theirs

  std::string bytes() const;

  // With 128 bytes of code at kText, and `table` at kTable.
  static ElfBuilder program(const std::string& table,
                            const std::string& section = ".gopclntab");
};

}  // namespace wick
