// SPDX-License-Identifier: Apache-2.0
// Parses the two kinds of lines in the text of `perf script`.
//
//   my prog 977/978 [000] 7628263.042515:   10101 cpu_core/cycles/u:
//   ↑comm   ↑pid/tid ↑cpu  ↑time             ↑period ↑event
//           7f183b22aec7 ioctl+0x7 (/lib/x86_64-linux-gnu/libc.so.6)
//           ↑address     ↑symbol   ↑module
//
// The columns depend on `perf script -F`; only their order is fixed. Command
// names may contain blanks and numbers, so the columns after them are found
// first.
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
  // The text after the event: the arguments of a tracepoint, or the only frame
  // of a sample recorded without stacks.
  std::string_view rest;
};

// Views into `line`. Nothing if neither a time nor an event follows a name.
std::optional<PerfEventLine> parse_perf_event(std::string_view line);

struct PerfFrameLine {
  std::string_view address;  // hexadecimal digits
  std::string_view symbol;   // without its offset; "" or "[unknown]" possible
  std::string_view module;   // "" if not printed
};

// Nothing if `line` (after blanks) does not begin with an address.
std::optional<PerfFrameLine> parse_perf_frame(std::string_view line);

// Whether code of this module is the kernel's; the vDSO counts, too, as in
// other tools. With `like_peers`, so does everything in square brackets, even
// the heap and JIT code.
bool is_kernel_module(std::string_view module, bool like_peers);
// Whether the code was generated at run time.
bool is_jit_module(std::string_view module);

}  // namespace wick
