// SPDX-License-Identifier: Apache-2.0
// Runs a function on hostile bytes in a process of its own, for code that wick
// does not vouch for, such as a library that reads file systems.
//
// The child has limits on memory, CPU time and the files that it writes. It can
// open nothing, only read and write the files that it is given: all others are
// closed, and a seccomp filter refuses every system call that it has no use
// for. Run by root, it becomes nobody. It dies with wick.
//
// A process of several threads should not do this: what another thread had
// locked stays locked in the child.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace wick {

struct ConfinedLimits {
  std::uint64_t memory = std::uint64_t{512} << 20;
  std::uint64_t written_file = 0;  // the largest size of a file it writes
  std::chrono::seconds time{60};   // CPU time, and twice that in all
  std::size_t answer = std::size_t{64} << 20;
};

struct ConfinedAnswer {
  std::string bytes;
  std::string problem;  // why it ended before its time; "" if it did not
};

// What the child sends its answer through. Ends the child if nobody listens.
class AnswerPipe {
 public:
  explicit AnswerPipe(int fd) : fd_(fd) {}
  void send(std::string_view bytes) const;

 private:
  int fd_;
};

// Calls `body` in the child, which keeps only the files `fds`. Their numbers
// do not change. Fails if there can be no child.
ConfinedAnswer run_confined(const ConfinedLimits& limits,
                            std::span<const int> fds,
                            const std::function<void(const AnswerPipe&)>& body);

}  // namespace wick
