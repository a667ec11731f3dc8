// SPDX-License-Identifier: Apache-2.0
#include "agent/server_child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/text.h"
#include "io/pipe.h"

namespace wick {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kShortestPause = 250ms, kLongestPause = 30s;
// One that ran for so long did not fail because it was started.
constexpr auto kLong = 60s;
// Several batches, so that the recorder need not wait for the server.
constexpr int kPipeBytes = 1 << 20;
constexpr std::size_t kLongestCommand = 256;

void stop_waiting_for(const UniqueFd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

// Between fork() and execve(): nothing here takes a lock or memory.
[[noreturn]] void become(const char* path, char* const* words,
                         const std::vector<int>& fds) {
  // Ctrl-C is for the recorder, which then lets the server end.
  ::setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Above all numbers that they are going to have, first.
  constexpr int kAbove = 64;
  int copies[kAbove];
  const std::size_t count = std::min<std::size_t>(fds.size(), kAbove);
  for (std::size_t i = 0; i < count; ++i)
    copies[i] = ::fcntl(fds[i], F_DUPFD, kAbove);
  for (std::size_t i = 0; i < count; ++i)
    ::dup2(copies[i], ServerChild::kBatchesFd + static_cast<int>(i));
  // Everything else has O_CLOEXEC, if wick opened it.
  const auto first_other =
      static_cast<unsigned>(ServerChild::kBatchesFd) + fds.size();
  ::syscall(SYS_close_range, first_other, ~0U, 0);
  ::execv(path, words);
  ::_exit(127);
}

}  // namespace

ServerChild::ServerChild(Program program)
    : program_(std::move(program)), pause_(kShortestPause) {
  ::signal(SIGPIPE, SIG_IGN);
}

ServerChild::~ServerChild() { stop(Clock::now() + 1s); }

void ServerChild::start(Clock::time_point now) {
  Pipe batches = make_pipe(), commands = make_pipe();
  ::fcntl(batches.write.get(), F_SETPIPE_SZ, kPipeBytes);
  std::vector<char*> words;
  for (std::string& word : program_.words) words.push_back(word.data());
  if (was_ready_) words.push_back(program_.word_again.data());
  words.push_back(nullptr);
  std::vector<int> fds = {batches.read.get(), commands.write.get()};
  fds.insert(fds.end(), program_.inherited.begin(), program_.inherited.end());

  started_ = now;
  const pid_t pid = ::fork();
  if (pid == 0) become(program_.path.c_str(), words.data(), fds);
  if (pid < 0) {
    start_at_ = now + pause_;
    return;
  }
  pid_ = pid;
  to_child_ = std::move(batches.write);
  from_child_ = std::move(commands.read);
  stop_waiting_for(to_child_);
  stop_waiting_for(from_child_);
  commands_.clear();
}

void ServerChild::tend(Clock::time_point now, const OnCommand& on_command) {
  if (pid_ > 0 && reap()) {
    read_commands(on_command);
    on_end(now);
  }
  if (pid_ == 0 && !first_failure_ && now >= start_at_) start(now);
  if (pid_ == 0) return;
  read_commands(on_command);
  batches_.write(to_child_.get());
}

bool ServerChild::reap() { return ::waitpid(pid_, &status_, WNOHANG) == pid_; }

void ServerChild::on_end(Clock::time_point now) {
  pid_ = 0;
  to_child_ = UniqueFd();
  from_child_ = UniqueFd();
  batches_.start_again();
  end_ = status_;
  if (!was_ready_) {
    first_failure_ = status_;
    return;
  }
  if (now - started_ > kLong) pause_ = kShortestPause;
  start_at_ = now + pause_;
  pause_ = std::min(pause_ * 2, kLongestPause);
}

void ServerChild::read_commands(const OnCommand& on_command) {
  char bytes[4096];
  for (ssize_t n; (n = ::read(from_child_.get(), bytes, sizeof bytes)) > 0;) {
    commands_.append(bytes, static_cast<std::size_t>(n));
    for (std::size_t end; (end = commands_.find('\n')) != std::string::npos;) {
      const std::string line = commands_.substr(0, end + 1);
      commands_.erase(0, end + 1);
      if (line == kReady) was_ready_ = true;
      const auto command = parse_command(std::string_view(line).substr(0, end));
      if (!command) continue;
      if (command->kind == BatchCommand::Kind::kStored)
        batches_.acknowledge(command->number);
      else if (on_command)
        on_command(*command);
    }
    // This is no line.
    if (commands_.size() > kLongestCommand) commands_.clear();
  }
}

void ServerChild::reread() const {
  if (pid_ > 0 && was_ready_) ::kill(pid_, SIGHUP);
}

void ServerChild::stop(Clock::time_point until) {
  while (pid_ > 0 && batches_.has_more() && Clock::now() < until) {
    if (!batches_.write(to_child_.get())) break;
    pollfd writable{.fd = to_child_.get(), .events = POLLOUT, .revents = 0};
    if (batches_.has_more()) ::poll(&writable, 1, 20);
  }
  to_child_ = UniqueFd();
  while (pid_ > 0 && !reap()) {
    if (Clock::now() >= until) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, &status_, 0);
      break;
    }
    read_commands(nullptr);
    pollfd ended{.fd = from_child_.get(), .events = POLLIN, .revents = 0};
    ::poll(&ended, 1, 5);
    if ((ended.revents & POLLHUP) != 0) ::poll(nullptr, 0, 2);
  }
  if (pid_ > 0) end_ = status_;
  pid_ = 0;
  from_child_ = UniqueFd();
}

std::optional<int> ServerChild::take_end() {
  return std::exchange(end_, std::nullopt);
}

}  // namespace wick
