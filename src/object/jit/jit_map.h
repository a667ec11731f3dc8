// SPDX-License-Identifier: Apache-2.0
// The functions of just-in-time compiled code, from a file that the compiling
// program wrote: a perf map (text, /tmp/perf-PID.map) or a jitdump (binary,
// jit-PID.dump, with times, lines and unwind information). The bytes are
// untrusted.
//
// An address may hold one function after another. A jitdump has the time of
// each, so a sample gets the function of its own time; a perf map does not, and
// the last line wins.
//
// The file is kept as it is, and each function is a few numbers that refer to
// it: a line of a perf map may be as short as six bytes, and there may be
// millions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

class JitMap {
 public:
  // Never fail: what cannot be read is omitted and counted. Takes at most
  // `most_memory` bytes besides the file itself, which must be smaller than
  // 4 GB; functions beyond that are omitted.
  static JitMap from_perf_map(std::string text,
                              std::uint64_t most_memory = kNoLimit);
  static JitMap from_jitdump(std::string bytes,
                             std::uint64_t most_memory = kNoLimit);
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

  // Whether these are the first bytes of a jitdump, of either byte order.
  static bool is_jitdump(std::string_view head);

  // For find(): the newest function, whatever its time. Use it also if the
  // recording's clock is not the jitdump's (CLOCK_MONOTONIC: perf record -k 1).
  static constexpr std::uint64_t kAnyTime = ~std::uint64_t{0};

  struct Function {
    std::string_view name;
    std::uint64_t start = 0, size = 0;  // runtime addresses
    std::uint64_t time = 0;             // when it was written; 0 in a perf map
    // .eh_frame and .eh_frame_hdr; "" if the producer wrote none. See
    // object/jit/jit_unwind.h.
    std::string_view unwind_info;
    std::uint64_t eh_frame_hdr_size = 0;
    std::string_view code;         // its instructions; jitdump only
    std::string_view debug_lines;  // see line()
  };

  // The latest function at the address not after `time`; if all are later, the
  // first (some are written only after they began to run). Its views live as
  // long as this object.
  std::optional<Function> find(std::uint64_t address,
                               std::uint64_t time = kAnyTime) const;

  struct Line {
    std::string_view file;
    std::uint32_t line = 0;
  };
  // The source line of an address in the function, if the producer wrote it.
  std::optional<Line> line(const Function& function,
                           std::uint64_t address) const;

  // A file of the same kind with the functions at these addresses alone, for
  // which find() and line() give the same.
  std::string excerpt(std::span<const std::uint64_t> addresses) const;

  std::size_t size() const { return functions_.size(); }
  // What it takes besides the file.
  std::uint64_t bytes() const;
  // Functions that were omitted for lack of memory.
  std::size_t omitted() const { return omitted_; }
  // Lines or records that could not be read.
  std::size_t damaged() const { return damaged_; }
  // The file ends within a record: its writer was killed or is still writing.
  bool truncated() const { return truncated_; }

  // Of a jitdump's header.
  std::uint32_t pid() const { return pid_; }
  std::uint32_t elf_machine() const { return elf_machine_; }
  // Its times are cycles of the processor: use kAnyTime.
  bool has_cycles_as_time() const { return cycles_; }

 private:
  class DumpReader;
  // A part of bytes_.
  struct Part {
    std::uint32_t at = 0, size = 0;
  };
  struct Entry {
    std::uint64_t start = 0, size = 0;
    Part name;
    std::uint32_t order = 0;    // its place in the file
    std::uint32_t details = 0;  // index in details_; a perf map has none
  };
  // Of a function in a jitdump.
  struct Details {
    std::uint64_t time = 0;
    Part code, unwind_info, lines;
    std::uint32_t eh_frame_hdr_size = 0;
  };

  Part part(std::string_view view) const;
  std::string_view view(Part part) const;
  std::uint64_t time_of(const Entry& entry) const;
  Function function(const Entry& entry) const;
  // Calls visit(entry) for those at the address, the last ones first.
  template <class Visit>
  void each_at(std::uint64_t address, Visit visit) const;
  void append_to_map(std::string& out, const Entry& entry) const;
  void append_to_dump(std::string& out, const Entry& entry,
                      std::span<const std::uint64_t> addresses) const;
  void reserve(std::size_t count, std::uint64_t most_memory);
  bool is_full() const { return functions_.size() == functions_.capacity(); }
  void add_map_line(std::string_view line);
  void build_index();

  std::string bytes_;
  bool swap_ = false;
  bool truncated_ = false, cycles_ = false;
  // V8 and LLVM add 0x40 to the addresses of lines, because perf stores the
  // code after an ELF header of that size.
  std::uint64_t line_shift_ = 0;
  std::uint32_t pid_ = 0, elf_machine_ = 0;
  std::size_t damaged_ = 0, omitted_ = 0;
  // Ordered by start, then as in the file.
  std::vector<Entry> functions_;
  std::vector<std::uint64_t> max_end_;  // of functions_[0 … i]
  std::vector<Details> details_;        // of a jitdump
};

}  // namespace wick
