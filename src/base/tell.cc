// SPDX-License-Identifier: Apache-2.0
#include "base/tell.h"

#include <signal.h>

#include <cstdio>
#include <ctime>

#include "base/terminal_text.h"

namespace wick {

// Writing to a closed pipe raises SIGPIPE, which would end the program. It is
// blocked during the write and consumed, unless one was pending before.
void write_to_stderr(std::string_view text) {
  sigset_t pipe, before, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  std::fwrite(text.data(), 1, text.size(), stderr);
  if (sigismember(&pending, SIGPIPE) == 0) {
    constexpr timespec kNow{};
    sigtimedwait(&pipe, nullptr, &kNow);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void tell_formatted(fmt::string_view text, fmt::format_args args) {
  write_to_stderr(for_terminal(fmt::vformat(text, args)));
}

}  // namespace wick
