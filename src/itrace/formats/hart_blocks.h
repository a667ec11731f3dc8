// SPDX-License-Identifier: Apache-2.0
// Sorts decoded instructions into one block per hart. All blocks together hold
// about one TraceReader::kBlockSize, so memory does not grow with the number of
// harts.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "itrace/formats/instruction.h"
#include "itrace/formats/trace_reader.h"

namespace wick {

// Called if the cycle `next` follows and is before the last one. If it is not
// before the one before that, a single cycle is wrong, the last one: it is set
// to the one before. False if it is not, or if nothing is before it here.
bool correct_last_cycle(std::span<Retired> instructions, std::uint64_t next);

class HartBlocks {
 public:
  struct Hart {
    TraceBlock block;
    // Of the next instruction.
    ContextChange context;
    std::optional<TrapMark> trap;  // before it
    bool context_changed = false, has_rows = false;
    std::uint64_t last_cycle = 0;
    std::uint64_t count = 0;  // instructions so far

    std::uint32_t size() const {
      return static_cast<std::uint32_t>(block.instructions.size());
    }
  };

  explicit HartBlocks(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  // The hart with this number; null if the number is implausible
  // (TraceReader::kMaxHarts). Lives as long as this object.
  Hart* hart(std::uint32_t number);

  // A cycle before the last one is noted. Either the last one was wrong, or it
  // is passed on.
  void add(Hart& hart, std::uint64_t cycle, std::uint64_t pc) {
    if (cycle < hart.last_cycle) {
      diagnostics_.note(Problem::kTimeDisorder);
      correct_last_cycle(hart.block.instructions, cycle);
    }
    hart.last_cycle = cycle;
    if (hart.has_rows) put_rows(hart);
    hart.block.instructions.push_back({cycle, pc});
    ++hart.count;
    ++held_;
  }
  void add(Hart& hart, std::uint64_t cycle, std::uint64_t pc,
           std::uint32_t bits) {
    add(hart, cycle, pc);
    // The two low bits of a 32-bit instruction are set.
    hart.block.bits.push_back((bits & 3) == 3 ? bits : bits & 0xffff);
  }

  // The same for all harts whose last cycle is `wrong`; false if none could be
  // corrected.
  bool correct_last_cycles(std::uint64_t wrong, std::uint64_t next);

  // Time starts again; the caller has noted it.
  void restart() {
    for (Hart& hart : harts_) hart.last_cycle = 0;
  }

  // The last instruction added did not retire.
  void mark_trap(Hart& hart, bool interrupt, std::uint64_t cause);
  // A trap was taken after the last instruction added, which retired, and
  // before the next one.
  void mark_trap_between(Hart& hart, bool interrupt, std::uint64_t cause);

  // Applies from the next instruction on.
  void set_context(Hart& hart, const ContextChange& context);

  // Whether blocks should be given out. Decoders add at most kSlack
  // instructions before they ask again.
  static constexpr std::size_t kSlack = 64;
  bool full() const { return held_ + kSlack >= TraceReader::kBlockSize; }

  // Moves the block of one hart into `block`; false if all are empty.
  bool give(TraceBlock& block);

 private:
  static void put_rows(Hart& hart);

  Diagnostics& diagnostics_;
  std::deque<Hart> harts_;
  std::vector<std::uint32_t> by_number_;  // index + 1; 0: not seen yet
  std::size_t held_ = 0;
  std::size_t giving_ = 0;
};

}  // namespace wick
