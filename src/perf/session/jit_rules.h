// SPDX-License-Identifier: Apache-2.0
// Unwind rules of code that a process generated: from its jitdumps, or from its
// instructions in memory while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "object/elf/machine.h"
#include "object/jit/jit_unwind.h"
#include "object/unwind/unwind_rule.h"

namespace wick {

// What the jitdumps of all processes share.
struct JitRulesLimits {
  std::shared_ptr<MemoryBudget> memory;  // null: no limit
  static constexpr std::uint64_t kMostOpen = 256;
  std::shared_ptr<MemoryBudget> open_files =
      std::make_shared<MemoryBudget>(kMostOpen);
};

// Of one process and of those that it forked.
class JitRules {
 public:
  explicit JitRules(const JitRulesLimits& limits);

  // The process mapped a jitdump. It is opened at once, as it may disappear
  // with its process, and read as far as rules are asked for.
  void announce(std::uint32_t pid, std::string_view path);
  // Nothing if no jitdump has a rule for the address. Thread-safe.
  std::optional<UnwindRule> find(Machine machine, std::uint64_t address);

 private:
  static constexpr std::size_t kMostDumps = 4;
  struct Dump {
    std::string path;
    UniqueFd fd;  // until the first find()
    std::unique_ptr<JitUnwindFile> file;
  };
  std::mutex mutex_;
  std::shared_ptr<MemoryBudget> memory_;
  MemoryAccount open_files_;
  std::vector<Dump> dumps_;
};

// From the instructions at an address of a running process of this machine; see
// object/unwind/straight_code.h. Nothing if its memory cannot be read.
std::optional<UnwindRule> rule_from_memory(std::uint32_t pid,
                                           std::uint64_t address,
                                           CodePlace place);
// Whether a call ends with the byte at an address of such a process.
bool is_call_in_memory(std::uint32_t pid, std::uint64_t address);

}  // namespace wick
