// SPDX-License-Identifier: Apache-2.0
// What this kernel allows this process to record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/events/system_paths.h"
#include "perf/events/tracefs.h"

namespace wick {

struct KernelLimits {
  static constexpr std::uint64_t kUnlimited = UINT64_MAX;

  std::string release;  // "6.1.0-18-amd64"; "" if unknown
  // A file system without which nothing below is known: "/proc", "/sys", as in
  // a bare chroot; "" if both are there.
  std::string not_mounted;
  // kernel.perf_event_paranoid; nothing if the kernel has no perf events.
  // Without CAP_PERFMON, -1 allows everything, 0 all but raw tracepoints, 1 no
  // whole-CPU events, 2 no kernel either, 3 and 4 (patches of distributions)
  // nothing.
  std::optional<int> paranoid;
  int kptr_restrict = 0;         // 0 shown, 1 with CAP_SYSLOG, 2 never
  std::uint64_t perf_mlock = 0;  // bytes of buffers per online CPU and user
  std::uint64_t memlock = 0;     // RLIMIT_MEMLOCK, bytes; or kUnlimited
  std::uint64_t max_sample_rate = 0;  // Hz; 0 if unknown
  std::uint32_t max_stack = 127;      // frames of a callchain
  std::uint32_t max_contexts_per_stack = 8;
  int cpu_time_max_percent = 25;  // for sampling, before it is throttled
  std::uint64_t open_files = 0;   // soft limit
  std::uint64_t open_files_hard = 0;
  std::uint64_t capabilities = 0;  // effective: bits 1 << CAP_*
  // Not in the initial user namespace: capabilities have no effect on perf
  // events.
  bool in_user_namespace = false;
  bool is_root = false;
  std::string tracefs;  // "" if it is not mounted or cannot be read
  TracefsState tracefs_state = TracefsState::kAbsent;
  bool has_btf = false;
  std::vector<std::string> pmus;  // "breakpoint", "cpu", "intel_pt" …, sorted
  std::vector<int> online_cpus;

  // CAP_* of <linux/capability.h>, in the initial user namespace.
  bool may(int capability) const;
  // CAP_PERFMON, or CAP_SYS_ADMIN on older kernels: paranoid does not apply.
  bool privileged() const;
  bool may_record_kernel() const;    // else exclude_kernel must be set
  bool may_record_all_cpus() const;  // -a, -C
  bool may_use_tracepoints() const;  // with raw data; also needs tracefs
  // The commands that grant it; "" if it is granted, or nothing helps.
  std::string help_with_tracepoints() const;
  // tracefs is all that is missing, and provide_tracefs() can help.
  bool may_mount_tracefs() const;
  bool may_record_anything() const;  // of its own processes
  // The command for what is not mounted.
  std::string help_with_mount() const;
  // Whether the processor has a PMU, so that cycles can be counted.
  bool has_hardware_counters() const;
  // Whether addresses in /proc/kallsyms are real.
  bool shows_kernel_addresses() const;
  // Most bytes of all ring buffers together, headers included, or kUnlimited.
  // Other recordings of the same user share this limit, so less may be left.
  std::uint64_t buffer_memory() const;

 private:
  std::string help_with_tracefs() const;
};

KernelLimits read_kernel_limits(const SystemPaths& paths = {});

// Mounts tracefs where it is usually mounted, as perf does, if it is not and
// this process may.
void provide_tracefs(KernelLimits& limits, const SystemPaths& paths = {});

// Whether a PMU of this name belongs to the cores.
bool is_processor_pmu(std::string_view name);

// A list such as "0-3,8", in the kernel's syntax; invalid parts are skipped. At
// most 65,536 CPUs.
std::vector<int> parse_cpu_list(std::string_view text);

// Raises the soft limit of open files to the hard one; returns the limit.
std::uint64_t raise_open_files_limit();

}  // namespace wick
