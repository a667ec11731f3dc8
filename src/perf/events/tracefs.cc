// SPDX-License-Identifier: Apache-2.0
#include "perf/events/tracefs.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

namespace wick {

namespace {

// The directory may be open to more users than the files in it.
bool may_read(const std::string& tracefs) {
  const std::string file = tracefs + "/events/header_page";
  return ::access((tracefs + "/events").c_str(), R_OK | X_OK) == 0 &&
         (::access(file.c_str(), F_OK) != 0 ||
          ::access(file.c_str(), R_OK) == 0);
}

}  // namespace

std::string readable_tracefs(const SystemPaths& paths) {
  for (const std::string& path : {paths.tracefs, paths.debug_tracefs})
    if (may_read(path)) return path;
  return {};
}

std::string tracefs_options() {
  return fmt::format("mode=750,gid={}", ::getegid());
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
