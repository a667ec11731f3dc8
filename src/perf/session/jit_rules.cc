// SPDX-License-Identifier: Apache-2.0
#include "perf/session/jit_rules.h"

#include <sys/uio.h>

#include <algorithm>
#include <utility>

#include "object/jit/jit_files.h"
#include "object/unwind/straight_code.h"

namespace wick {

JitRules::JitRules(const JitRulesLimits& limits)
    : memory_(limits.memory), open_files_(limits.open_files, kMostDumps) {}

void JitRules::announce(std::uint32_t pid, std::string_view path) {
  const std::scoped_lock lock(mutex_);
  if (std::ranges::find(dumps_, path, &Dump::path) != dumps_.end() ||
      dumps_.size() == kMostDumps || !open_files_.take(1))
    return;
  UniqueFd fd = open_jitdump(pid, std::string(path));
  if (!fd) return open_files_.give_back(1);
  dumps_.push_back({.path = std::string(path), .fd = std::move(fd)});
}

std::optional<UnwindRule> JitRules::find(Machine machine,
                                         std::uint64_t address) {
  const std::scoped_lock lock(mutex_);
  for (Dump& dump : dumps_) {
    if (!dump.file)
      dump.file =
          std::make_unique<JitUnwindFile>(machine, std::move(dump.fd), memory_);
    if (const auto rule = dump.file->find(address)) return rule;
  }
  return {};
}

std::optional<UnwindRule> rule_from_memory(std::uint32_t pid,
                                           std::uint64_t address) {
  constexpr std::uint64_t kPage = 4096;
  if (address < kPage || address > UINT64_MAX - kPage) return {};
  char code[kStraightCodeBefore + kStraightCodeAfter];
  const std::uint64_t start = address - kStraightCodeBefore;
  // The second of two pages may be unmapped.
  const std::size_t first =
      std::min<std::uint64_t>(sizeof code, kPage - start % kPage);
  const iovec here{code, sizeof code};
  const iovec there[2] = {
      {reinterpret_cast<void*>(start), first},
      {reinterpret_cast<void*>(start + first), sizeof code - first}};
  const ssize_t got = ::process_vm_readv(static_cast<pid_t>(pid), &here, 1,
                                         there, first < sizeof code ? 2 : 1, 0);
  if (got <= static_cast<ssize_t>(kStraightCodeBefore)) return {};
  return rule_of_straight_code(own_machine(),
                               {code, static_cast<std::size_t>(got)},
                               kStraightCodeBefore);
}

}  // namespace wick
