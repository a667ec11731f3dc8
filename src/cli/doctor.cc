// SPDX-License-Identifier: Apache-2.0
// What can be recorded on this machine, what cannot, and how to fix it.
#include <fmt/format.h>
#include <linux/capability.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/finding.h"
#include "cli/options/command.h"
#include "cli/options/option_kinds.h"
#include "cli/options/run_options.h"
#include "cli/program_findings.h"
#include "io/read_file.h"
#include "perf/events/cgroups.h"
#include "perf/events/event_open.h"
#include "perf/events/event_spec.h"
#include "perf/events/grant_command.h"
#include "perf/events/kernel_limits.h"

namespace wick {
namespace {

Finding check_recording(const KernelLimits& limits) {
  const std::string paranoid =
      limits.paranoid
          ? fmt::format("kernel.perf_event_paranoid is {}", *limits.paranoid)
          : "the kernel has no perf events";
  EventAttr attr{.type = event_type::kSoftware,
                 .sample_period = 1000000,
                 .sample_type = sample_type::kIp,
                 .flags = attr_flag::kDisabled};
  std::uint32_t lost = 0;
  const OpenTarget self{.pid = 0, .cpu = -1};
  const OpenResult trial = try_open_event(attr, self, limits, lost);
  if (!trial.fd)
    return {Verdict::kBad, "programs cannot be recorded: " + paranoid,
            open_error(trial, "cpu-clock", attr, self, limits).what()};
  if ((lost & given_up::kKernel) != 0 || !limits.may_record_kernel())
    return {Verdict::kLess,
            "programs can be recorded, without kernel code: " + paranoid,
            "sudo sysctl kernel.perf_event_paranoid=1"};
  return {Verdict::kGood, "programs can be recorded, with kernel code", ""};
}

// Root lacks them only in a container, which takes them from every program.
std::string help_with_rights(const KernelLimits& limits) {
  return limits.is_root ? "" : "sudo " + grant_command();
}

// The rights that most other findings follow from.
Finding check_rights(const KernelLimits& limits) {
  std::string held;
  for (const auto& [capability, name] : {std::pair{CAP_PERFMON, "CAP_PERFMON"},
                                         {CAP_SYS_ADMIN, "CAP_SYS_ADMIN"},
                                         {CAP_SYS_PTRACE, "CAP_SYS_PTRACE"},
                                         {CAP_SYSLOG, "CAP_SYSLOG"},
                                         {CAP_IPC_LOCK, "CAP_IPC_LOCK"},
                                         {CAP_BPF, "CAP_BPF"}})
    if (limits.may(capability))
      held += (held.empty() ? "" : ", ") + std::string(name);
  const std::string settings = fmt::format(
      "kernel.perf_event_paranoid is {}, kernel.kptr_restrict {}",
      limits.paranoid ? std::to_string(*limits.paranoid) : "missing",
      limits.kptr_restrict);
  const bool has_all = limits.privileged() && limits.may(CAP_SYS_PTRACE) &&
                       limits.may(CAP_SYSLOG);
  return {has_all ? Verdict::kGood : Verdict::kLess,
          settings + "; you have " +
              (held.empty() ? "no relevant capabilities" : held),
          has_all ? "" : help_with_rights(limits)};
}

Finding check_cgroups(const KernelLimits& limits) {
  try {
    const std::string root = perf_cgroup_root();
    if (!limits.may_record_all_cpus())
      return {Verdict::kLess, "control groups cannot be recorded (--cgroup)",
              "sudo sysctl kernel.perf_event_paranoid=0"};
    return {Verdict::kGood, "control groups can be recorded, below " + root,
            ""};
  } catch (const Error& error) {
    return {Verdict::kLess, "control groups cannot be recorded (--cgroup)",
            error.what()};
  }
}

// Container runtimes leave these marks.
bool is_in_container() {
  for (const char* mark :
       {"/.dockerenv", "/run/.containerenv", "/run/systemd/container"})
    if (::access(mark, F_OK) == 0) return true;
  if (std::getenv("container") != nullptr) return true;
  const auto groups = read_small_file("/proc/1/cgroup", 65536);
  if (!groups) return false;
  for (const char* word : {"docker", "kubepods", "lxc", "containerd"})
    if (groups->find(word) != std::string::npos) return true;
  return false;
}

Finding check_system_wide(const KernelLimits& limits) {
  if (limits.may_record_all_cpus())
    return {Verdict::kGood, "the whole machine can be recorded (-a)", ""};
  return {Verdict::kLess, "the whole machine cannot be recorded (-a)",
          "sudo sysctl kernel.perf_event_paranoid=0"};
}

Finding check_counters(const KernelLimits& limits) {
  if (limits.has_hardware_counters())
    return {Verdict::kGood, "the processor has counters (cycles …)", ""};
  return {Verdict::kLess,
          "the processor has no counters, as in most virtual machines; "
          "cpu-clock is used",
          ""};
}

Finding check_tracepoints(const KernelLimits& limits) {
  if (limits.may_use_tracepoints())
    return {Verdict::kGood, "tracepoints can be used (time off the CPU)", ""};
  if (limits.may_mount_tracefs())
    return {Verdict::kGood,
            "tracepoints can be used (time off the CPU); a recording mounts "
            "tracefs for them",
            ""};
  return {Verdict::kLess,
          "tracepoints cannot be used (where threads leave the CPU is known "
          "only roughly)",
          limits.help_with_tracepoints()};
}

Finding check_kernel_symbols(const KernelLimits& limits) {
  if (limits.shows_kernel_addresses())
    return {Verdict::kGood, "kernel functions have names", ""};
  // With kptr_restrict 0, perf_event_paranoid decides for users without
  // capabilities.
  if (limits.kptr_restrict == 0)
    return {Verdict::kLess,
            "kernel functions have no names: kernel.perf_event_paranoid hides "
            "them",
            "sudo sysctl kernel.perf_event_paranoid=1"};
  return {Verdict::kLess,
          fmt::format("kernel functions have no names: kernel.kptr_restrict is "
                      "{}",
                      limits.kptr_restrict),
          "sudo sysctl kernel.kptr_restrict=0"};
}

Finding check_buffers(const KernelLimits& limits) {
  const std::uint64_t memory = limits.buffer_memory();
  const std::size_t cpus = std::max<std::size_t>(limits.online_cpus.size(), 1);
  if (memory == KernelLimits::kUnlimited)
    return {Verdict::kGood, "buffers may have any size", ""};
  constexpr std::uint64_t kEnough = std::uint64_t{2} << 20;
  if (memory / cpus >= kEnough)
    return {
        Verdict::kGood,
        fmt::format("buffers may have {} per CPU", size_text(memory / cpus)),
        ""};
  return {Verdict::kLess,
          fmt::format("buffers may have {} per CPU; deep stacks at high rates "
                      "need more",
                      size_text(memory / cpus)),
          "sudo sysctl kernel.perf_event_mlock_kb=8192"};
}

Finding check_bpf(const KernelLimits& limits) {
  if (!limits.has_btf)
    return {Verdict::kLess, "the kernel has no BTF, which BPF programs need",
            ""};
  if (limits.may(CAP_BPF) || limits.may(CAP_SYS_ADMIN))
    return {Verdict::kGood, "BPF programs can be loaded, with BTF", ""};
  return {Verdict::kLess,
          "BPF programs cannot be loaded without CAP_BPF (places where threads "
          "sleep when a recording begins are less complete)",
          help_with_rights(limits)};
}

Finding check_files(const KernelLimits& limits) {
  return {limits.open_files_hard >= 1024 ? Verdict::kGood : Verdict::kLess,
          fmt::format("{} files may be open at once", limits.open_files_hard),
          limits.open_files_hard >= 1024 ? "" : "ulimit -n 4096"};
}

Finding check_place(const KernelLimits& limits, bool can_record) {
  if (!is_in_container() && !limits.in_user_namespace)
    return {Verdict::kGood, "not in a container", ""};
  if (can_record && !limits.in_user_namespace)
    return {Verdict::kGood, "in a container, which allows perf events", ""};
  return {Verdict::kLess,
          limits.in_user_namespace
              ? "in a user namespace, whose capabilities do not count"
              : "in a container, whose seccomp profile may forbid perf events "
                "and BPF",
          "docker run --cap-add PERFMON --security-opt seccomp=unconfined …"};
}

Finding check_jit_maps() {
  if (::access("/tmp", R_OK | X_OK) == 0)
    return {Verdict::kGood, "perf maps of JIT compilers can be read", ""};
  return {Verdict::kLess, "/tmp cannot be read: JIT code has no names", ""};
}

class DoctorCommand {
 public:
  RunOptions run;
  bool events = false;

