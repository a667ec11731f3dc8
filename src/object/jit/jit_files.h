// SPDX-License-Identifier: Apache-2.0
// Finds the perf map of a process, and reads it only if it can be trusted to be
// that process's: /tmp is everybody's, and whoever can put a file there names
// what others see in their profiles.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "object/jit/jit_map.h"

namespace wick {

// All of a regular file that belongs to `owner` or to root, if it is not a
// symbolic link and has at most `max_size` bytes. Never waits (a FIFO is no
// regular file), and does not fail if the file shrinks meanwhile.
std::optional<std::string> read_owned_file(
    const std::string& path, uid_t owner,
    std::uint64_t max_size = std::uint64_t{512} << 20);

// The same of `path` within the directory `root`: symbolic links on the way are
// followed within it and cannot lead out of it. Linux 5.6.
std::optional<std::string> read_owned_file_in(
    const std::string& root, const std::string& path, uid_t owner,
    std::uint64_t max_size = std::uint64_t{512} << 20);

struct ProcessIds {
  std::uint32_t pid = 0;
  // Its number in its own pid namespace, by which it names its file; the same
  // where it has none.
  std::uint32_t namespace_pid = 0;
  uid_t uid = 0;
};
// Of a process that runs; nothing if it does not, then `pid` as namespace_pid
// and one's own uid are the best guess.
std::optional<ProcessIds> process_ids(std::uint32_t pid);

// /tmp/perf-PID.map as the process sees it (through /proc/PID/root, if it
// runs), else our own. Nothing if there is none that may be used.
std::optional<JitMap> read_perf_map(std::uint32_t pid);

// A jitdump that a recording names as mapped: its path as the process saw it.
std::optional<JitMap> read_jitdump(std::uint32_t pid, const std::string& path);

}  // namespace wick
