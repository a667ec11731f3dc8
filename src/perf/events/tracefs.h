// SPDX-License-Identifier: Apache-2.0
// tracefs, where the kernel describes its tracepoints. Few containers and not
// all small systems mount it.
#pragma once

#include <cstdint>
#include <string>

#include "perf/events/system_paths.h"

namespace wick {

enum class TracefsState : std::uint8_t {
  kReadable,
  kHidden,      // mounted, but only root may look
  kNotMounted,  // its directory is there and empty
  kAbsent,      // the kernel has none, or /sys is not mounted
};
TracefsState tracefs_state(const SystemPaths& paths);

// Options of `mount` that let this user read it: "mode=750,gid=1000". Most of
// its files can be read by their group, but by no others (since Linux 5.16,
// TRACE_MODE_READ), so a mode alone is not enough.
std::string tracefs_options();

// Mounts it at paths.tracefs, as perf does, and leaves it there. 0 or errno.
int mount_tracefs(const SystemPaths& paths);

}  // namespace wick
