// SPDX-License-Identifier: Apache-2.0
// The server process of a recorder: a child that gets the batches through a
// pipe and answers through another one. If it dies, it is started again, and
// gets all batches that it had not stored, within a budget.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/unique_fd.h"
#include "server/batch/batch_pipe.h"

namespace wick {

class ServerChild {
 public:
  // Where its ends of the pipes are, and behind them what it inherits.
  static constexpr int kBatchesFd = 3, kCommandsFd = 4, kFirstInheritedFd = 5;
  // What it says first, through the pipe of commands, once it can be reached.
  static constexpr std::string_view kReady = "ready\n";

  struct Program {
    std::string path;  // of the executable
    std::vector<std::string> words;
    // Behind them if it is not the first.
    std::string word_again;
    // These have the numbers from kFirstInheritedFd on in it.
    std::vector<int> inherited;
  };

  using Clock = std::chrono::steady_clock;

  explicit ServerChild(Program program);
  // Ends it as stop() does.
  ~ServerChild();
  ServerChild(const ServerChild&) = delete;
  ServerChild& operator=(const ServerChild&) = delete;

  // What it asks for, one at a time.
  using OnCommand = std::function<void(const BatchCommand&)>;

  // Writes and reads what there is, and starts it if it does not run. To be
  // called several times a second.
  void tend(Clock::time_point now, const OnCommand& on_command);
  void send(std::uint64_t sequence, std::string_view encoded) {
    batches_.add(sequence, encoded);
  }
  // Batches that were dropped since the last call.
  std::uint64_t take_lost() { return batches_.take_lost(); }
  // Tells it to read its configuration again.
  void reread() const;

  // Gives it until then to take the last batches, to store them and to end;
  // then it is killed.
  void stop(Clock::time_point until);

  pid_t pid() const { return pid_; }  // 0: it does not run
  // The status, as of waitpid(), of one that ended before any was ready: there
  // is no point in starting another.
  std::optional<int> first_failure() const { return first_failure_; }
  // How it ended since the last call, as of waitpid(), if it did.
  std::optional<int> take_end();

 private:
  void start(Clock::time_point now);
  void read_commands(const OnCommand& on_command);
  bool reap();
  void on_end(Clock::time_point now);

  Program program_;
  BatchSender batches_;
  pid_t pid_ = 0;
  UniqueFd to_child_, from_child_;
  std::string commands_;  // what was read of them
  bool was_ready_ = false;
  int status_ = 0;
  std::optional<int> first_failure_, end_;
  Clock::time_point started_{}, start_at_{};
  std::chrono::milliseconds pause_;
};

}  // namespace wick
