// SPDX-License-Identifier: Apache-2.0
// Running other programs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "io/unique_fd.h"

namespace wick {

// Standard input, output and error of a child; -1: inherited.
struct ChildIo {
  int in = -1, out = -1, err = -1;
};

// A running program. The destructor kills it unless wait() has returned.
class Child {
 public:
  // Fails if the program cannot be started.
  Child(const std::vector<std::string>& words, ChildIo io);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  pid_t pid() const { return pid_; }
  int wait();  // returns the status, as from waitpid

 private:
  pid_t pid_ = -1;
};

// "exit status 3", "signal 11 (Segmentation fault)".
std::string describe_status(int status);
// "the program ended with exit status 3", "the program was killed by signal 9
// (Killed)".
std::string end_of_program(int status);
// As in a shell: 3, 139.
int shell_status(int status);

// An unnamed file, to catch the output of a child.
UniqueFd make_memory_file();
std::string content_of(int fd);

// Fails unless the first word is a program that can be run.
void check_program(const std::vector<std::string>& words);

// Splits "record -e 'a b' --x=\"y\"" into words, with quotes and backslashes as
// in a shell and nothing else.
std::vector<std::string> split_words(std::string_view text);

// A signal to wick ended the run.
class Interrupted : public Error {
 public:
  explicit Interrupted(int signal);
  int signal() const { return signal_; }

 private:
  int signal_;
};

// Counts requests to stop. Signals within a tenth of a second count once:
// `timeout` sends one to wick and another to its process group.
class EndRequests {
 public:
  int add();  // returns the new count; safe in a signal handler
  int count() const { return count_; }
  void clear() { count_ = 0; }

 private:
  volatile int count_ = 0;
  volatile std::int64_t last_ms_ = 0;
};

// While this object exists, Ctrl-C does not end wick. The first one is left to
// the child, which gets it from the terminal, too (or from here, if only wick
// got it); a second one, SIGTERM and SIGHUP end the child, and check() throws
// Interrupted.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static void watch(pid_t child);  // passes signals to this child
  static bool once();              // Ctrl-C was pressed at least once
  static void check();
  // From now on, the first Ctrl-C aborts.
  static void forget();
};

}  // namespace wick
