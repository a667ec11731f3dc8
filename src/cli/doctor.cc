// SPDX-License-Identifier: Apache-2.0
// What can be recorded on this machine, what cannot, and how to fix it.
#include <fmt/format.h>
#include <linux/capability.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/options/command.h"
#include "cli/options/option_kinds.h"
#include "cli/options/run_options.h"
#include "io/read_file.h"
#include "object/debug_files.h"
#include "object/package_files.h"
#include "object/unwind/unwind_coverage.h"
#include "perf/events/cgroups.h"
#include "perf/events/event_open.h"
#include "perf/events/event_spec.h"
#include "perf/events/kernel_limits.h"

namespace wick {
namespace {

enum class Verdict { kGood, kLess, kBad };

struct Finding {
  Verdict verdict;
  std::string what;
  std::string help;  // a command or a hint; "" if there is none
};

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
  if (limits.privileged())
    return {Verdict::kGood, settings + "; you have " + held, ""};
  return {Verdict::kLess,
          settings + "; you have " +
              (held.empty() ? "no relevant capabilities" : held),
          "sudo setcap cap_perfmon,cap_sys_ptrace,cap_syslog=ep $(command -v "
          "wick)"};
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
          "record as root"};
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

// How to get the symbols or debug information that a file lacks: from its
// package, or by building it with `flags`.
std::string help_with_symbols(const std::string& path, std::string_view flags) {
  const PackageFiles packages;
  std::error_code error;
  const std::string absolute = std::filesystem::canonical(path, error).string();
  const auto owners = packages.owners({error ? path : absolute});
  if (!owners.empty())
    return fmt::format(
        "install {} (from the debug archive of the distribution)",
        debug_package(owners.begin()->second));
  return fmt::format("build {}{}", flags,
                     packages.exist() ? "" : ", or install its debug symbols");
}

Finding check_symbols(const std::string& path, bool has_symbols) {
  if (has_symbols) return {Verdict::kGood, path + " has symbols", ""};
  return {Verdict::kLess, path + " is stripped and has no symbols",
          help_with_symbols(path, "without -s")};
}

Finding check_debug_information(const std::string& path, bool has_it) {
  if (has_it)
    return {Verdict::kGood,
            path + " has debug information (lines, inlined functions)", ""};
  return {Verdict::kLess, path + " has no debug information",
          help_with_symbols(path,
                            "with -g (Cargo: [profile.release] debug = true)")};
}

Finding check_unwind_rules(const std::string& path,
                           const std::shared_ptr<const ElfFile>& file,
                           const std::shared_ptr<const ElfFile>& debug) {
  constexpr double kMost = 0.95, kHardlyAny = 0.0005;
  const double share = unwind_coverage(file, debug, worker_count(0)).share();
  const std::string rules =
      share == 0
          ? "no unwind rules"
          : fmt::format("unwind rules for {:.1f}% of its code", 100 * share);
  if (share >= kMost)
    return {Verdict::kGood, fmt::format("{} has {}", path, rules), ""};
  if (file->section(".gopclntab") != nullptr)
    return {Verdict::kGood,
            fmt::format("{} has {}, but frame pointers, as all Go code", path,
                        rules),
            ""};
  return {Verdict::kLess,
          fmt::format("{} has {}; {}frame pointers are used", path, rules,
                      share < kHardlyAny ? "" : "elsewhere "),
          "build with -fasynchronous-unwind-tables or "
          "-fno-omit-frame-pointer"};
}

// What a recording of this program can show.
std::vector<Finding> check_program(const std::string& path) {
  const auto file = ElfFile::open(path);
  DebugFiles files({});
  const auto debug = files.debug(*file, {.path = path});
  std::vector<Finding> findings;
  const auto has = [&](const char* section) {
    return file->section(section) != nullptr ||
           (debug && debug->section(section) != nullptr);
  };
  findings.push_back(check_symbols(path, has(".symtab")));
  findings.push_back(check_debug_information(path, has(".debug_info")));
  findings.push_back(check_unwind_rules(path, file, debug));
  if (file->build_id().empty())
    findings.push_back({Verdict::kLess, path + " has no build id",
                        "link with -Wl,--build-id"});
  return findings;
}

struct DoctorCommand {
  RunOptions run;
  bool events = false;

  int operator()(const Arguments& arguments) {
    if (events) {
      for (const EventName& event : list_events())
        std::cout << event.name << '\n';
      return 0;
    }
    const KernelLimits limits = read_kernel_limits();
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
      for (Finding& finding : check_program(path))
        findings.push_back(std::move(finding));
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
        "wick doctor ./prog   # does it have symbols, lines, unwind rules?\n",
    .declare = declare_doctor,
};

}  // namespace wick
