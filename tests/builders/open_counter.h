// SPDX-License-Identifier: Apache-2.0
// Counts how often a file is opened. Resolving its name (O_PATH) does not
// count.
#pragma once

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstddef>
#include <string>

#include "io/unique_fd.h"

namespace wick {

// A device of its own, like /dev/null: those in /dev are opened by others, too.
inline bool make_device(const std::string& path) {
  return ::mknod(path.c_str(), S_IFCHR | 0600, ::makedev(1, 3)) == 0;
}

class OpenCounter {
 public:
  explicit OpenCounter(const std::string& path)
      : fd_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    EXPECT_GE(::inotify_add_watch(fd_.get(), path.c_str(), IN_OPEN), 0);
  }
  // Since the last call.
  std::size_t count() const {
    alignas(inotify_event) char events[4096];
    const ssize_t got = ::read(fd_.get(), events, sizeof events);
    return got <= 0 ? 0 : static_cast<std::size_t>(got) / sizeof(inotify_event);
  }

 private:
  UniqueFd fd_;
};

}  // namespace wick
