// SPDX-License-Identifier: Apache-2.0
// The two kinds of line in the text of `perf script`, taken apart.
//
//   my prog 977/978 [000] 7628263.042515:   10101 cpu_core/cycles/u:
//   ↑comm   ↑pid/tid ↑cpu  ↑time             ↑period ↑event
//           7f183b22aec7 ioctl+0x7 (/lib/x86_64-linux-gnu/libc.so.6)
//           ↑address     ↑symbol   ↑module
//
// Which columns there are depends on `perf script -F`, so nothing but the order
// can be relied on. Command names may hold blanks and numbers; what follows
// them is found first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wick {

struct PerfEventLine {
  std::string_view comm;
  std::int32_t pid = -1, tid = -1;
  std::optional<std::uint32_t> cpu;
  std::optional<std::uint64_t> time_ns;
  std::optional<std::int64_t> period;
  std::string_view event;  // without its final colon; "" if not printed
  // What follows the event: the arguments of a tracepoint, or the only frame of
  // a sample recorded without stacks.
  std::string_view rest;
};

// Views into `line`. Nothing if it has neither time nor event behind a name.
std::optional<PerfEventLine> parse_perf_event(std::string_view line);

struct PerfFrameLine {
  std::string_view address;  // hexadecimal digits
  std::string_view symbol;   // without its offset; "" or "[unknown]" possible
  std::string_view module;   // "" if not printed
};

// Nothing if `line` (blanks in front allowed) does not begin with an address.
std::optional<PerfFrameLine> parse_perf_frame(std::string_view line);

// Whether code of this module is the kernel's: the vDSO too, as in the peers.
// `like_peers`: everything in square brackets is, the heap and JIT code too.
bool is_kernel_module(std::string_view module, bool like_peers);
// Whether the code was made at run time.
bool is_jit_module(std::string_view module);

}  // namespace wick
