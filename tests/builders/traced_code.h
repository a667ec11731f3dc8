// SPDX-License-Identifier: Apache-2.0
// For tests: code of a few functions, and traces through it as text.
//
//   TracedCode code;
//   code.function("main", "nop call nop ret");
//   code.function("work", "nop ret");
//   TraceBlock block = code.trace("main:0-1 work:0-1 main:2");
//
// Instructions have four bytes. "call", "ret", "j", "beq", "jr", "jalr",
// "ecall", "sret", "mret", "wfi", "csrw", "callt0", "rett0" are what they are
// named after; targets play no part, but "call>work" and "j>work" lead to a
// function that was added before. "li139" chooses the system call that ends a
// signal. A function whose name begins with "k_" is
// the kernel's, with "m_" the SBI's; so are those that Linux and OpenSBI have.
// With "o_", it is another program's.
// "k_init#2" is another function of the name k_init, "k_init#0" code without a
// symbol, "k_entry:" a label.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "itrace/code/code_map.h"
#include "itrace/formats/instruction.h"

namespace wick {

class TracedCode {
 public:
  void function(const std::string& name, std::string_view instructions);

  // "main:3" is the fourth instruction of main, "main:0-2" are three of them.
  // "!" before one: a trap was taken there instead. "@100" is the cycle of the
  // next one, "+0" how much later each following one is (1 at first).
  TraceBlock trace(std::string_view text) const;
  // The instruction words of a block of trace().
  std::vector<std::uint32_t> bits(const TraceBlock& block) const;

  // As files at their places; or, without text, as one System.map.
  void add_to(CodeMap& map) const;
  void add_as_system_map(CodeMap& map) const;

 private:
  enum Part { kUser, kOther, kKernel, kMachine };
  struct Function {
    std::string name;
    std::uint64_t start = 0;
    std::vector<std::uint32_t> words;
  };
  std::vector<Function> parts_[4];
  std::map<std::string, std::uint64_t, std::less<>> starts_;
  std::map<std::uint64_t, std::uint32_t> words_;
};

}  // namespace wick
