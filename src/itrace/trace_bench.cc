// SPDX-License-Identifier: Apache-2.0
// How fast traces are read, from a file in the page cache to blocks.
// WICK_BENCH_TRACE may name another file.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "itrace/formats/trace_reader.h"
#include "itrace/formats/tracerv_write.h"

namespace wick {
namespace {

constexpr std::size_t kInstructions = 4 << 20;

// Runs of instructions with jumps between them, and pauses.
TraceBlock some_instructions(std::uint64_t& cycle, std::uint64_t& seed) {
  TraceBlock block;
  std::uint64_t pc = 0x80000000;
  while (block.instructions.size() < TraceReader::kBlockSize) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    const std::uint64_t random = seed >> 33;
    pc = random % 8 == 0 ? 0x80000000 + random % 65536 * 2 : pc + 4;
    cycle += random % 16 == 0 ? 30 : 1;
    block.instructions.push_back({cycle, pc});
    block.bits.push_back(0x13);
  }
  return block;
}

// A file of its own, removed when the program ends.
class SomeTrace {
 public:
  explicit SomeTrace(const TracervWriteOptions& options)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("wick-bench-{}", std::random_device{}())) {
    std::ofstream out(path_, std::ios::binary);
    TracervWriter writer(out, options);
    std::uint64_t cycle = 0, seed = 1;
    for (std::size_t i = 0; i < kInstructions; i += TraceReader::kBlockSize)
      writer.add(some_instructions(cycle, seed));
    writer.finish();
  }
  ~SomeTrace() { std::filesystem::remove(path_); }
  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void read(benchmark::State& state, const std::string& path) {
  std::size_t count = 0;
  for (auto _ : state) {
    InputFile file = InputFile::open(path);
    const auto reader = open_trace(file, "", {});
    TraceBlock block;
    while (reader->next(block)) {
      count += block.instructions.size();
      benchmark::DoNotOptimize(block.instructions.data());
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(count));
  state.SetBytesProcessed(static_cast<std::int64_t>(
      state.iterations() * std::filesystem::file_size(path)));
}

void BM_TracervRecords(benchmark::State& state) {
  const int width = static_cast<int>(state.range(0));
  const SomeTrace trace({.layout = {.words = width + 1, .slots = width}});
  read(state, trace.path());
}
BENCHMARK(BM_TracervRecords)->Arg(1)->Arg(3);

void BM_TracervTokens(benchmark::State& state) {
  const TracervLayout tokens{
      .kind = TracervLayout::Kind::kTokens, .words = 5, .valid_bit = 40};
  const SomeTrace trace({.layout = tokens});
  read(state, trace.path());
}
BENCHMARK(BM_TracervTokens);

void BM_TracervText(benchmark::State& state) {
  const SomeTrace trace({.text = true});
  read(state, trace.path());
}
BENCHMARK(BM_TracervText);

void BM_GivenTrace(benchmark::State& state) {
  const char* path = std::getenv("WICK_BENCH_TRACE");
  if (path == nullptr)
    return state.SkipWithError("WICK_BENCH_TRACE is not set");
  read(state, path);
}
BENCHMARK(BM_GivenTrace);

}  // namespace
}  // namespace wick
