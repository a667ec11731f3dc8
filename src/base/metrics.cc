// SPDX-License-Identifier: Apache-2.0
#include "base/metrics.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <iterator>
#include <mutex>
#include <vector>

#include "base/append.h"

namespace wick {
namespace {

struct Pass {
  std::string_view name;
  std::chrono::nanoseconds time{}, cpu{};
  int runs = 0;
};

std::mutex mutex;
std::vector<Pass>& passes() {
  static std::vector<Pass> list;
  return list;
}

}  // namespace

Activity& activity() {
  static Activity the_activity;
  return the_activity;
}

std::chrono::nanoseconds Timer::cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) +
         std::chrono::nanoseconds(now.tv_nsec);
}

Timer::~Timer() {
  activity().pass = outer_;
  const auto time = std::chrono::steady_clock::now() - start_;
  const auto cpu = cpu_time() - cpu_start_;
  const std::scoped_lock lock(mutex);
  for (Pass& pass : passes()) {
    if (pass.name != pass_) continue;
    pass.time += time;
    pass.cpu += cpu;
    ++pass.runs;
    return;
  }
  passes().push_back({pass_, time, cpu, 1});
}

std::string metrics_report() {
  const std::scoped_lock lock(mutex);
  std::string out;
  const auto ms = [](std::chrono::nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
  };
  for (const Pass& pass : passes())
    append(out, "{:<16} {:>9.1f} ms {:>9.1f} ms CPU {:>6}x\n", pass.name,
           ms(pass.time), ms(pass.cpu), pass.runs);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  append(out, "{:<16} {:>9.1f} MB\n", "peak memory",
         static_cast<double>(usage.ru_maxrss) / 1024);
  return out;
}

}  // namespace wick
