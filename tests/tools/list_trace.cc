// SPDX-License-Identifier: Apache-2.0
// list_trace FILE: an instruction trace as lines, in the
// order of the file: "HART CYCLE PC BITS" for each instruction, and before it
//   # context PRIVILEGE SATP TP     - for what is not known
//   # thread PID TID NAME           from here on
//   # mapping PID START END OFFSET PATH
//   # trap CAUSE                    behind the instruction
// list_trace --sums FILE: the same with one line "PC COUNT" for each pc,
// instead of the instructions between two such rows. For scripts that check
// traces against other sources.
#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <string_view>
#include <unordered_map>

#include "base/append.h"
#include "base/error.h"
#include "itrace/formats/trace_reader.h"

namespace wick {
namespace {

using Sums = std::unordered_map<std::uint64_t, std::uint64_t>;

void settle(Sums& sums, std::string& out) {
  for (const auto& [pc, count] : sums) append(out, "{:x} {}\n", pc, count);
  sums.clear();
}

void list(const TraceBlock& block, Sums* sums, std::string& out) {
  auto context = block.contexts.begin();
  auto fact = block.facts.begin();
  auto trap = block.traps.begin();
  for (std::size_t i = 0; i < block.instructions.size(); ++i) {
    const bool rows = (fact != block.facts.end() && fact->from <= i) ||
                      (context != block.contexts.end() && context->from <= i);
    if (sums && rows) settle(*sums, out);
    for (; fact != block.facts.end() && fact->from <= i; ++fact) {
      if (fact->kind == SideBandFact::Kind::kThread)
        append(out, "# thread {} {} {}\n", fact->pid, fact->tid, fact->name);
      if (fact->kind == SideBandFact::Kind::kMapping)
        append(out, "# mapping {} {:x} {:x} {:x} {}\n", fact->pid, fact->start,
               fact->end, fact->file_off, fact->name);
      if (fact->kind == SideBandFact::Kind::kUnmapAll)
        append(out, "# unmap {}\n", fact->pid);
    }
    for (; context != block.contexts.end() && context->from <= i; ++context)
      append(out, "# context {} {} {}\n",
             context->privilege == Privilege::kUnknown
                 ? "-"
                 : fmt::format("{}", static_cast<int>(context->privilege)),
             context->has_satp ? fmt::format("{:x}", context->satp) : "-",
             context->has_thread_pointer
                 ? fmt::format("{:x}", context->thread_pointer)
                 : "-");
    const Retired& row = block.instructions[i];
    if (sums) {
      ++(*sums)[row.pc];
      continue;
    }
    append(out, "{} {} {:x} {:x}\n", block.hart, row.cycle, row.pc,
           block.bits.empty() ? 0 : block.bits[i]);
    for (; trap != block.traps.end() && trap->at == i; ++trap)
      append(out, "# trap {}{}\n", trap->interrupt ? "interrupt " : "",
             trap->cause);
  }
}

int run(const char* path, bool sum) {
  InputFile file = InputFile::open(path);
  const auto reader = open_trace(file, "", {});
  TraceBlock block;
  std::string out;
  Sums sums;
  while (reader->next(block)) {
    out.clear();
    list(block, sum ? &sums : nullptr, out);
    std::fwrite(out.data(), 1, out.size(), stdout);
  }
  out.clear();
  settle(sums, out);
  std::fwrite(out.data(), 1, out.size(), stdout);
  for (const std::string& line : describe(reader->diagnostics()))
    fmt::print(stderr, "{}\n", line);
  return 0;
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) {
  const bool sum = argc > 2 && std::string_view(argv[1]) == "--sums";
  if (argc != (sum ? 3 : 2)) return 2;
  try {
    return wick::run(argv[argc - 1], sum);
  } catch (const wick::Error& error) {
    fmt::print(stderr, "list_trace: {}\n", error.what());
    return 1;
  }
}
