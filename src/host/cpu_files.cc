// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "host/file_readers.h"
#include "host/proc_text.h"

namespace wick {
namespace {

// What user space sees are hundredths of a second, whatever the kernel's HZ.
constexpr double kTick = 1e7;

void add_cpu(std::string_view cpu, std::string_view line,
             HostMetrics& metrics) {
  double ticks[10];
  for (double& value : ticks) value = take_count(line);
  const auto [user, nice, system, idle, iowait, irq, softirq, steal, guest,
              guest_nice] = ticks;
  const std::pair<Metric, double> times[] = {
      {Metric::kCpuUser, std::max(user - guest, 0.0)},
      {Metric::kCpuNice, std::max(nice - guest_nice, 0.0)},
      {Metric::kCpuSystem, system},
      {Metric::kCpuIdle, idle},
      {Metric::kCpuIowait, iowait},
      {Metric::kCpuIrq, irq},
      {Metric::kCpuSoftirq, softirq},
      {Metric::kCpuSteal, steal},
      {Metric::kCpuGuest, guest + guest_nice},
  };
  for (const auto& [metric, value] : times)
    metrics.add(metric, value * kTick, cpu);
}

// A column for each CPU, then perhaps words.
double sum_of_numbers(std::string_view line) {
  double sum = 0;
  while (const auto value = to_number<std::uint64_t>(take_word(line)))
    sum += static_cast<double>(*value);
  return sum;
}

}  // namespace

// The first line is the sum of all CPUs. It is left out, because the sum of
// what follows says the same and a CPU that goes offline does not disturb it.
void read_stat(std::string_view text, HostMetrics& metrics) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view word = take_word(line);
    if (word.starts_with("cpu") && all_digits(word.substr(3)))
      add_cpu(word.substr(3), line, metrics);
    else if (word == "intr")
      metrics.add(Metric::kInterrupts, take_count(line));
    else if (word == "ctxt")
      metrics.add(Metric::kContextSwitches, take_count(line));
    else if (word == "processes")
      metrics.add(Metric::kForks, take_count(line));
    else if (word == "procs_running")
      metrics.add(Metric::kThreadsRunning, take_count(line));
    else if (word == "procs_blocked")
      metrics.add(Metric::kThreadsBlocked, take_count(line));
  }
}

// "cpu0 0 0 0 0 0 0 RUN WAIT SLICES", the times in nanoseconds. Few kernels
// have this file (CONFIG_SCHEDSTATS).
void read_schedstat(std::string_view text, HostMetrics& metrics) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view word = take_word(line);
    if (!word.starts_with("cpu") || !all_digits(word.substr(3))) continue;
    for (int field = 1; field < 8; ++field) take_word(line);
    metrics.add(Metric::kCpuWait, take_count(line), word.substr(3));
  }
}

// A row for each type, a column for each CPU.
void read_softirqs(std::string_view text, HostMetrics& metrics) {
  take_line(text);
  while (!text.empty()) {
    std::string_view line = take_line(text);
    std::string_view type = take_word(line);
    if (!type.ends_with(':')) continue;
    type.remove_suffix(1);
    metrics.add(Metric::kSoftirqs, sum_of_numbers(line), type);
  }
}

// The sum of all interrupts is in stat; here are those that report errors of
// the hardware.
void read_interrupts(std::string_view text, HostMetrics& metrics) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view type = take_word(line);
    if (type == "MCE:")
      metrics.add(Metric::kMachineChecks, sum_of_numbers(line));
    else if (type == "THR:")
      metrics.add(Metric::kThresholdInterrupts, sum_of_numbers(line));
  }
}

// "0.42 0.30 0.25 3/421 12345"
void read_loadavg(std::string_view text, HostMetrics& metrics) {
  for (const Metric metric :
       {Metric::kLoad1, Metric::kLoad5, Metric::kLoad15}) {
    const auto load = to_double(take_word(text));
    if (!load || !(*load >= 0)) return;
    metrics.add(metric, *load);
  }
  take_until(text, '/');
  if (const auto threads = take_number<std::uint32_t>(text))
    metrics.add(Metric::kThreads, *threads);
}

void read_threads_max(std::string_view text, HostMetrics& metrics) {
  add_number(text, Metric::kThreadsLimit, metrics);
}

// "open, unused, limit".
void read_file_nr(std::string_view text, HostMetrics& metrics) {
  add_number(take_word(text), Metric::kFilesOpen, metrics);
  take_word(text);
  add_number(text, Metric::kFilesLimit, metrics);
}

void read_pressure(std::string_view resource, std::string_view text,
                   HostMetrics& metrics) {
  add_pressure(text, resource, Metric::kPressureSome, Metric::kPressureFull,
               metrics);
}

}  // namespace wick
