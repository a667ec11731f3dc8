// SPDX-License-Identifier: Apache-2.0
// Writes wick's own trace file (docs/formats/wick-trace.md): code is defined
// once, block by block, and what a hart executed is a list of blocks, most of
// which are the ones that followed last time. A block costs a few nanoseconds,
// and most blocks take no byte at all.
//
// The QEMU plugin is built from this file, too, so it uses nothing but these
// headers and the standard library.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "itrace/formats/instruction.h"
#include "itrace/formats/wick_trace_format.h"

namespace wick {

struct WickTraceHeader {
  std::uint32_t flags = wick_trace::kHasBits;  // see wick_trace_format.h
  std::uint8_t pc_bits = 64;
  std::string info;  // lines "key=value" for the reader
};

// Shared by all harts and safe to call from several threads.
class WickTraceWriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  WickTraceWriter(Sink sink, const WickTraceHeader& header);

  // The id of straight-line code at `pc`; the same code has the same id. `code`
  // is the bytes of the instructions or, in a file without them, one byte per
  // instruction: its size.
  std::uint32_t define(std::uint64_t pc, std::string_view code);

  // Passes new definitions and then this chunk to the sink.
  void write_exec(std::uint32_t hart, std::string_view payload);
  void flush();

  // For a forked process: drops what is buffered and begins another file with
  // all definitions.
  void begin_again(Sink sink);

  std::mutex& mutex() { return mutex_; }

 private:
  struct Block {
    std::uint64_t pc;
    std::string_view code;  // in code_
  };

  void write_header();
  void write_definitions();
  void write_chunk(std::uint32_t type, std::uint32_t argument,
                   std::string_view payload);

  std::mutex mutex_;
  Sink sink_;
  WickTraceHeader header_;
  std::vector<Block> blocks_;
  std::deque<std::string> code_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
  std::size_t written_blocks_ = 0;
  std::string out_;
};

// What one hart executes. Not thread-safe; each hart has its own.
class WickTraceHart {
 public:
  WickTraceHart(WickTraceWriter& writer, std::uint32_t hart,
                std::uint64_t tick = 0);

  // The hart executed all `count` instructions of block `id`. Inline, because
  // this is the cost of tracing.
  void block(std::uint32_t id, std::uint32_t count) {
    std::uint64_t& follower = followers_[last_];
    const std::uint64_t wanted = epoch_ | id;
    if (follower == wanted) {
      ++run_;
    } else {
      follower = wanted;
      miss(id);
    }
    last_ = id + 1;
    tick_ += count;
    if (tick_ >= limit_) end_chunk();
  }
  // As block(), but only the first `executed` instructions.
  void block_left_early(std::uint32_t id, std::uint32_t executed);

  // The next block ends with an instruction that traps instead of retiring.
  void trap(bool interrupt, std::uint64_t cause);

  // These take place between the blocks before and after the call.
  void context(const ContextChange& context);  // `from` is not used
  void trap_between(bool interrupt, std::uint64_t cause);
  void fact(const SideBandFact& fact);  // `from` is not used
  void gap();

  // Only in a timed file: the cycle of each instruction of a block, in order,
  // before the block itself.
  void cycle(std::uint64_t cycle);

  std::uint64_t tick() const { return tick_; }
  void end_chunk();
  // Drops what is not in the file yet.
  void drop();

 private:
  void miss(std::uint32_t id);
  void special(wick_trace::Special kind);
  void flush_run();
  void put(std::uint64_t value);
  void put(std::string_view text);
  void put_context();
  void set_limit();

  WickTraceWriter& writer_;
  const std::uint32_t hart_;
  std::uint32_t last_ = 0;
  std::uint64_t run_ = 0;
  std::uint64_t tick_ = 0;
  std::uint64_t limit_ = 0;
  std::uint64_t epoch_ = std::uint64_t{1} << 32;
  // By block: the one that followed it last, with the epoch (chunk) in which it
  // did. Row 0 stands for the start, so ids are shifted by one.
  std::vector<std::uint64_t> followers_;

  std::uint64_t start_tick_ = 0;
  std::string ops_;
  std::string times_;
  bool timed_ = false;
  std::uint64_t first_cycle_ = 0, last_cycle_ = 0, unit_steps_ = 0;
  ContextChange context_;
  std::size_t prefix_ = 0;  // of ops_: the context at the chunk's start
};

}  // namespace wick