  int operator()(const Arguments& arguments) {
    if (events) {
      for (const EventName& event : list_events())
        std::cout << event.name << '\n';
      return 0;
    }
    const KernelLimits limits = read_kernel_limits();
    if (!limits.not_mounted.empty())
      return print(
          {{Verdict::kBad,
            fmt::format("programs cannot be recorded: {} is not mounted",
                        limits.not_mounted),
            limits.help_with_mount()}});
    const Finding recording = check_recording(limits);
    std::vector<Finding> findings{
        recording,
        check_rights(limits),
        check_system_wide(limits),
        check_cgroups(limits),
        check_counters(limits),
        check_tracepoints(limits),
        check_kernel_symbols(limits),
        check_buffers(limits),
        check_files(limits),
        check_bpf(limits),
        check_jit_maps(),
        check_place(limits, recording.verdict != Verdict::kBad)};
    for (const std::string& path : arguments.inputs)
      for (Finding& finding : program_findings(path))
        findings.push_back(std::move(finding));
    return print(findings);
  }

 private:
  // Returns the status.
  static int print(const std::vector<Finding>& findings) {
    bool works = true;
    for (const Finding& finding : findings) {
      const char* mark = finding.verdict == Verdict::kGood   ? "ok   "
                         : finding.verdict == Verdict::kLess ? "less "
                                                             : "NO   ";
      std::cout << mark << finding.what << '\n';
      if (!finding.help.empty())
        std::cout << "       → " << finding.help << '\n';
      works &= finding.verdict != Verdict::kBad;
    }
    return works ? 0 : 1;
  }
};

std::function<int(const Arguments&)> declare_doctor(OptionSet& app) {
  auto command = std::make_shared<DoctorCommand>();
  add_flag(app, "--events", command->events,
           "list the events for 'wick record -e'");
  add_run_options(app, command->run);
  return runner(command);
}

}  // namespace

extern const Command doctor_command = {
    .name = "doctor",
    .usage = "[PROGRAM…]",
    .summary = "check what can be recorded here, and how to fix the rest",
    .examples =
        "wick doctor\n"
        "wick doctor --events | grep sched   # list events\n"
        "wick doctor ./prog   # does it have symbols, lines, unwind rules?\n"
        "wick doctor python3   # the same for a program in PATH\n",
    .declare = declare_doctor,
};

}  // namespace wick
