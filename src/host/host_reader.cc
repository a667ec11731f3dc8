// SPDX-License-Identifier: Apache-2.0
#include "host/host_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "host/file_readers.h"

namespace wick {
namespace {

constexpr HostFile kProcFiles[] = {
    {"stat", read_stat},
    {"schedstat", read_schedstat},
    {"softirqs", read_softirqs},
    {"loadavg", read_loadavg},
    {"pressure/cpu",
     [](std::string_view text, HostMetrics& metrics) {
       read_pressure("cpu", text, metrics);
     }},
    {"pressure/memory",
     [](std::string_view text, HostMetrics& metrics) {
       read_pressure("memory", text, metrics);
     }},
    {"pressure/io",
     [](std::string_view text, HostMetrics& metrics) {
       read_pressure("io", text, metrics);
     }},
    {"pressure/irq",
     [](std::string_view text, HostMetrics& metrics) {
       read_pressure("irq", text, metrics);
     }},
    {"meminfo", read_meminfo},
    {"vmstat", read_vmstat},
    {"diskstats", read_diskstats},
    {"net/dev", read_net_dev},
    {"net/snmp", read_net_snmp},
    {"net/netstat", read_net_netstat},
    {"net/softnet_stat", read_softnet_stat},
    {"net/stat/nf_conntrack", read_conntrack_stat},
    {"sys/net/netfilter/nf_conntrack_count", read_conntrack_count},
    {"sys/fs/file-nr", read_file_nr},
};

constexpr HostFile kSeldomFiles[] = {
    {"interrupts", read_interrupts},
    {"sys/kernel/threads-max", read_threads_max},
    {"sys/net/netfilter/nf_conntrack_max", read_conntrack_max},
};

constexpr HostFile kCgroupFiles[] = {
    {"cpu.stat", read_cgroup_cpu_stat},
    {"cpu.max", read_cgroup_cpu_max},
    {"cpu.pressure",
     [](std::string_view text, HostMetrics& metrics) {
       read_cgroup_pressure("cpu", text, metrics);
     }},
    {"memory.current", read_cgroup_memory_current},
    {"memory.max", read_cgroup_memory_max},
    {"memory.events", read_cgroup_memory_events},
    {"memory.stat", read_cgroup_memory_stat},
    {"memory.swap.current", read_cgroup_swap_current},
    {"memory.pressure",
     [](std::string_view text, HostMetrics& metrics) {
       read_cgroup_pressure("memory", text, metrics);
     }},
    {"io.stat", read_cgroup_io_stat},
    {"io.pressure",
     [](std::string_view text, HostMetrics& metrics) {
       read_cgroup_pressure("io", text, metrics);
     }},
    {"pids.current", read_cgroup_pids_current},
    {"pids.max", read_cgroup_pids_max},
};

// Files of one number, one for each entry of a folder of /sys whose name begins
// with `prefix`. The entry's name is the label.
struct SysNumber {
  std::string_view folder, prefix, file;
  Metric metric;
  double factor = 1;
  int base = 10;
};
constexpr SysNumber kSysNumbers[] = {
    // In megabits per second; -1 or unreadable if the link is down or virtual.
    {"class/net", "", "speed", Metric::kNetworkSpeed, 1e6 / 8},
    {"block", "sd", "device/ioerr_cnt", Metric::kDiskErrors, 1, 16},
    {"fs/ext4", "", "errors_count", Metric::kFileSystemErrors},
    {"devices/system/edac/mc", "mc", "ce_count", Metric::kCorrectedErrors},
    {"devices/system/edac/mc", "mc", "ue_count", Metric::kUncorrectedErrors},
    {"devices/system/cpu", "cpu", "thermal_throttle/core_throttle_count",
     Metric::kThermalThrottles},
};

// Far above what a host with a thousand CPUs has. A larger buffer makes reads
// of /proc/sys fail with ENOMEM.
constexpr std::size_t kBuffer = std::size_t{64} << 10;
constexpr std::size_t kLargestFile = std::size_t{4} << 20;

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::optional<double> number_of(std::string_view text, int base) {
  text = trim(text);
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  const auto value = to_number<std::uint64_t>(text, base);
  if (!value) return {};
  return static_cast<double>(*value);
}

}  // namespace

std::span<const HostFile> proc_files() { return kProcFiles; }
std::span<const HostFile> seldom_files() { return kSeldomFiles; }
std::span<const HostFile> cgroup_files() { return kCgroupFiles; }

// "0::/system.slice/wick.service". Where version 1 is in use as well, version 2
// is mounted below it.
std::string own_cgroup(const std::string& proc, const std::string& sys) {
  const UniqueFd fd(
      ::open((proc + "/self/cgroup").c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return {};
  char bytes[4096];
  const ssize_t got = ::read(fd.get(), bytes, sizeof bytes);
  std::string_view text(bytes, got > 0 ? static_cast<std::size_t>(got) : 0);
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!line.starts_with("0::/")) continue;
    for (const char* root : {"/fs/cgroup", "/fs/cgroup/unified"}) {
      const std::string folder = sys + root;
      if (::access((folder + "/cgroup.controllers").c_str(), F_OK) == 0)
        return folder + std::string(line.substr(3));
    }
  }
  return {};
}

HostReader::HostReader(std::string proc, std::string sys)
    : sys_(std::move(sys)) {
  open(kProcFiles, proc, often_);
  open(kSeldomFiles, proc, seldom_);
  if (const std::string cgroup = own_cgroup(proc, sys_); !cgroup.empty())
    open(kCgroupFiles, cgroup, often_);
}

void HostReader::open(std::span<const HostFile> files,
                      const std::string& folder,
                      std::vector<OpenFile>& opened) {
  for (const HostFile& file : files) {
    const std::string path = folder + "/" + std::string(file.path);
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd)
      opened.push_back({&file, std::move(fd)});
    else
      missing_.push_back(path);
  }
}

