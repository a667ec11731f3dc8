// SPDX-License-Identifier: Apache-2.0
// Turns records as the kernel writes them into records as they are stored: the
// bytes of copied stacks become callchains, so that a file has the stacks that
// DWARF gives at the size that frame pointers need.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "object/images.h"
#include "perf/session/side_band.h"
#include "perf/session/stack_unwinding.h"

namespace wick {

class LiveStacks {
 public:
  using Write = std::function<void(std::string_view record)>;
  LiveStacks(Machine machine, Images& images, int workers, Write write);

  // How `attr` is stored, once its stacks are callchains.
  static EventAttr stored(EventAttr attr);

  // Records in the order of time. What is written comes in that order, too, but
  // samples may stand behind later records until end_round().
  void visit(const PerfRecord& record, std::string_view whole);
  // Everything given so far is written; its bytes are needed no longer.
  void end_round();

  // Records that were damaged and stacks that could not be followed.
  void note_problems(Diagnostics& diagnostics) const;

 private:
  // What a sample has beside its stack.
  struct Head {
    const PerfEvent* event;
    std::uint16_t misc;
    std::uint64_t id, ip, time, period, addr;
    std::uint32_t pid, tid, cpu;
    std::string raw;
  };
  void write_sample(const Head& head, const Chain& chain);
  void unwind();

  Write write_;
  Images& images_;
  int rounds_ = 0;
  StackUnwinding unwinding_;
  SideBand side_band_;
  std::vector<Head> heads_;  // of what waits, in the order of adding
  std::size_t head_count_ = 0;
  std::vector<Space*> waiting_;
  PerfSample sample_;
  Chain chain_;
  std::string buffer_;
  std::uint64_t damaged_ = 0;
};

}  // namespace wick
