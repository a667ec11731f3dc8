// SPDX-License-Identifier: Apache-2.0
// Control groups, as perf events use them.
#pragma once

#include <sys/types.h>

#include <string>
#include <unordered_set>

#include "io/unique_fd.h"
#include "perf/events/system_paths.h"

namespace wick {

// Where groups that perf events can follow are mounted: the perf_event
// hierarchy of cgroup v1, else cgroup v2. Fails if neither is mounted, or if
// the kernel does not support them.
std::string perf_cgroup_root(const SystemPaths& paths = {});

// The folder of a group; `name` is a path below that root or an absolute one.
// Fails if there is no such group, and names a few that exist.
UniqueFd open_cgroup(const std::string& name, const SystemPaths& paths = {});

// The threads that are now in the group or in one below it.
std::unordered_set<pid_t> threads_of_cgroup(const std::string& name,
                                            const SystemPaths& paths = {});

}  // namespace wick