std::string_view HostReader::text_of(const UniqueFd& fd) {
  std::size_t size = 0;
  while (size < kLargestFile) {
    if (buffer_.size() < size + kBuffer) buffer_.resize(size + kBuffer);
    const ssize_t got = ::pread(fd.get(), buffer_.data() + size, kBuffer,
                                static_cast<off_t>(size));
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  return {buffer_.data(), size};
}

void HostReader::read(const std::vector<OpenFile>& files,
                      HostMetrics& metrics) {
  for (const OpenFile& open : files) open.file->read(text_of(open.fd), metrics);
}

// These are opened each time: interfaces and disks come and go.
void HostReader::read_sys_numbers(HostMetrics& metrics) {
  for (const SysNumber& number : kSysNumbers) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(
             sys_ + "/" + std::string(number.folder), ignored))
      if (const std::string name = entry.path().filename().string();
          name.starts_with(number.prefix))
        names.push_back(name);
    std::ranges::sort(names);
    for (const std::string& name : names) {
      const UniqueFd fd(::open((sys_ + "/" + std::string(number.folder) + "/" +
                                name + "/" + std::string(number.file))
                                   .c_str(),
                               O_RDONLY | O_CLOEXEC));
      if (!fd) continue;
      if (const auto value = number_of(text_of(fd), number.base))
        metrics.add(number.metric, *value * number.factor, name);
    }
  }
}

HostMetrics HostReader::read() {
  HostMetrics metrics;
  metrics.unix_ns = clock_ns(CLOCK_REALTIME);
  metrics.boot_ns = clock_ns(CLOCK_BOOTTIME);
  read(often_, metrics);
  keep_disks(metrics);
  tcp_.read_queues(metrics);
  if (reads_++ % kSeldom == 0) {
    seldom_values_.values.clear();
    read(seldom_, seldom_values_);
    read_sys_numbers(seldom_values_);
    tcp_.read_states(seldom_values_);
  }
  metrics.values.insert(metrics.values.end(), seldom_values_.values.begin(),
                        seldom_values_.values.end());
  return metrics;
}

// diskstats has the partitions of a disk as well, which would count twice.
void HostReader::keep_disks(HostMetrics& metrics) {
  std::erase_if(metrics.values, [&](const MetricValue& value) {
    if (info(value.metric).label != "disk") return false;
    const auto known = disks_.find(value.label);
    if (known != disks_.end()) return !known->second;
    std::string name = value.label;
    std::ranges::replace(name, '/', '!');
    struct stat found {};
    const bool is_disk = ::stat((sys_ + "/block/" + name).c_str(), &found) == 0;
    // Names are few unless devices come and go for years.
    if (disks_.size() >= 4096) disks_.clear();
    disks_.emplace(value.label, is_disk);
    return !is_disk;
  });
}

}  // namespace wick
