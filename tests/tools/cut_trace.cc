// SPDX-License-Identifier: Apache-2.0
// cut_trace TRACE OUT: hart 0 of a trace with all that stock TracerV has of it,
// pc (40 bits) and cycle, in its layout of today for a commit width of 1.
#include <fmt/format.h>

#include <fstream>

#include "base/error.h"
#include "itrace/formats/trace_reader.h"
#include "itrace/formats/tracerv_write.h"

int main(int argc, char** argv) {
  using namespace wick;
  if (argc != 3) return 2;
  try {
    InputFile file = InputFile::open(argv[1]);
    TraceOptions options;
    options.hart = 0;
    const auto reader = open_trace(file, "", options);
    std::ofstream out(argv[2], std::ios::binary);
    TracervWriter writer(out, {});
    TraceBlock block;
    while (reader->next(block)) writer.add(block);
    writer.finish();
    return out.flush() ? 0 : 1;
  } catch (const Error& error) {
    fmt::print(stderr, "cut_trace: {}\n", error.what());
    return 1;
  }
}
