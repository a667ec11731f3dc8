// SPDX-License-Identifier: Apache-2.0
#include "base/metrics.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <iterator>
#include <mutex>
#include <vector>

namespace wick {
namespace {

struct Pass {
  std::string_view name;
  std::chrono::nanoseconds time{};
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

Timer::~Timer() {
  activity().pass = outer_;
  const auto time = std::chrono::steady_clock::now() - start_;
  const std::scoped_lock lock(mutex);
  for (Pass& pass : passes()) {
    if (pass.name != pass_) continue;
    pass.time += time;
    ++pass.runs;
    return;
  }
  passes().push_back({pass_, time, 1});
}

std::string metrics_report() {
  const std::scoped_lock lock(mutex);
  std::string out;
  for (const Pass& pass : passes())
    fmt::format_to(std::back_inserter(out), "{:<16} {:>9.1f} ms {:>6}x\n",
                   pass.name,
                   std::chrono::duration<double, std::milli>(pass.time).count(),
                   pass.runs);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::format_to(std::back_inserter(out), "{:<16} {:>9.1f} MB\n", "peak memory",
                 static_cast<double>(usage.ru_maxrss) / 1024);
  return out;
}

}  // namespace wick
