// SPDX-License-Identifier: Apache-2.0
// The state of processes and threads at one moment of a recording.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/memory_budget.h"
#include "object/address_space.h"
#include "perf/session/chain.h"
#include "perf/session/chain_cache.h"
#include "perf/session/jit_rules.h"
#include "perf/session/process_jit.h"
#include "profile/profile.h"

namespace wick {

// The mappings of a process, and caches that depend on them.
struct Space {
  std::uint32_t pid = 0;
  AddressSpace map;
  // While the kernel executes another program, stacks still lead to the call in
  // the old one: the old mappings, until the new program runs.
  AddressSpace old_map;
  std::uint64_t version = 0;  // changes with the map
  ChainCache cache;
  ProcessJit jit;
  std::shared_ptr<JitRules> jit_rules;  // null: no jitdump was announced
  // Samples that wait to be unwound by this map.
  std::size_t waiting = 0;
  // The version of the kernel's map that `cache` was made with.
  std::uint64_t kernel_version = 0;
  std::size_t copied_mappings = 0;  // from its parent
  // At least what its mappings and the names of their files take; beyond its
  // share, no more code is mapped until it executes another program.
  std::uint64_t claimed_bytes = 0;
  bool is_full = false;
  bool is_refused = false;        // something was not mapped
  std::uint64_t taken_bytes = 0;  // for its mappings, from the recording's

  const Mapping* find(std::uint64_t address) const {
    const Mapping* mapping = map.find(address);
    return mapping != nullptr ? mapping : old_map.find(address);
  }
};

struct Task {
  // What the kernel reports for a thread that has given up its tid and leaves
  // the CPU for the last time.
  static constexpr std::uint32_t kNoTid = 0xffffffff;
  // Every CPU's idle task.
  static constexpr std::uint32_t kIdleTid = 0;
  // Whether it is a real thread, one that begins, waits and ends.
  static bool is_thread(std::uint32_t tid) {
    return tid != kNoTid && tid != kIdleTid;
  }

  std::uint32_t pid = 0, tid = 0;
  std::string comm;
  ThreadId id = ThreadId::kUnknown;  // in the profile; kUnknown: not in it yet
  // When it last left the CPU: the number of the switch, which leads to the
  // stack, and the time; 0 while it runs.
  std::uint32_t last_switch = StacklessSample::kNoSwitch;
  std::uint64_t off_since = 0;
  std::uint64_t last_switch_time = 0;
  bool was_preempted = false;  // then, by the switch record
  // It existed before the recording and has not been seen on the CPU yet, so it
  // presumably sleeps.
  bool is_off_from_the_start = false;
  bool is_new = false;  // and this is its real start
  // When it was last seen on the CPU, if ever, and on which, below.
  std::uint64_t seen_on = 0;
  // The numbers of wakings: the last one, and the one that ended its last wait.
  std::uint32_t waking = StacklessSample::kNoSwitch;
  std::uint32_t woken_by = StacklessSample::kNoSwitch;

  std::uint32_t cpu = 0;
  bool has_ended = false;
  std::uint64_t end_number = 0;  // of all ends so far

  bool is_off() const { return off_since != 0; }
  // Leaves the CPU for good.
  bool never_waits() const { return has_ended || !is_thread(tid); }
};

// The thread in the profile, added if it is new.
ThreadId thread_of(Profile& profile, Task& task);

// Processes by pid and threads by tid, as FORK, COMM and EXIT change them.
class Tasks {
 public:
  // What they may take; null: no limit besides those below. Processes and
  // threads beyond it share one that has neither a name nor mappings.
  explicit Tasks(std::shared_ptr<MemoryBudget> memory = nullptr)
      : has_limit_(memory != nullptr),
        share_(memory ? memory->limit() / 2 : MemoryBudget::kNoLimit),
        memory_(std::move(memory), MemoryBudget::kNoLimit) {}

  // For all processes together: a hostile file could demand memory with a few
  // bytes each.
  static constexpr std::size_t kMaxMappings = std::size_t{4} << 20;
  // Ended threads whose names are kept.
  static constexpr std::size_t kKeptEnded = 4096;

  Space& space(std::uint32_t pid);
  Task& task(std::uint32_t pid, std::uint32_t tid);
  // Null if it is unknown so far.
  Task* find(std::uint32_t tid);

  // A process that really forks (rather than being described later) inherits
  // the mappings of its parent. False if there are too many: then it has none.
  bool fork(std::uint32_t parent_pid, std::uint32_t parent_tid,
            std::uint32_t pid, std::uint32_t tid, bool is_real);
  void comm(std::uint32_t pid, std::uint32_t tid, std::string_view name);
  // exec replaced the program: nothing is mapped any more. Until the new one
  // runs, `old_map` has the previous mappings.
  void exec(std::uint32_t pid);
  // A thread has ended. Returns the space of its process if it was the last
  // known thread.
  Space* exit(std::uint32_t pid, std::uint32_t tid);
  // Forgets threads that ended long ago. Returns the pid of a process whose
  // last thread was forgotten; call it until it returns nothing.
  std::optional<std::uint32_t> forget_oldest();
  Space* find_space(std::uint32_t pid);
  void remove_space(std::uint32_t pid);

  // Whether one more file of code may be mapped, whose name has `name_size`
  // bytes. `claim` says what its mappings claim now.
  template <class Claim>
  bool has_room(Space& space, std::size_t name_size, Claim claim) {
    if (!has_limit_) return true;
    if (space.is_full) return false;
    space.claimed_bytes += kMappingBytes + name_size;
    if (space.claimed_bytes > share_) {
      space.claimed_bytes = claim();
      // Not exactly at the limit: counting again each time would be slow.
      space.is_full = space.claimed_bytes > share_ / 4 * 3;
    }
    if (space.is_full || memory_.available() < 2 * kMappingBytes) {
      refuse(space);
      return false;
    }
    return true;
  }
  // Some of its code is not mapped.
  void refuse(Space& space);
  // After each change of a map: takes the memory of its mappings.
  void account(Space& space);
  static constexpr std::uint64_t kMappingBytes = 2 * sizeof(Mapping);

  template <class Visit>
  void for_each_space(Visit visit) const {
    for (const auto& [pid, space] : spaces_) visit(*space);
  }

  // Processes whose code is not, or not completely, known for lack of memory.
  std::uint64_t refused_processes() const { return refused_processes_; }

  auto begin() { return tasks_.begin(); }
  auto end() { return tasks_.end(); }

 private:
  // With what the tables need to find them.
  static constexpr std::uint64_t kSpaceBytes = sizeof(Space) + 64;
  static constexpr std::uint64_t kTaskBytes = sizeof(Task) + 96;

  void add_thread(std::uint32_t pid) { ++thread_counts_[pid]; }
  void remove_thread(std::uint32_t pid);
  Task& nobody(std::uint32_t pid, std::uint32_t tid);

  bool has_limit_;
  std::uint64_t share_;  // of one process
  MemoryAccount memory_;
  std::uint64_t refused_processes_ = 0;
  std::uint32_t last_refused_pid_ = 0;
  Space nowhere_;
  Task nobody_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Space>> spaces_;
  std::unordered_map<std::uint32_t, Task> tasks_;
  std::unordered_map<std::uint32_t, std::uint32_t> thread_counts_;  // by pid
  std::size_t mappings_ = 0;  // copied by forks
  struct Ended {
    std::uint32_t tid;
    std::uint64_t number;
  };
  std::deque<Ended> ended_;  // oldest first
  std::uint64_t ends_ = 0;
};

// A version that no map has had yet.
std::uint64_t next_map_version();

}  // namespace wick
