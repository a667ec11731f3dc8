// SPDX-License-Identifier: Apache-2.0
#include "cli/serve_signals.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include "base/error.h"

namespace wick {
namespace {

volatile int serve_stop_fd = -1, serve_changed_fd = -1;

extern "C" void on_serve_signal(int signal) {
  const int error = errno;
  const std::uint64_t one = 1;
  const int fd = signal == SIGHUP ? serve_changed_fd : serve_stop_fd;
  [[maybe_unused]] const auto written = ::write(fd, &one, sizeof one);
  errno = error;
}

bool is_readable(const UniqueFd& fd) {
  pollfd readable{.fd = fd.get(), .events = POLLIN, .revents = 0};
  return ::poll(&readable, 1, 0) > 0;
}

bool has_controlling_terminal() {
  return static_cast<bool>(
      UniqueFd(::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)));
}

}  // namespace

ServeSignals::ServeSignals()
    : stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      changed_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      has_terminal_(has_controlling_terminal()) {
  if (!stop_ || !changed_)
    fail("cannot create an eventfd: {}", last_system_error());
  serve_stop_fd = stop_.get();
  serve_changed_fd = changed_.get();
  struct sigaction action {};
  action.sa_handler = on_serve_signal;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP})
    ::sigaction(signal, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

ServeSignals::~ServeSignals() {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::signal(signal, SIG_DFL);
}

// The terminal of somebody who started a server by hand may have been closed.
bool ServeSignals::is_stopped() const {
  return is_readable(stop_) || (is_readable(changed_) && has_terminal_ &&
                                !has_controlling_terminal());
}

bool ServeSignals::take_changed() {
  std::uint64_t count = 0;
  return ::read(changed_.get(), &count, sizeof count) > 0;
}

}  // namespace wick
