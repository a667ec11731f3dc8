// SPDX-License-Identifier: Apache-2.0
// A set of pids or tids: a bit for each that there can be, half a megabyte at
// most, however many processes come and go.
#pragma once

#include <cstdint>
#include <vector>

namespace wick {

class PidSet {
 public:
  // The kernel's limit. 0 is the idle task, -1 a task that has ended; these and
  // everything beyond the limit are never in the set.
  static constexpr std::uint32_t kMaxPid = 1 << 22;

  // Whether it is new.
  bool insert(std::uint32_t pid) {
    if (pid == 0 || pid > kMaxPid) return false;
    if (pid >= bits_.size()) bits_.resize(pid + 1);
    const bool is_new = !bits_[pid];
    bits_[pid] = true;
    return is_new;
  }
  void erase(std::uint32_t pid) {
    if (contains(pid)) bits_[pid] = false;
  }
  bool contains(std::uint32_t pid) const {
    return pid < bits_.size() && bits_[pid];
  }

 private:
  std::vector<bool> bits_;
};

}  // namespace wick
