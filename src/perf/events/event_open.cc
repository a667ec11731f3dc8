// SPDX-License-Identifier: Apache-2.0
#include "perf/events/event_open.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/text.h"
#include "io/read_file.h"

namespace wick {
namespace {

OpenFailure failure_of(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return OpenFailure::kNotAllowed;
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case EOPNOTSUPP:
      return OpenFailure::kNoCounter;
    case ESRCH:
      return OpenFailure::kNoProcess;
    case EMFILE:
    case ENFILE:
      return OpenFailure::kTooManyFiles;
    case EINVAL:
    case E2BIG:
    case EOVERFLOW:
      return OpenFailure::kInvalid;
    case ENOSYS:
      return OpenFailure::kNoPerfEvents;
    case EBUSY:
    case ENOSPC:  // all breakpoints are taken
      return OpenFailure::kBusy;
    case ENOMEM:
      return OpenFailure::kNoMemory;
    default:
      return OpenFailure::kOther;
  }
}

// A part of an attr that a kernel may not support.
struct Optional {
  std::uint32_t bit;
  std::string_view name;
  std::uint64_t flags = 0, sample_type = 0, read_format = 0;
};

// Newest first: a kernel that lacks one lacks all before it.
constexpr std::array kOptional = {
    Optional{given_up::kDeferred, "deferred user callchains",
             attr_flag::kDeferCallchain | attr_flag::kDeferOutput},
    Optional{.bit = given_up::kReadLost,
             .name = "counts of lost samples",
             .read_format = read_format::kLost},
    Optional{given_up::kBuildIds, "build ids of mapped files",
             attr_flag::kBuildId},
    Optional{given_up::kTextPokes, "changes of kernel code",
             attr_flag::kTextPoke},
    Optional{given_up::kCgroups, "cgroups", attr_flag::kCgroup,
             sample_type::kCgroup},
    Optional{given_up::kKernelSymbols, "names of BPF programs",
             attr_flag::kKsymbol | attr_flag::kBpfEvent},
    Optional{given_up::kNamespaces, "namespaces", attr_flag::kNamespaces},
    Optional{given_up::kSwitches, "context switches",
             attr_flag::kContextSwitch},
    Optional{given_up::kClock, "the choice of a clock", attr_flag::kUseClockid},
    Optional{given_up::kCommExec, "marks of exec", attr_flag::kCommExec},
    Optional{given_up::kMmap2, "inodes of mapped files", attr_flag::kMmap2},
};

bool drop(EventAttr& attr, const Optional& feature) {
  const EventAttr before = attr;
  attr.flags &= ~feature.flags;
  attr.sample_type &= ~feature.sample_type;
  attr.read_format &= ~feature.read_format;
  if (!attr.flag(attr_flag::kUseClockid)) attr.clockid = 0;
  return attr != before;
}

// Reduces an attr step by step, until the kernel takes it.
class Degrader {
 public:
  Degrader(EventAttr& attr, const OpenTarget& target,
           const KernelLimits& limits, std::uint32_t& lost)
      : attr_(attr), target_(target), limits_(limits), lost_(lost) {}

  // False if nothing is left to give up that may help against `error`.
  bool step(int error) {
    switch (error) {
      case EACCES:
      case EPERM:
        return without_rights();
      case EOPNOTSUPP:
        return less_precise();
      case EOVERFLOW:  // deeper callchains than are allowed
        return drop_max_stack();
      case EMFILE:
        if (std::exchange(raised_, true)) return false;
        return raise_open_files_limit() > limits_.open_files;
      case EINVAL:
      case E2BIG:
        return less_precise() || lower_rate() || drop_next() ||
               drop_max_stack();
      default:
        return false;
    }
  }

 private:
  bool without_rights() {
    if (attr_.flag(attr_flag::kNamespaces)) {  // needs CAP_PERFMON
      attr_.flags &= ~attr_flag::kNamespaces;
      lost_ |= given_up::kNamespaces;
      return true;
    }
    // Events of all threads of a CPU are refused with or without the kernel.
    if (target_.pid < 0 || attr_.flag(attr_flag::kExcludeKernel) ||
        attr_.flag(attr_flag::kExcludeUser) || attr_.happens_in_kernel())
      return false;
    attr_.flags |= attr_flag::kExcludeKernel | attr_flag::kExcludeHypervisor;
    lost_ |= given_up::kKernel;
    return true;
  }

  bool less_precise() {
    if (attr_.precise_ip() == 0) return false;
    attr_.flags -= 1ull << attr_flag::kPreciseShift;
    lost_ |= given_up::kPrecise;
    return true;
  }

  // The kernel lowers its limit when sampling takes too long, so the limit may
  // have changed since it was read.
  bool lower_rate() {
    const auto text =
        read_small_file("/proc/sys/kernel/perf_event_max_sample_rate", 64);
    if (!attr_.is_frequency() || !text) return false;
    const auto most = to_number<std::uint64_t>(trim(*text));
    if (!most || *most == 0 || attr_.sample_period <= *most) return false;
    attr_.sample_period = *most;
    lost_ |= given_up::kRate;
    return true;
  }

