// SPDX-License-Identifier: Apache-2.0
// A program to record: started, but held until everything is ready.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/unique_fd.h"

namespace wick {

class HeldProgram {
 public:
  // Runs in `folder`, or in the current one if that is empty. Fails if it
  // cannot fork.
  explicit HeldProgram(std::vector<std::string> words, std::string folder = {});
  HeldProgram(const HeldProgram&) = delete;
  HeldProgram& operator=(const HeldProgram&) = delete;
  // Kills a program that was never started.
  ~HeldProgram();

  pid_t pid() const { return pid_; }
  // See is_protected_program().
  bool is_protected() const;

  // Lets it run; fails if it cannot be executed.
  void start();

  // The status as from waitpid, once it has ended; does not block.
  std::optional<int> status();
  // Waits for its end.
  int wait();
  // What it and the descendants that were waited for took, in nanoseconds, once
  // it has ended.
  std::optional<std::uint64_t> cpu_time() const;

 private:
  std::vector<std::string> words_;
  std::string folder_;
  pid_t pid_ = -1;
  UniqueFd go_;      // closing it unwritten ends the child
  UniqueFd failed_;  // errno of a failed exec, else end of file
  bool started_ = false;
  std::optional<int> status_;
  std::optional<rusage> usage_;
};

}  // namespace wick
