// SPDX-License-Identifier: Apache-2.0
// The processes below others, from /proc. /proc/PID/task/TID/children would be
// quicker, but many kernels have no such files (CONFIG_PROC_CHILDREN), so the
// parents of all processes are read: some ten microseconds for each.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "perf/events/system_paths.h"

namespace wick {

// `pids` and all their descendants, ascending and each once, except this
// process and its own: a recorder below a recorded shell does not record
// itself. A process whose parent has ended belongs to init or a subreaper.
std::vector<pid_t> with_descendants(const std::vector<pid_t>& pids,
                                    const SystemPaths& paths = {});

// The name of a process; "" if it has ended.
std::string name_of(pid_t pid, const SystemPaths& paths = {});
// The parent of a process; 0 if it has ended.
pid_t parent_of(pid_t pid, const SystemPaths& paths = {});

}  // namespace wick
