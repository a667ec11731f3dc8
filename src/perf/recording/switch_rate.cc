// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/switch_rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <thread>

#include "base/text.h"
#include "io/read_file.h"
#include "perf/events/proc_thread.h"
#include "perf/recording/attached_threads.h"
#include "perf/recording/proc_events.h"

namespace wick {
namespace {

constexpr std::size_t kMeasured = 128;
constexpr std::uint64_t kMaxStatFile = 1 << 20;
// Long enough for a thread to have its turn on a busy machine.
constexpr std::chrono::milliseconds kShortest{30};

}  // namespace

SwitchRate::SwitchRate(const RecordOptions& options, const SystemPaths& paths)
    : paths_(paths), is_system_wide_(options.system_wide) {
  std::vector<Thread> all;
  for (const pid_t tid : options.threads) all.push_back({tid, tid});
  for (const pid_t pid : attached_processes(options, paths))
    for (const pid_t tid : list_threads(pid, paths)) all.push_back({pid, tid});
  // By chance: every nth one may be of a kind, such as the one that waits of
  // each pair.
  std::minstd_rand random;
  std::ranges::sample(all, std::back_inserter(threads_), kMeasured, random);
  all_threads_ = all.size();
  begin_ = Clock::now();
  before_ = count();
}

std::uint64_t SwitchRate::count() const {
  if (is_system_wide_)
    return parse_machine_switches(
        read_small_file(paths_.proc + "/stat", kMaxStatFile).value_or(""));
  std::uint64_t sum = 0;
  for (const Thread& thread : threads_)
    if (const auto counts = parse_switch_counts(
            read_small_file(fmt::format("{}/{}/task/{}/status", paths_.proc,
                                        thread.pid, thread.tid),
                            kMaxStatFile)
                .value_or("")))
      sum += counts->voluntary + counts->forced;
  return sum;
}

SwitchLoad SwitchRate::measured() const {
  std::this_thread::sleep_until(begin_ + kShortest);
  const std::uint64_t after = count();
  const std::chrono::duration<double> elapsed = Clock::now() - begin_;
  // A thread that has ended no longer counts.
  const std::uint64_t switches = after - std::min(after, before_);
  const double scale = threads_.empty()
                           ? 1
                           : static_cast<double>(all_threads_) /
                                 static_cast<double>(threads_.size());
  return {
      .threads = all_threads_,
      .per_second = scale * static_cast<double>(switches) / elapsed.count()};
}

std::uint64_t parse_machine_switches(std::string_view stat) {
  while (!stat.empty()) {
    std::string_view line = take_line(stat);
    if (take_word(line) == "ctxt")
      return to_number<std::uint64_t>(trim(line)).value_or(0);
  }
  return 0;
}

}  // namespace wick
