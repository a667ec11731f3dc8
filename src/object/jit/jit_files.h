// SPDX-License-Identifier: Apache-2.0
// Finds the perf map of a process, and reads it only if it certainly belongs to
// that process: anyone can put a file into /tmp, and its names would appear in
// other users' profiles. Pids are used again and maps stay, so one that is
// older than its process is an earlier one's.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/memory_budget.h"
#include "io/unique_fd.h"
#include "object/jit/jit_map.h"

namespace wick {

// A regular file that belongs to `owner` or root and is not a symbolic link.
// Never blocks (a FIFO is not a regular file). Nothing if it is not such a
// file.
UniqueFd open_owned_file(const std::string& path, uid_t owner);

// The same of `path` within the directory `root`: symbolic links on the way are
// followed within it and cannot lead out of it. Linux 5.6.
UniqueFd open_owned_file_in(const std::string& root, const std::string& path,
                            uid_t owner);

struct ProcessIds {
  std::uint32_t pid = 0;
  // Its pid in its own pid namespace, which is in the name of its file; the
  // same if it has none.
  std::uint32_t namespace_pid = 0;
  uid_t uid = 0;
  std::int64_t start = 0;  // in nanoseconds since 1970; 0: unknown
};
// Of a running process; nothing if it has ended: `pid` as namespace_pid and
// one's own uid are then the best guess.
std::optional<ProcessIds> process_ids(std::uint32_t pid);

// The root directory of a running process, held: its files can be opened until
// long after its end.
class ProcessRoot {
 public:
  // Not open if the process has ended.
  static ProcessRoot open(std::uint32_t pid);
  bool is_open() const { return static_cast<bool>(root_); }

  // A file of the process by its path in there; see open_owned_file_in().
  UniqueFd open_owned(const std::string& path) const;
  const ProcessIds& ids() const { return ids_; }

 private:
  UniqueFd root_;
  ProcessIds ids_;
};

// What a recording tells of a process, in nanoseconds since 1970; 0: unknown.
struct ProcessTimes {
  std::int64_t began = 0;
  std::int64_t seen_until = 0;  // one that began later only has its pid
};

// The files that the functions below read; not open if there is none that can
// be trusted. Of a process whose `root` is not open, our own are tried.
UniqueFd open_perf_map(std::uint32_t pid, const ProcessRoot& root,
                       const ProcessTimes& times = {});
UniqueFd open_jitdump(const std::string& path, const ProcessRoot& root);

struct JitFile {
  JitMap map;
  bool is_complete = true;  // all of it was read, and all its functions kept
};

// /tmp/perf-PID.map as the process sees it (through /proc/PID/root, if it is
// running), else our own. Nothing if there is none that can be trusted, or it
// is not text. Takes what it keeps from `memory`, and reads only as much.
std::optional<JitFile> read_perf_map(std::uint32_t pid, MemoryAccount& memory,
                                     const ProcessTimes& times = {});
std::optional<JitFile> read_perf_map(const UniqueFd& fd, MemoryAccount& memory);

// The jitdump that a process has mapped, by its path there; not open if it is
// not one, or cannot be trusted.
UniqueFd open_jitdump(std::uint32_t pid, const std::string& path);

// A jitdump that a recording lists as mapped, by its path in the process.
// Nothing if it does not begin as one.
std::optional<JitFile> read_jitdump(std::uint32_t pid, const std::string& path,
                                    MemoryAccount& memory);
std::optional<JitFile> read_jitdump(const UniqueFd& fd, MemoryAccount& memory);

}  // namespace wick
