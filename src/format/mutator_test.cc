// SPDX-License-Identifier: Apache-2.0
// The fuzzers' mutators: most of what they make must get past the checks at a
// reader's entrance, or they are no better than libFuzzer's own changes.
#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/stored_inputs.h"
#include "itrace/formats/wick_trace.h"
#include "mutators/mutation.h"
#include "object/elf/elf_file.h"
#include "perf/file/data_file.h"

namespace wick {
namespace {

constexpr int kTries = 300;

// How many of kTries changes to an input are still `good`.
int count_good(std::string_view reader, std::string_view file,
               bool (*good)(const std::string&)) {
  int count = 0;
  for (const StoredInput& input : corpus_inputs()) {
    if (input.format != reader || !input.path.ends_with(file)) continue;
    for (std::uint32_t seed = 0; seed < kTries; ++seed) {
      std::string bytes = input.bytes();
      Mutation mutation(seed);
      mutator_of(reader)(bytes, mutation);
      try {
        if (good(bytes)) ++count;
      } catch (const Error&) {
        // Refused: not good.
      }
    }
  }
  return count;
}

TEST(Mutators, LeaveMostElfFilesTheirSymbols) {
  const int good =
      count_good("elf", "/x86-64.elf", [](const std::string& bytes) {
        const auto elf = ElfFile::from_memory("elf", bytes);
        return !elf->bytes(".symtab").empty();
      });
  EXPECT_GT(good, kTries / 2);
}

TEST(Mutators, LeaveMostRecordingsWithoutBadRecords) {
  const int good =
      count_good("perf-records", "/file.data", [](const std::string& bytes) {
        InputFile input = InputFile::from_memory("perf.data", bytes);
        PerfData data(input);
        data.for_each_in_time_order([](const PerfRecord&) {});
        return data.counts().samples > 0 && data.counts().bad_records == 0;
      });
  EXPECT_GT(good, kTries / 2);
}

TEST(Mutators, CorrectTheChecksumsOfWickTraces) {
  const int good =
      count_good("trace-wick-trace", "/harts", [](const std::string& bytes) {
        InputFile input = InputFile::from_memory("trace", bytes);
        const auto reader = wick_trace_format.open(input, {});
        TraceBlock block;
        return reader->next(block);
      });
  EXPECT_GT(good, kTries / 2);
}

TEST(Mutators, TakeInputsOfAnySize) {
  for (const StoredInput& input : corpus_inputs()) {
    const Mutator mutator = mutator_of(input.format);
    if (mutator == nullptr) continue;
    const std::string whole = input.bytes();
    for (std::size_t size = 0; size < whole.size(); size += 1 + size / 16) {
      std::string bytes = whole.substr(0, size);
      Mutation mutation(static_cast<std::uint32_t>(size));
      for (int i = 0; i < 8; ++i) mutator(bytes, mutation);
    }
  }
}

}  // namespace
}  // namespace wick
