// SPDX-License-Identifier: Apache-2.0
// Turns the kernel's records into those that are stored: copied stacks are
// unwound into callchains, so that a file has DWARF's stacks at the size of
// frame pointers'. Meanwhile, collects the code that the stored stacks are in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "object/images.h"
#include "perf/file/header.h"
#include "perf/recording/sampled_code.h"
#include "perf/session/side_band.h"
#include "perf/session/stack_unwinding.h"

namespace wick {

class LiveStacks {
 public:
  using Write = std::function<void(std::string_view record)>;
  struct Options {
    bool unwinds = true;  // false: copied stacks stay as they are
    int workers = 1;
    std::size_t frame_limit = kDefaultFrameLimit;  // of frame pointers
    std::shared_ptr<MemoryBudget> memory;          // of processes and threads
    SampledCode* sampled = nullptr;                // null: it is not collected
  };
  // `images` and `sampled` outlive it.
  LiveStacks(Machine machine, Images& images, const Options& options,
             Write write);

  // Of the kernel and the vDSO, as the header of the file has them.
  void add_build_id(const PerfHeader::BuildId& known) {
    side_band_.add_build_id(known.path, known.build_id);
  }

  // How `attr` is stored, once its stacks are callchains.
  static EventAttr stored(EventAttr attr);

  // Takes records by time and writes them in that order, except that samples
  // may come after later records until end_round().
  void visit(const PerfRecord& record, std::string_view whole);
  // Writes everything taken so far; its bytes are no longer needed.
  void end_round();

  // Records that were damaged, stacks that could not be followed, and what
  // there was no memory for. `has_room`: the buffers would have held larger
  // copies of stacks.
  void note_problems(Diagnostics& diagnostics, bool has_room) const;
  // As StackUnwinding::copied_bytes().
  std::uint64_t copied_bytes() const { return unwinding_.copied_bytes(); }

 private:
  // A sample without its stack.
  struct Head {
    const PerfEvent* event = nullptr;
    std::uint16_t misc = 0;
    std::uint64_t id = 0, ip = 0, time = 0, period = 0, addr = 0;
    std::uint32_t pid = 0, tid = 0, cpu = 0;
    std::string raw;
  };
  void visit_other(const PerfRecord& record);
  void collect(const PerfRecord& sample);
  void collect(Space& space, const Head& head, const Chain& chain);
  void collect_deferred(const PerfRecord& record);
  void write_sample(const Head& head, const Chain& chain);
  void unwind();
  // Returns whether rules that were copied are invalid.
  bool release_memory();

  Write write_;
  Images& images_;
  bool unwinds_;
  SampledCode* sampled_;
  int rounds_ = 0;
  StackUnwinding unwinding_;
  SideBand side_band_;
  std::vector<Head> heads_;  // of waiting samples, in order
  std::size_t head_count_ = 0;
  std::vector<Space*> waiting_;
  PerfSample sample_;
  Chain chain_;
  std::vector<std::uint64_t> swapped_;
  std::string buffer_;
  std::uint64_t damaged_ = 0;
};

}  // namespace wick
