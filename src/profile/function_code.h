// SPDX-License-Identifier: Apache-2.0
// A function as a disassembler prints it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/tables.h"

namespace wick {

struct FunctionCode {
  struct Instruction {
    std::uint32_t offset = 0;  // from the function's start
    std::string text;          // "mov    %rsp,%rbp"
  };
  ModuleId module = ModuleId::kUnknown;
  std::string name;
  std::uint64_t start = 0, size = 0;      // elf_addr, bytes
  std::vector<Instruction> instructions;  // ascending

  // Whether a frame of this module and address is in it.
  bool covers(const Frame& frame) const {
    return frame.module == module && frame.address >= start &&
           frame.address - start < size;
  }
};

}  // namespace wick
