// SPDX-License-Identifier: Apache-2.0
// The busiest processes. One pass over /proc costs 8 µs for each process; more
// is read of those only that were busiest.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace wick {

// Of the time since the pass before. A value is missing if it may not be read
// or if there is no earlier one.
struct ProcessMetrics {
  double seconds = 0;  // that time: rates times this are what was used
  pid_t pid = 0, parent = 0;
  std::uint64_t start_ticks = 0;  // with the pid, tells processes apart
  std::string name;
  char state = '?';
  std::uint32_t threads = 0;
  std::optional<std::uint32_t> uid;
  double cpu = 0,
         system_cpu = 0;  // in CPUs: 1 is one that is busy all the time
  double minor_faults = 0, major_faults = 0;        // per second
  std::optional<double> read_bytes, written_bytes;  // per second, of disks
  std::optional<double> switches, forced_switches;  // of the main thread
  std::optional<double> wait;  // of the main thread for a CPU, as a share
  std::uint64_t resident_bytes = 0;
  std::optional<std::uint64_t> swap_bytes;
  std::optional<std::uint64_t> pss_bytes;  // at most some minutes old
  friend bool operator==(const ProcessMetrics&,
                         const ProcessMetrics&) = default;
};

struct ProcessCounts {
  std::size_t processes = 0, zombies = 0;
};

// The counters that differences are made of, of one process.
struct ProcessCounters {
  std::uint64_t start_ticks = 0;
  std::uint64_t user_ticks = 0, system_ticks = 0;
  std::uint64_t minor_faults = 0, major_faults = 0;
  // Only of the busiest.
  std::optional<std::uint64_t> read_bytes, written_bytes;
  std::optional<std::uint64_t> switches, forced_switches;
  std::optional<std::uint64_t> wait_ns;
};

// Lines of files of /proc/PID that other processes have a say in.
void parse_process_io(std::string_view text, ProcessCounters& counters);
void parse_process_schedstat(std::string_view text, ProcessCounters& counters);
void parse_process_status(std::string_view text, ProcessMetrics& process,
                          ProcessCounters& counters);
std::optional<std::uint64_t> parse_pss(std::string_view text);

class ProcessReader {
 public:
  explicit ProcessReader(std::string proc = "/proc");

  // The `most` busiest processes since the last call, by CPU time, then by
  // memory. `boot_ns` is the time of this call.
  std::vector<ProcessMetrics> read(std::int64_t boot_ns, std::size_t most = 30);
  ProcessCounts counts() const { return counts_; }

  // Reads the proportional memory of some processes, one after the other, as
  // long as that takes no more than a thousandth of the time since the last
  // call. The kernel walks over all pages of a process for it.
  void read_some_pss(std::int64_t boot_ns);

 private:
  std::optional<std::string_view> text_of(pid_t pid, const char* file);

  struct Known {
    ProcessCounters counters;
    std::optional<std::uint64_t> pss_bytes;
    bool seen = false;  // in this pass
  };
  std::string proc_;
  std::string buffer_;
  std::unordered_map<pid_t, Known> known_;
  std::int64_t read_at_ = 0, pss_at_ = 0;
  ProcessCounts counts_;
  std::vector<pid_t> pss_queue_;  // the next one is the last
  double pss_ns_left_ = 0;
};

}  // namespace wick
