// SPDX-License-Identifier: Apache-2.0
// Turns the kernel's records into those that are stored: copied stacks are
// unwound into callchains, so that a file has DWARF's stacks at the size of
// frame pointers'.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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
  // Processes and threads take from `memory`.
  LiveStacks(Machine machine, Images& images, int workers,
             std::shared_ptr<MemoryBudget> memory, Write write);

  // How `attr` is stored, once its stacks are callchains.
  static EventAttr stored(EventAttr attr);

  // Takes records by time and writes them in that order, except that samples
  // may come after later records until end_round().
  void visit(const PerfRecord& record, std::string_view whole);
  // Writes everything taken so far; its bytes are no longer needed.
  void end_round();

  // Records that were damaged, stacks that could not be followed, and what
  // there was no memory for.
  void note_problems(Diagnostics& diagnostics) const;

 private:
  // A sample without its stack.
  struct Head {
    const PerfEvent* event = nullptr;
    std::uint16_t misc = 0;
    std::uint64_t id = 0, ip = 0, time = 0, period = 0, addr = 0;
    std::uint32_t pid = 0, tid = 0, cpu = 0;
    std::string raw;
  };
  void write_sample(const Head& head, const Chain& chain);
  void unwind();
  // Returns whether rules that were copied are invalid.
  bool release_memory();

  Write write_;
  Images& images_;
  int rounds_ = 0;
  StackUnwinding unwinding_;
  SideBand side_band_;
  std::vector<Head> heads_;  // of waiting samples, in order
  std::size_t head_count_ = 0;
  std::vector<Space*> waiting_;
  PerfSample sample_;
  Chain chain_;
  std::string buffer_;
  std::uint64_t damaged_ = 0;
};

}  // namespace wick
