// SPDX-License-Identifier: Apache-2.0
// Lets few queries that cost much run at a time, so that some threads are left
// for all others, and memory for what they make.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace wick {

struct TurnLimits {
  std::size_t running = 2, waiting = 2;
  std::chrono::milliseconds patience = std::chrono::seconds(10);
};

// For any thread.
class Turns {
 public:
  explicit Turns(TurnLimits limits = {}) : limits_(limits) {}

  // Waits for a turn and keeps it for its life.
  class Turn {
   public:
    explicit Turn(Turns& turns) : turns_(turns), has_come_(turns.take()) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (has_come_) turns_.give_back();
    }
    // False if too many wait, or if it took too long.
    bool has_come() const { return has_come_; }

   private:
    Turns& turns_;
    bool has_come_;
  };

 private:
  bool take();
  void give_back();

  TurnLimits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t running_ = 0, waiting_ = 0;
};

}  // namespace wick
