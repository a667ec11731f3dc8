// SPDX-License-Identifier: Apache-2.0
#include "perf/events/kernel_limits.h"

#include <dirent.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "io/read_file.h"

namespace wick {
namespace {

constexpr std::uint64_t kMaxSetting = 1 << 16;

// The first number in a file.
template <class T>
std::optional<T> read_number(const std::string& path) {
  const auto text = read_small_file(path, kMaxSetting);
  if (!text) return {};
  std::string_view rest = *text;
  return to_number<T>(trim(take_line(rest)));
}

std::uint64_t limit_of(rlim_t limit) {
  return limit == RLIM_INFINITY ? KernelLimits::kUnlimited : limit;
}

std::uint64_t effective_capabilities(const SystemPaths& paths) {
  const auto status = read_small_file(paths.proc + "/self/status", kMaxSetting);
  if (!status) return 0;
  std::string_view rest = *status;
  while (!rest.empty()) {
    std::string_view line = take_line(rest);
    if (!line.starts_with("CapEff:")) continue;
    line.remove_prefix(7);
    return to_number<std::uint64_t>(trim(line), 16).value_or(0);
  }
  return 0;
}

// By files that each kernel has.
std::string not_mounted(const SystemPaths& paths) {
  const auto lacks = [](const std::string& path) {
    return ::access(path.c_str(), F_OK) != 0;
  };
  if (lacks(paths.proc + "/self/status")) return paths.proc;
  if (lacks(paths.sys + "/devices/system/cpu/online")) return paths.sys;
  return "";
}

// The initial user namespace maps every id to itself.
bool in_user_namespace(const SystemPaths& paths) {
  const auto map = read_small_file(paths.proc + "/self/uid_map", kMaxSetting);
  if (!map) return false;
  std::string_view rest = *map;
  const std::string_view inside = take_word(rest), outside = take_word(rest);
  return inside != "0" || outside != "0" || trim(rest) != "4294967295";
}

}  // namespace

KernelLimits read_kernel_limits(const SystemPaths& paths) {
  const std::string kernel = paths.proc + "/sys/kernel/";
  KernelLimits limits;
  if (utsname name{}; ::uname(&name) == 0) limits.release = name.release;
  limits.not_mounted = not_mounted(paths);
  limits.paranoid = read_number<int>(kernel + "perf_event_paranoid");
  limits.kptr_restrict = read_number<int>(kernel + "kptr_restrict").value_or(0);
  limits.perf_mlock =
      read_number<std::uint32_t>(kernel + "perf_event_mlock_kb").value_or(0) *
      std::uint64_t{1024};
  limits.max_sample_rate =
      read_number<std::uint64_t>(kernel + "perf_event_max_sample_rate")
          .value_or(0);
  limits.max_stack = read_number<std::uint32_t>(kernel + "perf_event_max_stack")
                         .value_or(limits.max_stack);
  limits.max_contexts_per_stack =
      read_number<std::uint32_t>(kernel + "perf_event_max_contexts_per_stack")
          .value_or(limits.max_contexts_per_stack);
  limits.cpu_time_max_percent =
      read_number<int>(kernel + "perf_cpu_time_max_percent")
          .value_or(limits.cpu_time_max_percent);

  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
    limits.memlock = limit_of(limit.rlim_cur);
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limits.open_files = limit_of(limit.rlim_cur);
    limits.open_files_hard = limit_of(limit.rlim_max);
  }
  limits.capabilities = effective_capabilities(paths);
  limits.in_user_namespace = in_user_namespace(paths);
  limits.is_root = ::geteuid() == 0;
  limits.tracefs = readable_tracefs(paths);
  limits.tracefs_state = tracefs_state(paths);
  limits.has_btf =
      ::access((paths.sys + "/kernel/btf/vmlinux").c_str(), R_OK) == 0;

  const std::string devices = paths.sys + "/bus/event_source/devices";
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(devices.c_str()),
                                                   ::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr)
    if (entry->d_name[0] != '.') limits.pmus.emplace_back(entry->d_name);
  std::sort(limits.pmus.begin(), limits.pmus.end());

  if (const auto online = read_small_file(
          paths.sys + "/devices/system/cpu/online", kMaxSetting))
    limits.online_cpus = parse_cpu_list(*online);
  return limits;
}

