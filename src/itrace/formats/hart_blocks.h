// SPDX-License-Identifier: Apache-2.0
// Instructions of several harts, sorted into one block for each while they are
// decoded. All blocks together hold about one TraceReader::kBlockSize, so
// memory does not grow with the number of harts.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "itrace/formats/instruction.h"
#include "itrace/formats/trace_reader.h"

namespace wick {

class HartBlocks {
 public:
  struct Hart {
    TraceBlock block;
    ContextChange context;  // of the instruction that is added next
    bool context_changed = false;
    std::uint64_t last_cycle = 0;
    std::uint64_t count = 0;  // of instructions so far

    std::uint32_t size() const {
      return static_cast<std::uint32_t>(block.instructions.size());
    }
  };

  explicit HartBlocks(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  // The hart of this number; null if the input names more than a machine has.
  // Lives as long as this object.
  Hart* hart(std::uint32_t number);

  // Time that runs backwards is noted and passed on.
  void add(Hart& hart, std::uint64_t cycle, std::uint64_t pc) {
    if (cycle < hart.last_cycle) diagnostics_.note(Problem::kTimeDisorder);
    hart.last_cycle = cycle;
    if (hart.context_changed) put_context(hart);
    hart.block.instructions.push_back({cycle, pc});
    ++hart.count;
    ++held_;
  }
  void add(Hart& hart, std::uint64_t cycle, std::uint64_t pc,
           std::uint32_t bits) {
    add(hart, cycle, pc);
    // The low two bits say that an instruction is not a 16-bit one.
    hart.block.bits.push_back((bits & 3) == 3 ? bits : bits & 0xffff);
  }

  // Time begins anew, which whoever calls this has noted.
  void restart() {
    for (Hart& hart : harts_) hart.last_cycle = 0;
  }

  // The instruction that was added last did not retire.
  void mark_trap(Hart& hart, bool interrupt, std::uint64_t cause);

  // Holds from the instruction that is added next.
  void set_context(Hart& hart, const ContextChange& context);

  // Whether there is enough to be given out. Decoders add at most kSlack
  // instructions before they ask again.
  static constexpr std::size_t kSlack = 64;
  bool full() const { return held_ + kSlack >= TraceReader::kBlockSize; }

  // Moves the block of one hart that has one into `block`; false if none has.
  bool give(TraceBlock& block);

 private:
  void put_context(Hart& hart);

  Diagnostics& diagnostics_;
  std::deque<Hart> harts_;
  std::vector<std::uint32_t> by_number_;  // index + 1; 0: not met
  std::size_t held_ = 0;
  std::size_t giving_ = 0;
};

}  // namespace wick
