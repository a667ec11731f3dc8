// SPDX-License-Identifier: Apache-2.0
// Running other programs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/unique_fd.h"

namespace wick {

// Standard input, output and error of a child; -1: those of wick.
struct ChildIo {
  int in = -1, out = -1, err = -1;
};

// A running program. It is killed when this object goes before wait() has seen
// its end.
class Child {
 public:
  // Fails if the program cannot be started.
  Child(const std::vector<std::string>& words, ChildIo io);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  pid_t pid() const { return pid_; }
  int wait();  // the status, as waitpid gives it

 private:
  pid_t pid_ = -1;
};

// "exit status 3", "signal 11 (Segmentation fault)".
std::string describe_status(int status);
// "the program ended with exit status 3", "the program was ended by signal 9".
std::string end_of_program(int status);
// The same as a shell has it: 3, 139.
int shell_status(int status);

// A file without a name, to catch what a child prints.
UniqueFd make_memory_file();
std::string content_of(int fd);

// The file that the shell would run for `name`, if there is one.
std::optional<std::string> find_program(const std::string& name);

// Fails if the first word is no program that can be run.
void check_program(const std::vector<std::string>& words);

// "record -e 'a b' --x=\"y\"" → its words; quotes and backslashes as in a
// shell, nothing else of it.
std::vector<std::string> split_words(std::string_view text);

// A new folder for temporary files, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The run was ended by a signal to wick.
class Interrupted : public Error {
 public:
  explicit Interrupted(int signal);
  int signal() const { return signal_; }

 private:
  int signal_;
};

// Counts how often somebody wanted an end. Signals that come within a tenth of
// a second are one: `timeout` sends its own to wick and then to wick's group.
class EndRequests {
 public:
  int add();  // how many there are with this one; for a signal handler
  int count() const { return count_; }
  void clear() { count_ = 0; }

 private:
  volatile int count_ = 0;
  volatile std::int64_t last_ms_ = 0;
};

// While this object lives, Ctrl-C does not end wick. The first one is left to
// the child, which gets it from the terminal as well (or from here, if it was
// sent to wick alone); a second one, SIGTERM and SIGHUP end the child, and
// check() throws Interrupted.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static void watch(pid_t child);  // the one that gets the signals
  static bool once();              // Ctrl-C was pressed at least once
  static void check();
  // From here on, the first Ctrl-C aborts as well.
  static void forget();
};

}  // namespace wick
