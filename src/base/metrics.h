// SPDX-License-Identifier: Apache-2.0
// Elapsed and CPU time per pass, for `wick --stats`: put `Timer t("fold");` at
// the top of one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace wick {

// What the run is doing, for a progress line in another thread.
struct Activity {
  std::atomic<const char*> pass = "";  // the innermost one
  std::atomic<std::uint64_t> bytes_read = 0;
  std::atomic<std::uint64_t> bytes_to_read = 0;  // 0 if unknown
  // Frames that loops over whole stacks came past: what costs most if an input
  // is made to cost much. Tests hold it against the size of the input.
  std::atomic<std::uint64_t> steps = 0;
};
Activity& activity();

inline void count_steps(std::uint64_t count) {
  activity().steps.fetch_add(count, std::memory_order_relaxed);
}

class Timer {
 public:
  // `pass` is a literal.
  explicit Timer(const char* pass)
      : pass_(pass),
        outer_(activity().pass.exchange(pass)),
        start_(std::chrono::steady_clock::now()),
        cpu_start_(cpu_time()) {}
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  // Of all threads of the process.
  static std::chrono::nanoseconds cpu_time();

  const char* pass_;
  const char* outer_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::nanoseconds cpu_start_;
};

// A line per pass, in the order in which they first ended, and the peak
// resident memory.
std::string metrics_report();

}  // namespace wick
