// SPDX-License-Identifier: Apache-2.0
#include "host/process_metrics.h"

#include <dirent.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "io/process_stat.h"
#include "io/unique_fd.h"

namespace wick {
namespace {

constexpr double kTicksPerSecond = 100;  // USER_HZ, whatever the kernel's HZ

std::vector<pid_t> pids_in(const std::string& folder) {
  std::vector<pid_t> pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> names(::opendir(folder.c_str()),
                                                  ::closedir);
  if (!names) return pids;
  while (const dirent* entry = ::readdir(names.get()))
    if (const auto pid = to_number<pid_t>(entry->d_name); pid && *pid > 0)
      pids.push_back(*pid);
  return pids;
}

// "name: 12 kB" of a file of such lines.
std::optional<std::uint64_t> number_after(std::string_view text,
                                          std::string_view name) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    return to_number<std::uint64_t>(take_word(line));
  }
  return {};
}

std::optional<double> rate(std::optional<std::uint64_t> before,
                           std::optional<std::uint64_t> now, double seconds) {
  if (!before || !now || *now < *before || seconds <= 0) return {};
  return static_cast<double>(*now - *before) / seconds;
}

std::int64_t thread_cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

ProcessCounters counters_of(const ProcessStat& stat) {
  return {.start_ticks = stat.start_ticks,
          .user_ticks = stat.user_ticks,
          .system_ticks = stat.system_ticks,
          .minor_faults = stat.minor_faults,
          .major_faults = stat.major_faults};
}

// What happened between two moments of one process. One that is new began with
// zeros.
void set_rates(const ProcessCounters& before, const ProcessCounters& now,
               double seconds, ProcessMetrics& process) {
  const auto user = rate(before.user_ticks, now.user_ticks, seconds);
  const auto system = rate(before.system_ticks, now.system_ticks, seconds);
  process.system_cpu = system.value_or(0) / kTicksPerSecond;
  process.cpu = user.value_or(0) / kTicksPerSecond + process.system_cpu;
  process.minor_faults =
      rate(before.minor_faults, now.minor_faults, seconds).value_or(0);
  process.major_faults =
      rate(before.major_faults, now.major_faults, seconds).value_or(0);
}

void set_rates_of_busy(const ProcessCounters& before,
                       const ProcessCounters& now, double seconds,
                       ProcessMetrics& process) {
  process.read_bytes = rate(before.read_bytes, now.read_bytes, seconds);
  process.written_bytes =
      rate(before.written_bytes, now.written_bytes, seconds);
  process.switches = rate(before.switches, now.switches, seconds);
  process.forced_switches =
      rate(before.forced_switches, now.forced_switches, seconds);
  process.wait = rate(before.wait_ns, now.wait_ns, seconds * 1e9);
}

}  // namespace

// "rchar: 1", …, "read_bytes: 4096", "write_bytes: 0".
void parse_process_io(std::string_view text, ProcessCounters& counters) {
  counters.read_bytes = number_after(text, "read_bytes:");
  counters.written_bytes = number_after(text, "write_bytes:");
}

// "RUN WAIT SLICES", in nanoseconds.
void parse_process_schedstat(std::string_view text, ProcessCounters& counters) {
  take_word(text);
  counters.wait_ns = to_number<std::uint64_t>(take_word(text));
}

// The first line has the name, in which newlines are escaped.
void parse_process_status(std::string_view text, ProcessMetrics& process,
                          ProcessCounters& counters) {
  if (const auto uid = number_after(text, "Uid:"); uid && *uid <= 0xffffffff)
    process.uid = static_cast<std::uint32_t>(*uid);
  if (const auto swap = number_after(text, "VmSwap:");
      swap && *swap <= UINT64_MAX / 1024)
    process.swap_bytes = *swap * 1024;
  counters.switches = number_after(text, "voluntary_ctxt_switches:");
  counters.forced_switches = number_after(text, "nonvoluntary_ctxt_switches:");
}

std::optional<std::uint64_t> parse_pss(std::string_view text) {
  const auto pss = number_after(text, "Pss:");
  if (!pss || *pss > UINT64_MAX / 1024) return {};
  return *pss * 1024;
}

