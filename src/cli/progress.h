// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace wick {

// While it exists, from the second second on, a line on the terminal shows what
// the run is doing. Shows nothing if standard error is not a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void show();

  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

// "read 45%, 135 of 300 MB, 210 MB/s".
std::string progress_text(const char* pass, double bytes, double whole,
                          double seconds);

}  // namespace wick
