// SPDX-License-Identifier: Apache-2.0
// One reader for each file of /proc and of a control group. A reader takes the
// text of the file, which may end anywhere, and adds what it finds.
#pragma once

#include <string_view>

#include "host/host_metrics.h"

namespace wick {

// CPUs and what runs on them.
void read_stat(std::string_view text, HostMetrics& metrics);
void read_schedstat(std::string_view text, HostMetrics& metrics);
void read_softirqs(std::string_view text, HostMetrics& metrics);
void read_interrupts(std::string_view text, HostMetrics& metrics);
void read_loadavg(std::string_view text, HostMetrics& metrics);
void read_threads_max(std::string_view text, HostMetrics& metrics);
void read_file_nr(std::string_view text, HostMetrics& metrics);
// pressure/`resource`: one file for each.
void read_pressure(std::string_view resource, std::string_view text,
                   HostMetrics& metrics);

// Memory.
void read_meminfo(std::string_view text, HostMetrics& metrics);
void read_vmstat(std::string_view text, HostMetrics& metrics);

// Disks and their partitions; those that were never used are left out.
void read_diskstats(std::string_view text, HostMetrics& metrics);

// The network namespace of whoever opened the file.
void read_net_dev(std::string_view text, HostMetrics& metrics);
void read_net_snmp(std::string_view text, HostMetrics& metrics);
void read_net_netstat(std::string_view text, HostMetrics& metrics);
void read_softnet_stat(std::string_view text, HostMetrics& metrics);
void read_conntrack_stat(std::string_view text, HostMetrics& metrics);
void read_conntrack_count(std::string_view text, HostMetrics& metrics);
void read_conntrack_max(std::string_view text, HostMetrics& metrics);

// A group of cgroup v2.
void read_cgroup_cpu_stat(std::string_view text, HostMetrics& metrics);
void read_cgroup_cpu_max(std::string_view text, HostMetrics& metrics);
void read_cgroup_memory_current(std::string_view text, HostMetrics& metrics);
void read_cgroup_memory_max(std::string_view text, HostMetrics& metrics);
void read_cgroup_memory_events(std::string_view text, HostMetrics& metrics);
void read_cgroup_memory_stat(std::string_view text, HostMetrics& metrics);
void read_cgroup_swap_current(std::string_view text, HostMetrics& metrics);
void read_cgroup_io_stat(std::string_view text, HostMetrics& metrics);
void read_cgroup_pids_current(std::string_view text, HostMetrics& metrics);
void read_cgroup_pids_max(std::string_view text, HostMetrics& metrics);
void read_cgroup_pressure(std::string_view resource, std::string_view text,
                          HostMetrics& metrics);

}  // namespace wick