ProcessReader::ProcessReader(std::string proc) : proc_(std::move(proc)) {
  buffer_.resize(std::size_t{16} << 10);
}

std::optional<std::string_view> ProcessReader::text_of(pid_t pid,
                                                       const char* file) {
  const std::string path = proc_ + "/" + std::to_string(pid) + "/" + file;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return {};
  const ssize_t got = ::read(fd.get(), buffer_.data(), buffer_.size());
  if (got <= 0) return {};  // it has ended
  return std::string_view(buffer_.data(), static_cast<std::size_t>(got));
}

std::vector<ProcessMetrics> ProcessReader::read(std::int64_t boot_ns,
                                                std::size_t most) {
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const double seconds =
      read_at_ == 0 ? 0 : static_cast<double>(boot_ns - read_at_) / 1e9;
  read_at_ = boot_ns;
  counts_ = {};
  std::vector<ProcessMetrics> all;
  std::unordered_map<pid_t, ProcessCounters> before;
  for (auto& [pid, known] : known_) known.seen = false;
  for (const pid_t pid : pids_in(proc_)) {
    const auto text = text_of(pid, "stat");
    const auto stat = text ? parse_process_stat(*text) : std::nullopt;
    if (!stat) continue;
    ++counts_.processes;
    if (stat->state == 'Z') ++counts_.zombies;
    Known& known = known_[pid];
    if (known.counters.start_ticks != stat->start_ticks) known = {};
    ProcessMetrics process{
        .seconds = seconds,
        .pid = pid,
        .parent = stat->parent,
        .start_ticks = stat->start_ticks,
        .name = std::string(stat->name),
        .state = stat->state,
        .threads = stat->threads,
        .resident_bytes = stat->resident_pages < UINT64_MAX / page
                              ? stat->resident_pages * page
                              : 0,
        .pss_bytes = known.pss_bytes};
    const ProcessCounters now = counters_of(*stat);
    set_rates(known.counters, now, seconds, process);
    before.emplace(pid, std::exchange(known.counters, now));
    known.seen = true;
    all.push_back(std::move(process));
  }
  std::erase_if(known_, [](const auto& known) { return !known.second.seen; });

  most = std::min(most, all.size());
  std::ranges::partial_sort(
      all, all.begin() + static_cast<std::ptrdiff_t>(most), std::greater(),
      [](const ProcessMetrics& p) {
        return std::tuple(p.cpu, p.resident_bytes, -p.pid);
      });
  all.resize(most);
  for (ProcessMetrics& process : all) {
    ProcessCounters& now = known_[process.pid].counters;
    if (const auto text = text_of(process.pid, "status"))
      parse_process_status(*text, process, now);
    if (const auto text = text_of(process.pid, "io"))
      parse_process_io(*text, now);
    if (const auto text = text_of(process.pid, "schedstat"))
      parse_process_schedstat(*text, now);
    set_rates_of_busy(before[process.pid], now, seconds, process);
  }
  return all;
}

void ProcessReader::read_some_pss(std::int64_t boot_ns) {
  constexpr double kShare = 0.001;
  constexpr double kMostSaved = 5e6;  // as much as five quiet seconds
  if (pss_at_ != 0)
    pss_ns_left_ =
        std::min(pss_ns_left_ + kShare * static_cast<double>(boot_ns - pss_at_),
                 kMostSaved);
  pss_at_ = boot_ns;
  while (pss_ns_left_ > 0) {
    if (pss_queue_.empty()) {
      for (const auto& [pid, known] : known_) pss_queue_.push_back(pid);
      if (pss_queue_.empty()) return;
      std::ranges::sort(pss_queue_, std::greater());
    }
    const std::int64_t start = thread_cpu_ns();
    const pid_t pid = pss_queue_.back();
    pss_queue_.pop_back();
    const auto known = known_.find(pid);
    if (known != known_.end())
      if (const auto text = text_of(pid, "smaps_rollup"))
        known->second.pss_bytes = parse_pss(*text);
    pss_ns_left_ -= static_cast<double>(thread_cpu_ns() - start);
  }
}

}  // namespace wick
