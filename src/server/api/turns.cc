// SPDX-License-Identifier: Apache-2.0
#include "server/api/turns.h"

namespace wick {

bool Turns::take() {
  std::unique_lock lock(mutex_);
  const auto is_free = [&] { return running_ < limits_.running; };
  if (!is_free()) {
    if (waiting_ == limits_.waiting) return false;
    ++waiting_;
    const bool has_come = changed_.wait_for(lock, limits_.patience, is_free);
    --waiting_;
    if (!has_come) return false;
  }
  ++running_;
  return true;
}

void Turns::give_back() {
  {
    const std::lock_guard lock(mutex_);
    --running_;
  }
  changed_.notify_one();
}

}  // namespace wick
