// SPDX-License-Identifier: Apache-2.0
// The functions of just-in-time compiled code, as the program that compiled
// them wrote them down: as a perf map (a text, /tmp/perf-PID.map) or as a
// jitdump (binary, jit-PID.dump, with times, lines and unwind information). The
// bytes are untrusted.
//
// The same address holds one function after the other. A jitdump says when each
// came, so that a sample is named by what was there then; a perf map does not,
// and the last line wins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

class JitMap {
 public:
  // Never fail: what cannot be read is missing and counted.
  static JitMap from_perf_map(std::string text);
  static JitMap from_jitdump(std::string bytes);

  // For find(): the newest function, whatever its time. Also to be used if the
  // recording's clock is not the jitdump's (CLOCK_MONOTONIC: perf record -k 1).
  static constexpr std::uint64_t kAnyTime = ~std::uint64_t{0};

  struct Function {
    std::string_view name;
    std::uint64_t start = 0, size = 0;  // runtime addresses
    std::uint64_t time = 0;             // since when; 0 in a perf map
    // .eh_frame_hdr and .eh_frame behind it; "" if the producer has none.
    std::string_view unwind_info;
    std::uint64_t eh_frame_hdr_size = 0;
    std::string_view code;         // its instructions; jitdump only
    std::string_view debug_lines;  // see line()
  };

  // The function at the address, the last one that came until `time`; if all
  // came later, the first that did (some are written down after they began to
  // run). Null if there is none. Lives as long as this object.
  const Function* find(std::uint64_t address,
                       std::uint64_t time = kAnyTime) const;

  struct Line {
    std::string_view file;
    std::uint32_t line = 0;
  };
  // Where in the source the address of the function is, if the producer says.
  std::optional<Line> line(const Function& function,
                           std::uint64_t address) const;

  std::size_t size() const { return functions_.size(); }
  // Lines or records that could not be read.
  std::size_t damaged() const { return damaged_; }
  // The file ends within a record: its process was killed, or is still writing.
  bool truncated() const { return truncated_; }

  // Of a jitdump's header.
  std::uint32_t pid() const { return pid_; }
  std::uint32_t elf_machine() const { return elf_machine_; }
  // Its times are the processor's cycles: use kAnyTime.
  bool has_cycles_as_time() const { return cycles_; }

 private:
  class DumpReader;
  void add_map_line(std::string_view line);
  void build_index();

  std::string bytes_;  // that the views lead into
  bool swap_ = false;
  bool truncated_ = false, cycles_ = false;
  // V8 and LLVM write the addresses of lines with 0x40 added, because perf
  // stores the code behind an ELF header of that size.
  std::uint64_t line_shift_ = 0;
  std::uint32_t pid_ = 0, elf_machine_ = 0;
  std::size_t damaged_ = 0;
  // In the order of start, those of equal start in the order of the file.
  std::vector<Function> functions_;
  std::vector<std::uint32_t> order_;    // place of functions_[i] in the file
  std::vector<std::uint64_t> max_end_;  // of functions_[0 … i]
};

}  // namespace wick
