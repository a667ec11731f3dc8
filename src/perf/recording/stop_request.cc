// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/stop_request.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/error.h"

namespace wick {

StopRequest::StopRequest() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) fail("cannot create an eventfd: {}", last_system_error());
}

void StopRequest::stop() noexcept {
  stopped_ = true;
  const int error = errno;  // a signal handler must not change it
  const std::uint64_t one = 1;
  (void)!::write(event_.get(), &one, sizeof one);
  errno = error;
}

}  // namespace wick
