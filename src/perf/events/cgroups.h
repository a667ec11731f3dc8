// SPDX-License-Identifier: Apache-2.0
// Control groups, as far as perf events know them.
#pragma once

#include <sys/types.h>

#include <string>
#include <unordered_set>

#include "base/unique_fd.h"
#include "perf/events/system_paths.h"

namespace wick {

// The folder where groups that perf events can follow are mounted: the first
// version's hierarchy of perf_event, else the second version's only one. Fails
// if there is neither, or the kernel knows no such groups.
std::string perf_cgroup_root(const SystemPaths& paths = {});

// The folder of a group; `name` is a path below that root, or in the file
// system. Fails if there is none, and names some that there are.
UniqueFd open_cgroup(const std::string& name, const SystemPaths& paths = {});

// The threads that are in such a group, or in one below it, now.
std::unordered_set<pid_t> threads_of_cgroup(const std::string& name,
                                            const SystemPaths& paths = {});

}  // namespace wick
