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

namespace wick {

struct KernelLimits {
  static constexpr std::uint64_t kUnlimited = UINT64_MAX;

  std::string release;  // "6.1.0-18-amd64"; "" if unknown
  // kernel.perf_event_paranoid; nothing if the kernel has no perf events.
  // -1 everything, 0 no raw tracepoints, 1 no whole-CPU events, 2 no kernel,
  // 3 and 4 (patches of distributions) nothing without CAP_PERFMON.
  std::optional<int> paranoid;
  int kptr_restrict = 0;         // 0 shown, 1 with CAP_SYSLOG, 2 never
  std::uint64_t perf_mlock = 0;  // bytes of buffers per online CPU and user
  std::uint64_t memlock = 0;     // RLIMIT_MEMLOCK, bytes; or kUnlimited
  std::uint64_t max_sample_rate = 0;  // Hz; 0 if unknown
  std::uint32_t max_stack = 127;      // frames of a callchain
  std::uint32_t max_contexts_per_stack = 8;
  int cpu_time_max_percent = 25;  // of sampling, before it is throttled
  std::uint64_t open_files = 0;   // soft limit
  std::uint64_t open_files_hard = 0;
  std::uint64_t capabilities = 0;  // effective: bits 1 << CAP_*
  // Not the first user namespace: capabilities do not count for the kernel's
  // own things, which perf events are.
  bool in_user_namespace = false;
  std::string tracefs;  // "" if it is not mounted or cannot be read
  bool has_btf = false;
  std::vector<std::string> pmus;  // "breakpoint", "cpu", "intel_pt" …, sorted
  std::vector<int> online_cpus;

  // CAP_* of <linux/capability.h>, in the first user namespace.
  bool may(int capability) const;
  // CAP_PERFMON, or CAP_SYS_ADMIN as before it: paranoid does not matter.
  bool privileged() const;
  bool may_record_kernel() const;    // else exclude_kernel must be set
  bool may_record_all_cpus() const;  // -a, -C
  bool may_use_tracepoints() const;  // with raw data; also needs tracefs
  // The commands that give this right; "" if it is there.
  std::string help_with_tracepoints() const;
  bool may_record_anything() const;  // of its own processes
  // A PMU of the processor: cycles and so on can be counted.
  bool has_hardware_counters() const;
  // Addresses in /proc/kallsyms are real.
  bool shows_kernel_addresses() const;
  // The bytes that all ring buffers together may have, headers included;
  // kUnlimited if it does not matter. Other recordings of the same user take
  // from the same purse, so that less may be left.
  std::uint64_t buffer_memory() const;
};

KernelLimits read_kernel_limits(const SystemPaths& paths = {});

// Whether a PMU of this name counts what the cores do.
bool is_processor_pmu(std::string_view name);

// "0-3,8" as the kernel writes lists of CPUs; what is not understood is left
// out. At most 65,536 CPUs.
std::vector<int> parse_cpu_list(std::string_view text);

// Sets the soft limit of open files to the hard one; returns the limit then.
std::uint64_t raise_open_files_limit();

}  // namespace wick
