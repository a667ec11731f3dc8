// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "base/metrics.h"
#include "base/tell.h"

namespace wick {

std::string progress_text(const char* pass, double bytes, double whole,
                          double seconds) {
  constexpr double kMega = 1e6;
  if (std::string_view(pass) != "read")
    return fmt::format("{}, {:.0f} s", pass, seconds);
  if (whole > bytes)
    return fmt::format("{} {:.0f}%, {:.0f} of {:.0f} MB, {:.0f} MB/s", pass,
                       100 * bytes / whole, bytes / kMega, whole / kMega,
                       bytes / kMega / seconds);
  return fmt::format("{} {:.0f} MB, {:.0f} s", pass, bytes / kMega, seconds);
}

ProgressLine::ProgressLine(bool quiet) {
  if (quiet || ::isatty(STDERR_FILENO) == 0) return;
  thread_ = std::thread([this] { show(); });
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void ProgressLine::show() {
  using Clock = std::chrono::steady_clock;
  using namespace std::chrono_literals;
  const auto start = Clock::now();
  std::unique_lock lock(mutex_);
  if (ended_.wait_for(lock, 1s, [this] { return end_; })) return;
  do {
    const Activity& now = activity();
    const double seconds =
        std::chrono::duration<double>(Clock::now() - start).count();
    write_to_stderr("\r\033[Kwick: " +
                    progress_text(now.pass, static_cast<double>(now.bytes_read),
                                  static_cast<double>(now.bytes_to_read),
                                  seconds));
    std::fflush(stderr);
  } while (!ended_.wait_for(lock, 200ms, [this] { return end_; }));
  write_to_stderr("\r\033[K");
  std::fflush(stderr);
}

}  // namespace wick
