// SPDX-License-Identifier: Apache-2.0
#include "cli/process.h"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/text.h"
#include "io/open_regular.h"
#include "io/program_path.h"

namespace wick {
namespace {

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  void put(int from, int to) {
    if (from >= 0) posix_spawn_file_actions_adddup2(&actions_, from, to);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

EndRequests interrupts;
volatile std::sig_atomic_t last_signal = 0;
volatile std::sig_atomic_t abort_wanted = 0;
volatile std::sig_atomic_t first_aborts = 0;
volatile pid_t watched = -1;

void on_signal(int signal, siginfo_t* info, void*) {
  const int saved = errno;
  last_signal = signal;
  const int count = interrupts.add();
  if (signal != SIGINT || count > 1 || first_aborts != 0) {
    // On SIGTERM, perf ends its target, too; on SIGKILL it cannot.
    if (watched > 0) ::kill(watched, abort_wanted != 0 ? SIGKILL : SIGTERM);
    abort_wanted = 1;
  } else if (watched > 0 && info->si_code == SI_USER) {
    ::kill(watched, SIGINT);
  }
  errno = saved;
}

struct sigaction old_actions[3];
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

Child::Child(const std::vector<std::string>& words, ChildIo io) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words)
    argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  SpawnActions actions;
  actions.put(io.in, STDIN_FILENO);
  actions.put(io.out, STDOUT_FILENO);
  actions.put(io.err, STDERR_FILENO);
  const int error = ::posix_spawnp(&pid_, argv[0], actions.get(), nullptr,
                                   argv.data(), environ);
  if (error != 0) {
    pid_ = -1;
    fail("{}: cannot run: {}", words.front(), std::strerror(error));
  }
}

Child::~Child() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  wait();
}

int Child::wait() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

std::string end_of_program(int status) {
  return fmt::format("the program {} {}",
                     WIFSIGNALED(status) ? "was killed by" : "ended with",
                     describe_status(status));
}

int shell_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

UniqueFd make_memory_file() {
  UniqueFd fd(::memfd_create("wick", MFD_CLOEXEC));
  if (!fd) fail("cannot create a temporary file: {}", last_system_error());
  return fd;
}

std::string content_of(int fd) {
  std::string content;
  char buffer[4096];
  off_t at = 0;
  for (ssize_t got = 0; (got = ::pread(fd, buffer, sizeof buffer, at)) > 0;
       at += got)
    content.append(buffer, static_cast<std::size_t>(got));
  return content;
}

namespace {

// Whether the kernel could execute it, by how it begins.
bool looks_like_program(const std::string& path) {
  const UniqueFd file = open_regular(path, {.on_network = true});
  char begin[4] = {};
  if (!file || ::pread(file.get(), begin, sizeof begin, 0) < 2) return false;
  const std::string_view bytes(begin, sizeof begin);
  return bytes == ELFMAG || bytes.starts_with("#!");
}

}  // namespace

void check_program(const std::vector<std::string>& words) {
  const std::string& name = words.front();
  const bool has_path = name.find('/') != std::string::npos;
  if (has_path && std::filesystem::is_directory(name))
    fail("{}: is a directory, not a program", name);
  if (!find_program(name) && has_path && std::filesystem::exists(name))
    fail("{}: {}", name,
         looks_like_program(name)
             ? "is not executable; 'chmod +x' makes it so"
             : "is not a program or script that can be executed");
  if (!find_program(name))
    fail("{}: program not found{}", name, has_path ? "" : " in PATH");
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (is_space(c)) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) fail_usage("'{}': missing closing {}", excerpt(text), quote);
  if (in_word) words.push_back(std::move(word));
  return words;
}

Interrupted::Interrupted(int signal)
    : Error(fmt::format("interrupted by {}", strsignal(signal))),
      signal_(signal) {}

int EndRequests::add() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t ms = std::int64_t{now.tv_sec} * 1000 +
                          static_cast<std::int64_t>(now.tv_nsec) / 1'000'000;
  if (count_ == 0 || ms - last_ms_ >= 100) count_ = count_ + 1;
  last_ms_ = ms;
  return count_;
}

Interruption::Interruption() {
  interrupts.clear();
  abort_wanted = 0;
  first_aborts = 0;
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    ::sigaction(kSignals[i], nullptr, &old_actions[i]);
    // A signal that wick was started to ignore (nohup) stays ignored.
    if (old_actions[i].sa_handler != SIG_IGN || kSignals[i] == SIGINT)
      ::sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  watched = -1;
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    ::sigaction(kSignals[i], &old_actions[i], nullptr);
}

void Interruption::watch(pid_t child) { watched = child; }
bool Interruption::once() { return interrupts.count() > 0; }
void Interruption::check() {
  if (abort_wanted != 0) throw Interrupted(last_signal);
}
void Interruption::forget() { first_aborts = 1; }

}  // namespace wick
