// SPDX-License-Identifier: Apache-2.0
// check_flow TRACE: does every instruction follow from the one before? A branch
// goes on behind it or to its target, a jump to its target, whatever is
// indirect or returns from a trap anywhere, all else straight on. Only traps
// are exceptions, and these lead to where marked traps lead. Prints what is not
// so; ends with 1 then.
#include <fmt/format.h>

#include <map>
#include <set>

#include "base/error.h"
#include "itrace/formats/trace_reader.h"

namespace wick {
namespace {

std::uint64_t bits_at(std::uint32_t word, int from, int count, int to) {
  return static_cast<std::uint64_t>(word >> from & ((1u << count) - 1)) << to;
}
std::uint64_t extended(std::uint64_t value, int bits) {
  return static_cast<std::uint64_t>(
      static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits));
}

bool follows(std::uint64_t pc, std::uint32_t word, std::uint64_t next) {
  const bool straight = next == pc + ((word & 3) == 3 ? 4 : 2);
  const std::uint32_t top = word >> 13 & 7;
  if ((word & 3) == 3) {
    switch (word & 0x7f) {
      case 0x63:
        return straight || next == pc + extended(bits_at(word, 31, 1, 12) |
                                                     bits_at(word, 7, 1, 11) |
                                                     bits_at(word, 25, 6, 5) |
                                                     bits_at(word, 8, 4, 1),
                                                 13);
      case 0x6f:
        return next == pc + extended(bits_at(word, 31, 1, 20) |
                                         bits_at(word, 12, 8, 12) |
                                         bits_at(word, 20, 1, 11) |
                                         bits_at(word, 21, 10, 1),
                                     21);
      case 0x67:
        return true;
      case 0x73:
        return straight || word == 0x10200073 || word == 0x30200073;
      default:
        return straight;
    }
  }
  if ((word & 3) == 1 && top == 5)
    return next ==
           pc + extended(bits_at(word, 12, 1, 11) | bits_at(word, 11, 1, 4) |
                             bits_at(word, 9, 2, 8) | bits_at(word, 8, 1, 10) |
                             bits_at(word, 7, 1, 6) | bits_at(word, 6, 1, 7) |
                             bits_at(word, 3, 3, 1) | bits_at(word, 2, 1, 5),
                         12);
  if ((word & 3) == 1 && top >= 6)
    return straight || next == pc + extended(bits_at(word, 12, 1, 8) |
                                                 bits_at(word, 10, 2, 3) |
                                                 bits_at(word, 5, 2, 6) |
                                                 bits_at(word, 3, 2, 1) |
                                                 bits_at(word, 2, 1, 5),
                                             9);
  const bool indirect = (word & 3) == 2 && top == 4 && (word >> 2 & 31) == 0;
  return straight || indirect;
}

struct Hart {
  bool begun = false, trapped = false;
  std::uint64_t pc = 0;
  std::uint32_t word = 0;
};

int run(const char* path) {
  InputFile file = InputFile::open(path);
  const auto reader = open_trace(file, "", {});
  if (!reader->info().has_bits) fail("the trace has no instruction bits");
  std::map<std::uint32_t, Hart> harts;
  std::set<std::uint64_t> vectors;
  struct Odd {
    std::uint64_t from = 0, count = 0;
  };
  std::map<std::uint64_t, Odd> odd;  // by where it goes on
  std::uint64_t all = 0, traps = 0;
  TraceBlock block;
  while (reader->next(block)) {
    Hart& hart = harts[block.hart];
    if (block.after_gap) hart.begun = false;
    auto trap = block.traps.begin();
    for (std::size_t i = 0; i < block.instructions.size(); ++i) {
      const std::uint64_t pc = block.instructions[i].pc;
      if (hart.begun && hart.trapped)
        vectors.insert(pc);
      else if (hart.begun && !follows(hart.pc, hart.word, pc))
        odd[pc] = {hart.pc, odd[pc].count + 1};
      hart = {true, trap != block.traps.end() && trap->at == i, pc,
              block.bits[i]};
      if (hart.trapped) ++trap, ++traps;
    }
    all += block.instructions.size();
  }
  std::uint64_t wrong = 0, between = 0;
  for (const auto& [pc, row] : odd) {
    (vectors.contains(pc) ? between : wrong) += row.count;
    if (!vectors.contains(pc))
      fmt::print("{:x} after {:x}, {} times such\n", pc, row.from, row.count);
  }
  fmt::print(
      "{} instructions, {} traps at one, {} between two, {} unexplained\n", all,
      traps, between, wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    return wick::run(argv[1]);
  } catch (const wick::Error& error) {
    fmt::print(stderr, "check_flow: {}\n", error.what());
    return 1;
  }
}
