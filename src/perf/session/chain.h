// SPDX-License-Identifier: Apache-2.0
// The addresses of one sample's stack. The kernel has them leaf first, with
// markers between the parts and callers as return addresses; here the parts are
// separate, and each caller's address is inside its call instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <unordered_map>
#include <vector>

#include "perf/records/record.h"
#include "profile/profile.h"

namespace wick {

class Chain {
 public:
  // Reads the callchain of a sample or, without one, its address alone. If the
  // CPU recorded calls (perf record --call-graph lbr), they are the user part.
  void read(const PerfSample& sample, const EventAttr& attr,
            std::uint16_t cpu_mode);

  // The user part, leaf first: from the kernel (`is_raw`, return addresses), or
  // unwound.
  void append_user(std::span<const std::uint64_t> addresses, bool is_raw);

  std::size_t user_count() const { return words_.size() - 1 - kernel_count(); }
  std::size_t kernel_count() const { return words_[0]; }

  std::span<const std::uint64_t> kernel_leaf_first() const {
    return std::span(words_).subspan(1, kernel_count());
  }
  std::span<const std::uint64_t> user_leaf_first() const {
    return std::span(words_).subspan(1 + kernel_count());
  }
  auto kernel_callers_first() const {
    return kernel_leaf_first() | std::views::reverse;
  }
  auto user_callers_first() const {
    return user_leaf_first() | std::views::reverse;
  }
  // Everything, for comparison.
  std::span<const std::uint64_t> words() const { return words_; }

  // The user part comes in a later record with this cookie.
  std::optional<std::uint64_t> deferred_cookie;
  // Addresses of guests and hypervisors, which are indistinguishable here.
  std::uint32_t foreign = 0;

 private:
  static bool has_calls(const PerfSample& sample, const EventAttr& attr);
  void append_calls(const PerfSample& sample, const EventAttr& attr);

  // The number of kernel addresses, then those, then the user's.
  std::vector<std::uint64_t> words_{0};
};

// A sample on its way to its stack.
struct StacklessSample {
  static constexpr std::uint32_t kNoSwitch = 0xffffffff;
  Sample sample;
  // The number of the switch off the CPU that it was taken at.
  std::uint32_t switch_number = kNoSwitch;
  std::uint32_t waking_number = kNoSwitch;  // or the waking of another thread
};

// Samples whose user part comes later (Linux 6.19, defer_callchain).
class DeferredChains {
 public:
  void add(std::uint32_t tid, const StacklessSample& sample,
           const Chain& chain) {
    waiting_[tid].push_back({sample, chain});
  }

  template <class Use>
  void complete(std::uint32_t tid, const DeferredCallchain& deferred, Use use) {
    const auto found = waiting_.find(tid);
    if (found == waiting_.end()) return;
    std::erase_if(found->second, [&](Waiting& w) {
      if (w.chain.deferred_cookie != deferred.cookie) return false;
      w.chain.append_user(deferred.callchain, true);
      use(w.sample, w.chain);
      return true;
    });
  }

  // Samples whose user part never came.
  template <class Use>
  void give_up(Use use) {
    for (auto& [tid, list] : waiting_)
      for (Waiting& w : list) use(w.sample, w.chain);
    waiting_.clear();
  }

 private:
  struct Waiting {
    StacklessSample sample;
    Chain chain;
  };
  std::unordered_map<std::uint32_t, std::vector<Waiting>> waiting_;
};

}  // namespace wick
