// SPDX-License-Identifier: Apache-2.0
// Ends a recording from outside: from another thread or from a signal handler.
#pragma once

#include <atomic>

#include "io/unique_fd.h"

namespace wick {

class StopRequest {
 public:
  StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  // Async-signal-safe. Stopping twice is the same as once.
  void stop() noexcept;
  bool is_stopped() const { return stopped_; }
  // Becomes readable with stop() and stays so.
  int fd() const { return event_.get(); }

 private:
  std::atomic<bool> stopped_ = false;
  static_assert(std::atomic<bool>::is_always_lock_free);
  UniqueFd event_;
};

}  // namespace wick
