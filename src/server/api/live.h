// SPDX-License-Identifier: Apache-2.0
// What is measured, second by second, for those who watch.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/batch/batch.h"
#include "server/http/message.h"

namespace wick {

// What of it one client wants.
struct LiveChoice {
  std::string host;                // "": all
  std::vector<std::string> names;  // as in MetricQuery
  friend auto operator<=>(const LiveChoice&, const LiveChoice&) = default;
};

// For any thread.
class Live {
 public:
  std::shared_ptr<EventStream> join(LiveChoice choice);
  // An event "second" for each client that wants it.
  void publish(const Batch& batch);
  // How many clients there are.
  std::size_t watchers();

 private:
  struct Watcher {
    LiveChoice choice;
    std::shared_ptr<EventStream> events;
  };
  void forget_gone();

  std::mutex mutex_;
  std::vector<Watcher> watchers_;
};

}  // namespace wick
