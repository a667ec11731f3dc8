// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/unique_fd.h"

namespace wick {

// What the signals of a service ask for, as files that can be waited for.
// One object at a time.
class ServeSignals {
 public:
  ServeSignals();
  ~ServeSignals();
  ServeSignals(const ServeSignals&) = delete;
  ServeSignals& operator=(const ServeSignals&) = delete;

  // Readable after SIGTERM or SIGINT, and for good.
  int stop_fd() const { return stop_.get(); }
  // Readable after SIGHUP, until it is read.
  int changed_fd() const { return changed_.get(); }

  bool is_stopped() const;
  // Whether there was a SIGHUP since the last call.
  bool take_changed();

 private:
  UniqueFd stop_, changed_;
  bool has_terminal_;
};

}  // namespace wick
