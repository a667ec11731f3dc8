// SPDX-License-Identifier: Apache-2.0
// Unwinds the stack copies of many samples at once, on several threads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "object/images.h"
#include "object/unwind/unwinder.h"
#include "perf/records/record.h"
#include "perf/session/chain.h"
#include "perf/session/process.h"
#include "profile/diagnostics.h"

namespace wick {

// kernel.perf_event_max_stack, unless it was changed.
inline constexpr std::size_t kDefaultFrameLimit = 127;

class StackUnwinding {
 public:
  struct Options {
    int workers = 1;
    bool bytes_stay = false;  // records live until run(); else they are copied
    bool is_live = false;     // processes run still: their memory can be read
    // Frames up to which the kernel follows frame pointers.
    std::size_t frame_limit = kDefaultFrameLimit;
  };
  StackUnwinding(Machine machine, Images& images, const Options& options);

  // `chain` has the kernel's part.
  void add(Space& space, const StacklessSample& sample, const Chain& chain,
           const PerfSample& record);
  bool is_full() const {
    return count_ >= kMaxSamples || stack_bytes_ >= kMaxStackBytes;
  }

  // Unwinds what was added and calls use(space, sample, chain) for each sample
  // with its whole chain, in the order of add().
  template <class Use>
  void run(Use use) {
    unwind_all();
    for (std::size_t i = 0; i < count_; ++i)
      use(*jobs_[i].space, jobs_[i].sample, jobs_[i].chain);
    count_ = 0;
    stack_bytes_ = 0;
  }

  // For images that were released.
  void forget_rules() {
    for (Worker& worker : workers_) worker.unwinder.reset();
  }

  // How many stacks ended for this reason.
  std::uint64_t count(UnwindEnd end) const {
    return ends_[static_cast<std::size_t>(end)];
  }
  // Why the stacks ended, for those that did not reach their root. `has_room`:
  // more could have been copied of each.
  void note_ends(Diagnostics& diagnostics, bool has_room = true) const;
  // Those so far are noted.
  void forget_ends();
  // The most bytes that were copied of a stack that is deeper; 0 for none.
  std::uint64_t copied_bytes() const { return copied_bytes_; }

 private:
  static constexpr std::size_t kMaxSamples = 2048;
  static constexpr std::size_t kMaxStackBytes = std::size_t{16} << 20;

  struct Job {
    Space* space = nullptr;
    StacklessSample sample;
    Chain chain;
    Registers registers;
    std::string_view stack;
    std::uint64_t stack_wanted = 0;  // bytes; the kernel stops at a page fault
    std::string copy;
    UnwindEnd end = UnwindEnd::kRoot;
  };
  void unwind_all();
  void count_short_copy(const Job& job);
  void count_end(const Job& job);
  // Notes it if the last frame is in a file that could not be read.
  bool ends_in_unread_file(const Job& job);

  Machine machine_;
  Images& images_;
  Options options_;
  std::vector<Job> jobs_;  // reused, `count_` of them in use
  std::size_t count_ = 0, stack_bytes_ = 0;
  struct Worker {
    std::unique_ptr<Unwinder> unwinder;
    std::vector<std::uint64_t> addresses;
  };
  std::vector<Worker> workers_;
  std::array<std::uint64_t, static_cast<std::size_t>(UnwindEnd::kCount)>
      ends_{};
  // Of those that were too short: no larger copy is possible (and frame
  // pointers lead no further), or a larger one does not help.
  std::uint64_t beyond_copy_ = 0, beyond_all_ = 0, not_copied_ = 0;
  std::uint64_t copied_bytes_ = 0;  // of the others
  // Stacks that end in a file that could not be read; not in `ends_`.
  Diagnostics unread_files_;
};

}  // namespace wick
