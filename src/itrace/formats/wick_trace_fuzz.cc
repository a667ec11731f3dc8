// SPDX-License-Identifier: Apache-2.0
// The content of a wick trace: its checksums are corrected first, since no
// fuzzer guesses them.
#include <cstdlib>
#include <cstring>

#include "base/fuzz_target.h"
#include "itrace/formats/wick_trace.h"
#include "itrace/formats/wick_trace_format.h"

namespace wick {
namespace {

using namespace wick_trace;

void put(std::string& bytes, std::size_t at, std::uint32_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}

std::string with_checksums(std::string bytes) {
  if (bytes.size() < kHeaderSize) return bytes;
  const std::string_view all = bytes;
  put(bytes, kHeaderSize - 4, checksum(0, 0, all.substr(0, kHeaderSize - 4)));
  std::size_t at = kHeaderSize;
  while (bytes.size() - at >= kChunkHeaderSize) {
    std::uint32_t words[3];
    std::memcpy(words, bytes.data() + at, sizeof(words));
    const std::size_t left = bytes.size() - at - kChunkHeaderSize;
    if (words[1] > left) break;
    put(bytes, at + 12,
        checksum(words[0], words[2],
                 all.substr(at + kChunkHeaderSize, words[1])));
    at += kChunkHeaderSize + words[1];
  }
  return bytes;
}

void fuzz_wick_trace(std::string_view bytes) {
  InputFile file =
      InputFile::from_memory("input", with_checksums(std::string(bytes)));
  const auto reader = wick_trace_format.open(file, {});
  TraceBlock block;
  while (reader->next(block)) {
    const std::size_t size = block.instructions.size();
    if (size == 0 || size > TraceReader::kBlockSize) std::abort();
    for (const auto& row : block.contexts)
      if (row.from >= size) std::abort();
    for (const auto& row : block.traps)
      if (row.at >= size) std::abort();
    for (const auto& row : block.facts)
      if (row.from >= size) std::abort();
  }
}

}  // namespace

extern const FuzzTarget wick_trace_fuzz = {.name = "wick-trace-chunks",
                                           .run = fuzz_wick_trace};

}  // namespace wick
