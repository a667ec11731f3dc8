// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/error.h"
#include "io/pipe.h"
#include "io/program_path.h"

namespace wick {
namespace {

// Between fork and exec nothing may allocate.
[[noreturn]] void run_child(int go, int failed, const char* folder,
                            char* const* argv) {
  char word = 0;
  ssize_t got = 0;
  do got = ::read(go, &word, 1);
  while (got < 0 && errno == EINTR);
  if (got != 1) ::_exit(127);  // the recorder gave up
  // The program gets default signals, not the recorder's.
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (*folder == 0 || ::chdir(folder) == 0) ::execvp(argv[0], argv);
  const int error = errno;
  (void)!::write(failed, &error, sizeof error);
  ::_exit(127);
}

}  // namespace

HeldProgram::HeldProgram(std::vector<std::string> words, std::string folder)
    : words_(std::move(words)), folder_(std::move(folder)) {
  if (words_.empty()) fail("there is no program to run");
  std::vector<char*> argv;
  argv.reserve(words_.size() + 1);
  for (std::string& word : words_) argv.push_back(word.data());
  argv.push_back(nullptr);
  Pipe go = make_pipe(), failed = make_pipe();
  pid_ = ::fork();
  if (pid_ < 0) fail("cannot start a process: {}", last_system_error());
  if (pid_ == 0) {
    go.write.reset();
    run_child(go.read.get(), failed.write.get(), folder_.c_str(), argv.data());
  }
  go_ = std::move(go.write);
  failed_ = std::move(failed.read);
}

HeldProgram::~HeldProgram() {
  if (started_ || status_) return;
  ::kill(pid_, SIGKILL);
  wait();
}

bool HeldProgram::is_protected() const {
  std::string name = words_.front();
  if (!folder_.empty() && !name.starts_with('/') && name.find('/') != name.npos)
    name = folder_ + "/" + name;
  const auto path = find_program(name);
  return path && is_protected_program(*path);
}

void HeldProgram::start() {
  const char word = 'g';
  started_ = true;
  (void)!::write(go_.get(), &word, 1);
  go_.reset();
  int error = 0;
  ssize_t got = 0;
  do got = ::read(failed_.get(), &error, sizeof error);
  while (got < 0 && errno == EINTR);
  failed_.reset();
  if (got != sizeof error) return;
  wait();
  const std::string& name = words_.front();
  // The kernel reports a missing script interpreter or ELF loader the same way.
  if (error == ENOENT && ::access(name.c_str(), F_OK) == 0)
    fail("{}: cannot be run: its interpreter does not exist", name);
  fail("{}: cannot be run: {}", name, std::system_category().message(error));
}

std::optional<int> HeldProgram::status() {
  if (status_) return status_;
  int status = 0;
  rusage usage{};
  if (::wait4(pid_, &status, WNOHANG, &usage) != pid_) return status_;
  usage_ = usage;
  return status_ = status;
}

int HeldProgram::wait() {
  int status = 0;
  rusage usage{};
  while (!status_) {
    if (::wait4(pid_, &status, 0, &usage) == pid_) {
      status_ = status;
      usage_ = usage;
    } else if (errno != EINTR) {
      status_ = 0;  // another thread waited for it
    }
  }
  return *status_;
}

std::optional<std::uint64_t> HeldProgram::cpu_time() const {
  if (!usage_) return std::nullopt;
  const auto nanoseconds = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(time.tv_usec) * 1'000;
  };
  return nanoseconds(usage_->ru_utime) + nanoseconds(usage_->ru_stime);
}

}  // namespace wick
