// SPDX-License-Identifier: Apache-2.0
// The instructions of hot functions, printed by objdump.
//
// objdump is a disassembler for every architecture that people profile, which
// wick neither wants to be nor to link. It reads files that a profile names, so
// it gets one only if its build id is the recorded one, through a handle that
// open_regular() made (see DebugFiles), and as its standard input: no name from
// the profile reaches its command line, and there is no shell. What it may use
// and print is limited, and what it prints is text from elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/format.h"
#include "profile/function_code.h"
#include "profile/profile.h"

namespace wick {

// Fails unless objdump can be run.
void check_disassembler();

struct Disassembly {
  std::vector<FunctionCode> functions;  // heaviest first
  // Why hot functions are missing, for people.
  std::vector<std::string> problems;
};

// The functions in which samples ended, as far as frames have addresses.
Disassembly disassemble(const Profile& profile, const SymbolOptions& symbols);

// The instructions in what objdump prints for a function, without those outside
// of it.
std::vector<FunctionCode::Instruction> parse_instructions(
    std::string_view printed, std::uint64_t start, std::uint64_t size);

}  // namespace wick
