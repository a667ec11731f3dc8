// SPDX-License-Identifier: Apache-2.0
// perf_event_open: from an EventAttr to a file descriptor, on old and new
// kernels, with whatever privileges there are.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "io/unique_fd.h"
#include "perf/events/kernel_limits.h"
#include "perf/records/attr.h"

namespace wick {

// What to count, and where.
struct OpenTarget {
  pid_t pid = -1;  // a thread; 0: this one; -1: all on `cpu`
  int cpu = -1;    // -1: wherever the thread runs
  int group_fd = -1;
  int cgroup_fd = -1;  // only threads of it; then pid is -1 and cpu is not
};

enum class OpenFailure : std::uint8_t {
  kNone,
  kNotAllowed,    // paranoid, capabilities, seccomp
  kNoCounter,     // this machine cannot count or sample it: try cpu-clock
  kNoProcess,     // it has ended
  kTooManyFiles,  // the limit of open files, raised as far as allowed
  kInvalid,       // a combination that the kernel does not support
  kNoClock,       // one that the kernel does not use for such an event
  kNoPerfEvents,  // the kernel has none
  kBusy,          // another program has the counter
  kNoMemory,
  kOther,
};

// What had to be left out for older kernels or lack of privileges, as bits.
namespace given_up {
inline constexpr std::uint32_t kKernel = 1 << 0;    // user code only
inline constexpr std::uint32_t kPrecise = 1 << 1;   // less precise addresses
inline constexpr std::uint32_t kBuildIds = 1 << 2;  // in MMAP2; Linux 5.12
inline constexpr std::uint32_t kKernelSymbols = 1 << 3;  // of BPF; 5.1
inline constexpr std::uint32_t kCgroups = 1 << 4;        // 5.7
inline constexpr std::uint32_t kNamespaces = 1 << 5;     // 4.12
inline constexpr std::uint32_t kTextPokes = 1 << 6;      // 5.9
inline constexpr std::uint32_t kSwitches = 1 << 7;       // 4.3
inline constexpr std::uint32_t kClock = 1 << 8;          // use_clockid; 4.1
inline constexpr std::uint32_t kCommExec = 1 << 9;       // 3.16
inline constexpr std::uint32_t kMmap2 = 1 << 10;         // 3.16
inline constexpr std::uint32_t kMaxStack = 1 << 11;      // sample_max_stack
inline constexpr std::uint32_t kReadLost = 1 << 12;      // 6.0
inline constexpr std::uint32_t kDeferred = 1 << 13;      // 6.19
inline constexpr std::uint32_t kRate = 1 << 14;          // a lower frequency
}  // namespace given_up
// "kernel code", "build ids of mapped files" …, for messages.
std::vector<std::string_view> describe_given_up(std::uint32_t bits);

struct OpenResult {
  UniqueFd fd;  // none if it failed
  OpenFailure failure = OpenFailure::kNone;
  int error = 0;  // errno
};

// The system call alone: a file descriptor, or -errno. Tests pass another one.
using RawOpen = std::function<int(const EventAttr&, const OpenTarget&)>;
int raw_open_event(const EventAttr& attr, const OpenTarget& target);

// Opens `attr`, if need be without what the kernel refuses. `attr` is then what
// was opened (so that later CPUs need no second try; also what the file gets),
// and `lost` has bits of given_up. Sets attr.size. A clock other than the
// default is not given up, as the user chose it. Never throws.
OpenResult try_open_event(EventAttr& attr, const OpenTarget& target,
                          const KernelLimits& limits, std::uint32_t& lost,
                          const RawOpen& raw_open = raw_open_event);

// What was refused, why, and the command or setting that helps.
class OpenError : public Error {
 public:
  OpenError(OpenFailure failure, const std::string& message, Settings helps)
      : Error(message, {.wrong = std::nullopt, .helps = helps}),
        failure(failure) {}
  OpenFailure failure;
};

// `name` is the event's.
OpenError open_error(const OpenResult& result, std::string_view name,
                     const EventAttr& attr, const OpenTarget& target,
                     const KernelLimits& limits);
// OpenFailure::kTooManyFiles, if the number of files is known.
OpenError too_many_files_error(std::size_t threads, std::size_t cpus,
                               std::size_t events, const KernelLimits& limits);

// As try_open_event, but throws OpenError.
UniqueFd open_event(std::string_view name, EventAttr& attr,
                    const OpenTarget& target, const KernelLimits& limits,
                    std::uint32_t& lost);

// These throw Error.
std::uint64_t event_id(int fd);
void enable_event(int fd);
void disable_event(int fd);
// A filter of a tracepoint, in the kernel's syntax: "prev_pid == 3".
void set_event_filter(int fd, const std::string& filter);
// The counter, as attr.read_format lays it out (not of groups): value, then
// enabled, running, id and lost where they are asked for.
struct EventCount {
  std::uint64_t value = 0, enabled = 0, running = 0, id = 0, lost = 0;
};
EventCount read_event(int fd, const EventAttr& attr);

}  // namespace wick
