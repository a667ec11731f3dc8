// SPDX-License-Identifier: Apache-2.0
// Where the processes of a profile belong: their names, control groups and
// containers, as /proc has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profile/profile.h"
#include "server/batch/batch.h"

namespace wick {

// The container that a control group is made for, by the names that runtimes
// give to groups: the first 12 digits of its id, as their commands show it, or
// the name of a machine of systemd or LXC. "" if it is none.
std::string container_of(std::string_view cgroup);

// The control group of /proc/PID/cgroup: that of version 2, or where all
// controllers are of version 1, that of the first that is not the root.
std::string cgroup_of(std::string_view text);

class ProcessPlaces {
 public:
  explicit ProcessPlaces(std::string proc = "/proc") : proc_(std::move(proc)) {}

  // A process begins in the control group of its parent, and many end before
  // anybody looks at them.
  void on_fork(std::int32_t parent, std::int32_t pid);

  // Of all processes that have samples, by pid. One that has ended is where it
  // was last seen or began.
  std::vector<BatchProcess> of(const Profile& profile);

 private:
  // The others are forgotten, first those that were met first.
  static constexpr std::size_t kMostKnown = 8192;

  bool look_at(BatchProcess& process) const;
  BatchProcess* find(std::int32_t pid);
  BatchProcess& remember(std::int32_t pid);

  std::string proc_;
  std::unordered_map<std::int32_t, BatchProcess> known_;
  std::deque<std::int32_t> order_;  // of known_
};

}  // namespace wick