std::string KernelLimits::help_with_mount() const {
  const char* type = not_mounted.ends_with("proc") ? "proc" : "sysfs";
  return fmt::format("sudo mount -t {0} {0} {1}", type, not_mounted);
}

bool KernelLimits::may(int capability) const {
  return !in_user_namespace && (capabilities >> capability & 1) != 0;
}

bool KernelLimits::privileged() const {
  return may(CAP_PERFMON) || may(CAP_SYS_ADMIN);
}

bool KernelLimits::may_record_anything() const {
  return paranoid && (*paranoid < 3 || privileged());
}
bool KernelLimits::may_record_kernel() const {
  return paranoid && (*paranoid < 2 || privileged());
}
bool KernelLimits::may_record_all_cpus() const {
  return paranoid && (*paranoid < 1 || privileged());
}
bool KernelLimits::may_use_tracepoints() const {
  return paranoid && !tracefs.empty() && (*paranoid < 0 || privileged());
}

std::string KernelLimits::help_with_tracepoints() const {
  std::string help;
  if (paranoid && *paranoid >= 0 && !privileged())
    help = "sudo sysctl kernel.perf_event_paranoid=-1";
  if (const std::string mount = help_with_tracefs(); !mount.empty())
    help += (help.empty() ? "" : " && ") + mount;
  return help;
}

std::string KernelLimits::help_with_tracefs() const {
  switch (tracefs_state) {
    case TracefsState::kReadable:
    case TracefsState::kAbsent:
      break;
    case TracefsState::kHidden:
      return fmt::format("sudo mount -o remount,{} /sys/kernel/tracing",
                         tracefs_options());
    case TracefsState::kNotMounted:
      // Root without the right to mount is in a container.
      if (is_root)
        return "docker run -v /sys/kernel/tracing:/sys/kernel/tracing …";
      return fmt::format(
          "sudo mount -t tracefs -o {} tracefs "
          "/sys/kernel/tracing",
          tracefs_options());
  }
  return {};
}

bool KernelLimits::may_mount_tracefs() const {
  return tracefs_state == TracefsState::kNotMounted && may(CAP_SYS_ADMIN);
}

void provide_tracefs(KernelLimits& limits, const SystemPaths& paths) {
  if (!limits.may_mount_tracefs() || mount_tracefs(paths) != 0) return;
  limits.tracefs = readable_tracefs(paths);
  limits.tracefs_state = tracefs_state(paths);
}

bool KernelLimits::has_hardware_counters() const {
  return std::any_of(pmus.begin(), pmus.end(), is_processor_pmu);
}

bool KernelLimits::shows_kernel_addresses() const {
  if (kptr_restrict == 0 && paranoid && *paranoid <= 1) return true;
  return kptr_restrict <= 1 && may(CAP_SYSLOG);
}

std::uint64_t KernelLimits::buffer_memory() const {
  if (memlock == kUnlimited || may(CAP_IPC_LOCK) || (paranoid && *paranoid < 0))
    return kUnlimited;
  const std::uint64_t cpus = std::max<std::size_t>(1, online_cpus.size());
  return perf_mlock * cpus + memlock;
}

bool is_processor_pmu(std::string_view name) {
  return name == "cpu" || name.starts_with("cpu_") || name == "cpum_cf" ||
         name.starts_with("armv") || name.starts_with("apple_");
}

std::vector<int> parse_cpu_list(std::string_view text) {
  constexpr int kMaxCpu = 65'535;
  std::vector<int> cpus;
  text = trim(text);
  while (!text.empty()) {
    std::string_view range = trim(take_until(text, ','));
    const std::string_view first = take_until(range, '-');
    const auto from = to_number<int>(first);
    const auto to = range.empty() ? from : to_number<int>(range);
    if (!from || !to || *from < 0 || *to > kMaxCpu) continue;
    for (int cpu = *from; cpu <= *to; ++cpu) cpus.push_back(cpu);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::uint64_t raise_open_files_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return limit_of(before);
  return limit_of(limit.rlim_cur);
}

}  // namespace wick
