// SPDX-License-Identifier: Apache-2.0
// cut_trace [--tokens] TRACE OUT [HART]: one hart of a trace (0) with all that
// stock TracerV has of it, pc (40 bits) and cycle, in its layout of today for a
// commit width of 1. --tokens: as tokens, which also have the instruction, satp
// and privilege. In a trace without a clock, a cycle is an instruction of any
// hart.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string_view>

#include "base/error.h"
#include "itrace/formats/trace_reader.h"
#include "itrace/formats/tracerv_write.h"

int main(int argc, char** argv) {
  using namespace wick;
  const bool tokens = argc > 1 && std::string_view(argv[1]) == "--tokens";
  argv += tokens;
  argc -= tokens;
  if (argc != 3 && argc != 4) return 2;
  try {
    InputFile file = InputFile::open(argv[1]);
    TraceOptions options;
    options.hart = argc == 4 ? std::atoi(argv[3]) : 0;
    const std::uint32_t hart = static_cast<std::uint32_t>(options.hart);
    options.hart = -1;
    const auto reader = open_trace(file, "", options);
    const bool has_clock = reader->info().unit != "instructions";
    std::uint64_t executed = 0;
    std::ofstream out(argv[2], std::ios::binary);
    TracervWriteOptions write_options;
    if (tokens)
      write_options.layout = {
          .kind = TracervLayout::Kind::kTokens, .words = 5, .valid_bit = 40};
    TracervWriter writer(out, write_options);
    TraceBlock block;
    while (reader->next(block)) {
      if (block.hart == hart) {
        std::uint64_t cycle = executed;
        if (!has_clock)
          for (Retired& instruction : block.instructions)
            instruction.cycle = cycle++;
        writer.add(block);
      }
      executed += block.instructions.size();
    }
    writer.finish();
    return out.flush() ? 0 : 1;
  } catch (const Error& error) {
    fmt::print(stderr, "cut_trace: {}\n", error.what());
    return 1;
  }
}
