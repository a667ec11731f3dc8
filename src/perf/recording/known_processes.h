// SPDX-License-Identifier: Apache-2.0
// Which processes a recording was told of. One that begins between the opening
// of the events that it inherits and their enabling has no FORK; nor has one
// whose record was lost. It is known by its first sample alone.
#pragma once

#include <cstdint>
#include <vector>

#include "perf/records/record.h"

namespace wick {

class KnownProcesses {
 public:
  // A record that was made of what /proc says: the names of all it knows.
  void on_described(const PerfRecord& record);
  // A record of the kernel. A program begins with all its mappings, and a child
  // has those of its parent. A new name or a thread tells of nothing.
  void visit(const PerfRecord& record);
  // The process of a sample if nobody told of it so far, and it is told of from
  // now on; else 0.
  std::uint32_t newcomer(const PerfRecord& sample);

 private:
  bool add(std::uint32_t pid);
  bool is_known(std::uint32_t pid) const {
    return pid < known_.size() && known_[pid];
  }

  // By pid. They are used again, so all there are is no more than this.
  static constexpr std::uint32_t kMaxPid = 1 << 22;
  std::vector<bool> known_;
  PerfSample sample_;
};

}  // namespace wick
