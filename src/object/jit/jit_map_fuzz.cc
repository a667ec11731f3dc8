// SPDX-License-Identifier: Apache-2.0
// Reads bytes as a jitdump and as a perf map, and looks up every function of
// them: what is found must lie around the address.
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/fuzz_target.h"
#include "object/jit/jit_map.h"
#include "object/jit/jit_unwind.h"

namespace wick {
namespace {

volatile unsigned sum = 0;

void touch(std::string_view bytes) {
  for (const char c : bytes) sum = sum + static_cast<unsigned char>(c);
}

void look_up(const JitMap& map, std::uint64_t address, std::uint64_t time) {
  const auto found = map.find(address, time);
  if (!found) return;
  if (address < found->start || address - found->start >= found->size)
    std::abort();
  touch(found->name);
  touch(found->code);
  touch(found->unwind_info);
  if (found->eh_frame_hdr_size > found->unwind_info.size()) std::abort();
  for (const Machine machine : {Machine::kX86_64, Machine::kAArch64})
    rule_of_jit_code(machine,
                     {.start = found->start,
                      .size = found->size,
                      .bytes = found->unwind_info,
                      .eh_frame_hdr_size = found->eh_frame_hdr_size},
                     address);
  if (const auto line = map.line(*found, address)) touch(line->file);
}

void read_and_find(const JitMap& map, std::string_view bytes) {
  // Numbers of the input are addresses and times that it may know.
  for (std::size_t i = 0; i + 8 <= bytes.size() && i < 4096; i += 4) {
    std::uint64_t value;
    bytes.copy(reinterpret_cast<char*>(&value), 8, i);
    look_up(map, value, JitMap::kAnyTime);
    look_up(map, value, i);
  }
  for (std::uint64_t address = 0; address < 0x4000; address += 0x10)
    look_up(map, address, address);
}

void read_jitdump(std::string_view bytes) {
  read_and_find(JitMap::from_jitdump(std::string(bytes)), bytes);
}

void read_perf_map(std::string_view bytes) {
  read_and_find(JitMap::from_perf_map(std::string(bytes)), bytes);
}

}  // namespace

extern const FuzzTarget jitdump_fuzz = {.name = "jitdump", .run = read_jitdump};
extern const FuzzTarget perf_map_fuzz = {.name = "perf-map",
                                         .run = read_perf_map};

}  // namespace wick
