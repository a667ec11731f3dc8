// SPDX-License-Identifier: Apache-2.0
// Whether the samples of a program account for all its CPU time. The kernel
// counts an event exactly, for a program and all its descendants, even where it
// takes no samples; and the resources of a process that has ended are known
// even where it may not be counted.
//
// Two things are missed. A task that ends within its first period is never
// sampled by a clock of its own: of 1,500 spawns of `true`, which take 1.1 s,
// 15 ms are in samples. And the kernel removes all events from a process that
// executes a setuid program or one that its user may not read.
//
// Of processes that run already, what the sampling events themselves counted is
// the whole.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "io/unique_fd.h"
#include "perf/events/kernel_limits.h"
#include "perf/records/record.h"
#include "profile/diagnostics.h"

namespace wick {

// Nanoseconds, or whatever the event counts.
struct CpuTimes {
  std::uint64_t counted = 0;  // by the kernel
  std::uint64_t sampled = 0;  // the weight of all samples
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;             // samples
  std::uint64_t period = 0;           // as far as it is known beforehand
  std::uint64_t tasks = 0;            // threads and processes that have begun
  std::optional<std::uint64_t> used;  // CPU time, ns, by its resources
  bool is_time = true;                // what the event counts
  bool is_by_cpu = false;             // sampled whatever its age
  bool is_user_only = false;     // time in the kernel is counted, not sampled
  bool is_kernel_wanted = true;  // if that is not a user's choice
  bool is_refused = false;       // the program is one that may not be sampled
  bool is_attached = false;      // to what ran already
};

// What is missing beyond the error of sampling, of `counted`; else 0. n samples
// are off by √n at most, since those of a clock are spread more evenly than by
// chance; three times that happens by chance once in 700 recordings. A
// twentieth of the whole is not worth a word.
std::uint64_t missing_beyond_chance(const CpuTimes& times);

// Notes what is missing, by its reason. Returns the time that it is a part of.
std::uint64_t note_unsampled(CpuTimes times, Diagnostics& diagnostics);

class CpuTimeAccount {
 public:
  // For the samples of `event` of a program that has not begun yet, on `cpus`,
  // or on all if there are none. Counts nothing if the kernel does not let it,
  // or if it is a tracepoint, of which each one is sampled.
  CpuTimeAccount(const PerfEvent& event, pid_t program,
                 const std::vector<int>& cpus, const KernelLimits& limits);
  // For the samples of an event that is open for what runs already: for each
  // thread on `cpus` CPUs. `fds` outlive it; their read_format has kTimeEnabled
  // and kTimeRunning.
  CpuTimeAccount(const PerfEvent& event, std::span<const UniqueFd> fds,
                 std::size_t cpus);

  bool is_open() const { return !counters_.empty(); }
  // From now on, and until now.
  void begin() { before_ = count(); }
  void end();

  void on_sample(const PerfRecord& sample);

  // `times` of those that it does not know itself.
  CpuTimes times(CpuTimes others) const;

 private:
  struct Counts {
    std::uint64_t events = 0;
    std::uint64_t time = 0;  // ns on a CPU
  };
  void describe(const EventAttr& sampled);
  Counts count() const;

  const PerfEvent& event_;
  EventAttr attr_;
  std::vector<UniqueFd> own_;
  std::vector<int> counters_;
  std::size_t counters_per_thread_ = 1;  // one for each CPU, or one for all
  Counts before_;
  CpuTimes times_;
  PerfSample sample_;
};

}  // namespace wick
