// SPDX-License-Identifier: Apache-2.0
// Time per pass, for `wick --stats`: put `Timer t("fold");` at the top of one.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace wick {

class Timer {
 public:
  explicit Timer(std::string_view pass)
      : pass_(pass), start_(std::chrono::steady_clock::now()) {}
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  std::string_view pass_;
  std::chrono::steady_clock::time_point start_;
};

// A line per pass, in the order in which they first ended, and the peak of
// resident memory.
std::string metrics_report();

}  // namespace wick