  bool drop_next() {
    for (; next_ < kOptional.size(); ++next_) {
      if (!drop(attr_, kOptional[next_])) continue;
      lost_ |= kOptional[next_].bit;
      return true;
    }
    return false;
  }

  bool drop_max_stack() {
    if (attr_.sample_max_stack == 0) return false;
    attr_.sample_max_stack = 0;  // as deep as is allowed
    lost_ |= given_up::kMaxStack;
    return true;
  }

  EventAttr& attr_;
  const OpenTarget& target_;
  const KernelLimits& limits_;
  std::uint32_t& lost_;
  std::size_t next_ = 0;
  bool raised_ = false;
};

// The kernel reads other clocks only where no NMI can interrupt it (see its
// perf_event_set_clock). None of them is a default.
bool is_for_all_events(const EventAttr& attr) {
  return attr.clockid == CLOCK_MONOTONIC || attr.clockid == CLOCK_MONOTONIC_RAW;
}

}  // namespace

int raw_open_event(const EventAttr& attr, const OpenTarget& target) {
  unsigned long flags = PERF_FLAG_FD_CLOEXEC;
  long pid = target.pid;
  if (target.cgroup_fd >= 0) {
    flags |= PERF_FLAG_PID_CGROUP;
    pid = target.cgroup_fd;
  }
  std::string bytes = write_attr(attr);
  const long fd = ::syscall(SYS_perf_event_open, bytes.data(), pid, target.cpu,
                            target.group_fd, flags);
  return fd < 0 ? -errno : static_cast<int>(fd);
}

OpenResult try_open_event(EventAttr& attr, const OpenTarget& target,
                          const KernelLimits& limits, std::uint32_t& lost,
                          const RawOpen& raw_open) {
  attr.size = kAttrSize;
  EventAttr reduced = attr;
  std::uint32_t reduced_lost = lost;
  Degrader degrader(reduced, target, limits, reduced_lost);
  int first_error = 0;
  int retries = 0;
  while (true) {
    const int fd = raw_open(reduced, target);
    if (fd >= 0) {
      UniqueFd opened(fd);
      if (!reduced.flag(attr_flag::kUseClockid) &&
          attr.flag(attr_flag::kUseClockid) && !is_for_all_events(attr))
        return {.failure = OpenFailure::kNoClock, .error = EINVAL};
      attr = reduced;
      lost = reduced_lost;
      return {.fd = std::move(opened)};
    }
    const int error = -fd;
    constexpr int kMaxRetries = 100;
    if ((error == EINTR || error == EAGAIN) && ++retries < kMaxRetries)
      continue;
    if (first_error == 0) first_error = error;
    if (!degrader.step(error)) {
      // The last error is the reason, unless everything was given up in vain.
      const int reason = error == EINVAL ? first_error : error;
      return {.failure = failure_of(reason), .error = reason};
    }
  }
}

UniqueFd open_event(std::string_view name, EventAttr& attr,
                    const OpenTarget& target, const KernelLimits& limits,
                    std::uint32_t& lost) {
  OpenResult result = try_open_event(attr, target, limits, lost);
  if (!result.fd) throw open_error(result, name, attr, target, limits);
  return std::move(result.fd);
}

std::vector<std::string_view> describe_given_up(std::uint32_t bits) {
  std::vector<std::string_view> names;
  if (bits & given_up::kKernel) names.emplace_back("kernel code");
  if (bits & given_up::kPrecise) names.emplace_back("precise addresses");
  if (bits & given_up::kRate) names.emplace_back("the full sampling rate");
  if (bits & given_up::kMaxStack) names.emplace_back("deeper callchains");
  for (const Optional& feature : kOptional)
    if (bits & feature.bit) names.push_back(feature.name);
  return names;
}

std::uint64_t event_id(int fd) {
  std::uint64_t id = 0;
  if (::ioctl(fd, PERF_EVENT_IOC_ID, &id) != 0)
    fail("cannot get the id of an event: {}", last_system_error());
  return id;
}

void enable_event(int fd) {
  if (::ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0)
    fail("cannot start an event: {}", last_system_error());
}

void disable_event(int fd) {
  if (::ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) != 0)
    fail("cannot stop an event: {}", last_system_error());
}

void set_event_filter(int fd, const std::string& filter) {
  if (::ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter.c_str()) == 0) return;
  if (errno == EINVAL)
    fail(
        "the kernel does not understand the filter '{}'; the tracepoint's "
        "format file lists the fields, as in 'prev_pid == 3 && prev_comm ~ "
        "\"sh*\"'",
        excerpt(filter));
  fail("cannot set the filter '{}': {}", excerpt(filter), last_system_error());
}

EventCount read_event(int fd, const EventAttr& attr) {
  std::array<std::uint64_t, 5> words{};
  if (::read(fd, words.data(), sizeof(words)) < 0)
    fail("cannot read the count of an event: {}", last_system_error());
  std::size_t next = 0;
  EventCount count;
  count.value = words[next++];
  const auto take = [&](std::uint64_t bit, std::uint64_t& field) {
    if ((attr.read_format & bit) != 0) field = words[next++];
  };
  take(read_format::kTimeEnabled, count.enabled);
  take(read_format::kTimeRunning, count.running);
  take(read_format::kId, count.id);
  take(read_format::kLost, count.lost);
  return count;
}

}  // namespace wick
