// SPDX-License-Identifier: Apache-2.0
#include "perf/events/tracefs.h"

#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

namespace wick {

std::string readable_tracefs(const SystemPaths& paths) {
  for (const std::string& path : {paths.tracefs, paths.debug_tracefs})
    if (::access((path + "/events").c_str(), R_OK | X_OK) == 0) return path;
  return {};
}

TracefsState tracefs_state(const SystemPaths& paths) {
  if (!readable_tracefs(paths).empty()) return TracefsState::kReadable;
  struct statfs system {};
  if (::statfs(paths.tracefs.c_str(), &system) != 0)
    return TracefsState::kAbsent;
  return system.f_type == TRACEFS_MAGIC ? TracefsState::kHidden
                                        : TracefsState::kNotMounted;
}

int mount_tracefs(const SystemPaths& paths) {
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  return ::mount("tracefs", paths.tracefs.c_str(), "tracefs", kFlags,
                 nullptr) == 0
             ? 0
             : errno;
}

}  // namespace wick
