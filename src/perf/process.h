// SPDX-License-Identifier: Apache-2.0
// What is known of a process and its threads at one moment of a recording.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "object/address_space.h"
#include "perf/chain.h"
#include "perf/chain_cache.h"
#include "perf/process_jit.h"
#include "profile/profile.h"

namespace wick {

// The mappings of a process, and what was found out with them.
struct Space {
  AddressSpace map;
  std::uint64_t version = 0;  // a new one with every change of the map
  ChainCache cache;
  ProcessJit jit;
  // Samples that wait to be unwound with this map.
  std::size_t waiting = 0;
};

struct Task {
  std::uint32_t pid = 0, tid = 0;
  std::string comm;
  ThreadId id = ThreadId::kUnknown;  // in the profile; kUnknown: not yet
  // The last time that it left the CPU: the number of the switch, which leads
  // to the stack, and when; 0 while it runs.
  std::uint32_t last_switch = StacklessSample::kNoSwitch;
  std::uint64_t off_since = 0;

  bool is_off() const { return off_since != 0; }
};

// The thread in the profile, made if it is new.
ThreadId thread_of(Profile& profile, Task& task);

// Processes by pid and threads by tid, as FORK, COMM and EXIT change them.
class Tasks {
 public:
  Tasks() = default;

  Space& space(std::uint32_t pid);
  Task& task(std::uint32_t pid, std::uint32_t tid);
  // Null if nothing was heard of it yet.
  Task* find(std::uint32_t tid);

  void fork(std::uint32_t parent_pid, std::uint32_t parent_tid,
            std::uint32_t pid, std::uint32_t tid);
  void comm(std::uint32_t pid, std::uint32_t tid, std::string_view name);
  // The program of a process was replaced: nothing is mapped any more.
  void exec(std::uint32_t pid);

  auto begin() { return tasks_.begin(); }
  auto end() { return tasks_.end(); }

 private:
  std::unordered_map<std::uint32_t, std::unique_ptr<Space>> spaces_;
  std::unordered_map<std::uint32_t, Task> tasks_;
};

// A version that no map has had.
std::uint64_t next_map_version();

}  // namespace wick
