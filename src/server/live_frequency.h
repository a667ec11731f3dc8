// SPDX-License-Identifier: Apache-2.0
// How often to sample: more while somebody watches, and some seconds longer,
// because a page that is loaded again is away for a moment.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace wick {

class LiveFrequency {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kAfterwards{10};

  LiveFrequency(int usual, int live) : usual_(usual), live_(live) {}

  void set(int usual, int live) {
    usual_ = usual;
    live_ = live;
  }
  // How often now.
  int at(std::size_t watchers, Time now) {
    if (watchers > 0) until_ = now + kAfterwards;
    return until_ && now < *until_ ? live_ : usual_;
  }

 private:
  int usual_, live_;
  std::optional<Time> until_;
};

}  // namespace wick
