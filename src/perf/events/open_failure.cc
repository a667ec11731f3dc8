// SPDX-License-Identifier: Apache-2.0
// Messages for events that the kernel does not open.
#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "base/text.h"
#include "perf/events/event_open.h"
#include "perf/events/grant_command.h"

namespace wick {
namespace {

// The two ways to get more privileges.
std::string remedy(int paranoid) {
  return fmt::format(
      "as root, allow it for everyone until the next boot with 'sysctl "
      "kernel.perf_event_paranoid={}', or for this program permanently with "
      "{}",
      paranoid, quoted_grant_command());
}

bool belongs_to_another_user(pid_t pid) {
  struct stat status {};
  return pid > 0 &&
         ::stat(fmt::format("/proc/{}", pid).c_str(), &status) == 0 &&
         status.st_uid != ::geteuid();
}

std::string not_allowed(std::string_view name, const EventAttr& attr,
                        const OpenTarget& target, const KernelLimits& limits) {
  if (!limits.paranoid || limits.privileged())
    return fmt::format(
        "the kernel refuses {} despite sufficient privileges: a container's "
        "seccomp profile or lockdown mode forbids perf_event_open; start the "
        "container with '--cap-add PERFMON --security-opt seccomp=unconfined'",
        name);
  const int paranoid = *limits.paranoid;
  std::string_view hint;
  if (limits.in_user_namespace)
    hint = " (root in a user namespace has no privileges over the kernel)";
  if (paranoid >= 3)
    return fmt::format(
        "kernel.perf_event_paranoid is {}, so recording needs "
        "CAP_PERFMON{}; {}",
        paranoid, hint, remedy(2));
  if (attr.type == event_type::kTracepoint && paranoid > -1)
    return fmt::format(
        "the tracepoint {} needs CAP_PERFMON, because "
        "kernel.perf_event_paranoid is {}{}; {}",
        name, paranoid, hint, remedy(-1));
  if (target.pid < 0 && paranoid > 0)
    return fmt::format(
        "recording all processes of a CPU needs CAP_PERFMON, because "
        "kernel.perf_event_paranoid is {}{}; {}",
        paranoid, hint, remedy(0));
  if ((attr.flag(attr_flag::kExcludeUser) || attr.happens_in_kernel()) &&
      paranoid > 1)
    return fmt::format(
        "{} counts the kernel, which needs CAP_PERFMON, because "
        "kernel.perf_event_paranoid is {}{}; {}",
        name, paranoid, hint, remedy(1));
  if (belongs_to_another_user(target.pid))
    return fmt::format(
        "process {} belongs to another user; record it as that user or as "
        "root, or grant this program access with {}",
        target.pid, quoted_grant_command());
  return fmt::format(
      "the kernel refuses {}, although kernel.perf_event_paranoid is {}{}: "
      "the process may not be traced (it changed its user), or a container's "
      "seccomp profile or a security module forbids it; record as root, or "
      "start the container with '--cap-add PERFMON --security-opt "
      "seccomp=unconfined'",
      name, paranoid, hint);
}

bool is_online(int cpu, const KernelLimits& limits) {
  const auto& online = limits.online_cpus;
  return online.empty() ||
         std::find(online.begin(), online.end(), cpu) != online.end();
}

std::string no_counter(std::string_view name, const EventAttr& attr,
                       const KernelLimits& limits) {
  const bool of_processor = attr.type == event_type::kHardware ||
                            attr.type == event_type::kHwCache ||
                            attr.type == event_type::kRaw;
  if (of_processor && !limits.has_hardware_counters())
    return fmt::format(
        "this machine has no hardware counters, so {} cannot be recorded (in "
        "a virtual machine, the host must allow it); use cpu-clock",
        name);
  return fmt::format(
      "this machine cannot sample {}; use cpu-clock, which every machine has",
      name);
}

std::string_view clock_name(int clock) {
  switch (clock) {
    case CLOCK_REALTIME:
      return "realtime";
    case CLOCK_BOOTTIME:
      return "boottime";
    case CLOCK_TAI:
      return "tai";
    default:
      return "chosen";
  }
}

Settings helpful_settings(OpenFailure failure) {
  switch (failure) {
    case OpenFailure::kNoCounter:
    case OpenFailure::kBusy:
      return Setting::kRecordedEvents;
    case OpenFailure::kTooManyFiles:
      return {Setting::kThreads, Setting::kCpus, Setting::kRecordedEvents};
    case OpenFailure::kNoClock:
      return Setting::kClock;
    default:
      return {};
  }
}

std::string explain(const OpenResult& result, std::string_view name,
                    const EventAttr& attr, const OpenTarget& target,
                    const KernelLimits& limits) {
  const std::string reason = std::generic_category().message(result.error);
  switch (result.failure) {
    case OpenFailure::kNotAllowed:
      return not_allowed(name, attr, target, limits);
    case OpenFailure::kNoCounter:
      return no_counter(name, attr, limits);
    case OpenFailure::kNoProcess:
      return fmt::format("there is no process or thread {}", target.pid);
    case OpenFailure::kTooManyFiles:
      return fmt::format(
          "too many open files: each event needs one per thread and CPU, and "
          "{} are allowed; raise the limit with 'ulimit -n', or record fewer "
          "threads, CPUs or events",
          std::max(limits.open_files, limits.open_files_hard));
    case OpenFailure::kInvalid:
      // Types after the fixed ones belong to PMUs.
      if (attr.type > event_type::kBreakpoint)
        return fmt::format(
            "the kernel cannot sample by {} ({}): most PMUs outside of the "
            "cores only count; use another event",
            name, reason);
      return fmt::format(
          "the kernel ({}) does not accept {} with these options ({})",
          limits.release, name, reason);
    case OpenFailure::kNoClock:
      return fmt::format(
          "the {} clock works only with cpu-clock and other software events, "
          "not with {}{}; use monotonic, the default, or monotonic_raw",
          clock_name(attr.clockid), name,
          attr.type == event_type::kTracepoint
              ? " and other tracepoints, which time off the CPU needs"
              : "");
    case OpenFailure::kNoPerfEvents:
      return "this kernel has no perf events (CONFIG_PERF_EVENTS), so nothing "
             "can be recorded";
    case OpenFailure::kBusy:
      return fmt::format(
          "{} is in use by another program (a profiler, or a debugger's "
          "breakpoint); end that program, or use cpu-clock",
          name);
    case OpenFailure::kNoMemory:
      return fmt::format("the kernel has no memory for {}", name);
    case OpenFailure::kNone:
    case OpenFailure::kOther:
      break;
  }
  return fmt::format("cannot open {}: {}", name, reason);
}

}  // namespace

OpenError open_error(const OpenResult& result, std::string_view name,
                     const EventAttr& attr, const OpenTarget& target,
                     const KernelLimits& limits) {
  if (target.cpu >= 0 && !is_online(target.cpu, limits))
    return {result.failure,
            fmt::format("CPU {} does not exist or is offline", target.cpu),
            {}};
  return {result.failure, explain(result, name, attr, target, limits),
          helpful_settings(result.failure)};
}

// The soft limit has been raised to the hard one by now.
OpenError too_many_files_error(std::size_t threads, std::size_t cpus,
                               std::size_t events, const KernelLimits& limits) {
  constexpr std::size_t kOthers = 64;  // files of the program's code, pipes
  const std::size_t needed = threads * cpus * events + kOthers;
  constexpr OpenFailure kFailure = OpenFailure::kTooManyFiles;
  return {kFailure,
          fmt::format(
              "{} on {} by {} need {} open files, and {} are allowed; 'sudo "
              "prlimit --pid $$ --nofile={}' in this shell raises the limit, "
              "or record fewer threads, CPUs or events",
              counted(threads, "thread"), counted(cpus, "CPU"),
              counted(events, "event"), needed, limits.open_files_hard, needed),
          helpful_settings(kFailure)};
}

}  // namespace wick
