// SPDX-License-Identifier: Apache-2.0
// Finds the perf map of a process, and reads it only if it certainly belongs to
// that process: anyone can put a file into /tmp, and its names would appear in
// other users' profiles.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "object/jit/jit_map.h"

namespace wick {

// The contents of a regular file that belongs to `owner` or root, is not a
// symbolic link and has at most `max_size` bytes. Never blocks (a FIFO is not a
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
  // Its pid in its own pid namespace, which is in the name of its file; the
  // same if it has none.
  std::uint32_t namespace_pid = 0;
  uid_t uid = 0;
};
// Of a running process; nothing if it has ended: `pid` as namespace_pid and
// one's own uid are then the best guess.
std::optional<ProcessIds> process_ids(std::uint32_t pid);

// /tmp/perf-PID.map as the process sees it (through /proc/PID/root, if it is
// running), else our own. Nothing if there is none that can be trusted.
std::optional<JitMap> read_perf_map(std::uint32_t pid);

// A jitdump that a recording lists as mapped, by its path in the process.
std::optional<JitMap> read_jitdump(std::uint32_t pid, const std::string& path);

}  // namespace wick
