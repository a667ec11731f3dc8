// SPDX-License-Identifier: Apache-2.0
#include "perf/session/chain.h"

namespace wick {

void Chain::read(const PerfSample& sample, const EventAttr& attr,
                 std::uint16_t cpu_mode) {
  words_.assign(1, 0);
  deferred_cookie.reset();
  foreign = 0;
  enum class Part { kKernel, kUser, kForeign };
  const auto part_of = [](std::uint16_t mode) {
    if (mode == misc::kKernel) return Part::kKernel;
    return mode == misc::kUser ? Part::kUser : Part::kForeign;
  };
  Part part = part_of(cpu_mode);
  if (sample.callchain.empty()) {
    if (!sample.has(sample_type::kIp)) return;
    // The kernel is excluded: neither its chain nor its address counts.
    if (part == Part::kKernel && attr.flag(attr_flag::kExcludeCallchainKernel))
      return;
    // The user part of a sample in the kernel has yet to be unwound.
    if (part == Part::kUser &&
        (!sample.user_stack.empty() || has_calls(sample, attr)))
      return append_calls(sample, attr);
    if (part == Part::kForeign) ++foreign;
    if (part == Part::kKernel) words_[0] = 1;
    if (part != Part::kForeign) words_.push_back(sample.ip);
    return;
  }
  const std::span<const std::uint64_t> entries = sample.callchain;
  bool is_leaf = true;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint64_t entry = entries[i];
    if (entry >= callchain::kFirst) {
      is_leaf = true;
      if (entry == callchain::kUserDeferred && i + 1 < entries.size())
        deferred_cookie = entries[++i];
      else if (entry == callchain::kKernel)
        part = Part::kKernel;
      else
        part = entry == callchain::kUser ? Part::kUser : Part::kForeign;
      continue;
    }
    const std::uint64_t address = entry - (is_leaf || entry == 0 ? 0 : 1);
    is_leaf = false;
    if (part == Part::kForeign) {
      ++foreign;
      continue;
    }
    // The kernel's part comes first; a marker that returns to it is damage.
    if (part == Part::kKernel) {
      if (user_count() > 0) continue;
      ++words_[0];
    }
    words_.push_back(address);
  }
  if (user_count() == 0) append_calls(sample, attr);
}

bool Chain::has_calls(const PerfSample& sample, const EventAttr& attr) {
  return (attr.branch_sample_type & branch_type::kCallStack) != 0 &&
         !sample.branches.empty();
}

// The newest call entered the function that runs; each call comes from its
// caller.
void Chain::append_calls(const PerfSample& sample, const EventAttr& attr) {
  if (!has_calls(sample, attr)) return;
  words_.push_back(sample.has(sample_type::kIp) && kernel_count() == 0
                       ? sample.ip
                       : sample.branches.front().to);
  for (const BranchEntry& call : sample.branches)
    if (call.from != 0) words_.push_back(call.from);
}

void Chain::append_user(std::span<const std::uint64_t> addresses, bool is_raw) {
  bool is_leaf = true;
  for (const std::uint64_t address : addresses) {
    if (address >= callchain::kFirst) continue;
    words_.push_back(address - (is_raw && !is_leaf && address != 0 ? 1 : 0));
    is_leaf = false;
  }
}

}  // namespace wick
