// SPDX-License-Identifier: Apache-2.0
#include "cli/serve_run.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "agent/privileges.h"
#include "agent/recorder_loop.h"
#include "agent/server_child.h"
#include "base/error.h"
#include "base/tell.h"
#include "cli/options/setting_names.h"
#include "cli/process.h"
#include "cli/serve_signals.h"
#include "perf/events/kernel_limits.h"
#include "server/batch/batch.h"
#include "server/http/http_server.h"
#include "server/server.h"
#include "server/state_folder.h"

namespace wick {
namespace {

using namespace std::chrono_literals;
using Clock = ServerChild::Clock;

// What a recorder needs: the samples, the addresses of the kernel's functions,
// the files of other users' processes and what they have mapped.
constexpr std::array kRecorderCapabilities = {
    CAP_PERFMON, CAP_SYSLOG, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH};

// What the child inherits, behind its pipes.
constexpr int kListenerFd = ServerChild::kFirstInheritedFd,
              kLockFd = kListenerFd + 1;

// So long the server may take to end.
constexpr auto kTimeToEnd = 1500ms;
// Ring buffers are small; between two looks at them, little happens.
constexpr auto kLook = 250ms;

constexpr std::uint64_t kBatchesPerTrim = 30;

std::string host_name() {
  char name[256]{};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0')
    return "localhost";
  return name;
}

// The journal of systemd is read by others than root.
bool is_journal(int fd) {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat status {};
  return stream != nullptr && ::fstat(fd, &status) == 0 &&
         stream == fmt::format("{}:{}", status.st_dev, status.st_ino);
}

void announce(const ServerAddress& address, const RunOptions& run) {
  if (!address.fingerprint.empty())
    say(run, "the fingerprint of the certificate is " + address.fingerprint);
  if (is_journal(STDOUT_FILENO))
    std::cout << address.url << " (`wick serve --url` prints the link)\n";
  else
    std::cout << address.login << '\n';
  std::cout.flush();
}

ServerOptions server_options(const ServeArguments& arguments,
                             const ServeConfig& config,
                             const ServeSignals& signals,
                             const RunOptions& run) {
  ServerOptions options;
  options.config = config;
  options.stop = signals.stop_fd();
  options.changed = signals.changed_fd();
  options.reread = [arguments] { return arguments.config(); };
  options.tell = [run](std::string_view sentence) { say(run, sentence); };
  return options;
}

// Buffers of the kernel count against this limit, which root may raise.
void raise_locked_memory_limit() {
  constexpr rlim_t kEnough = rlim_t{64} << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur >= kEnough)
    return;
  const rlimit more{.rlim_cur = kEnough,
                    .rlim_max = std::max(limit.rlim_max, kEnough)};
  ::setrlimit(RLIMIT_MEMLOCK, &more);
}

// A query needs many megabytes for a moment. Left alone, glibc keeps them, in a
// heap for each thread: half a gigabyte after some dozens of queries.
void give_memory_back() {
  constexpr int kLarge = 1 << 20;
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
  ::mallopt(M_TRIM_THRESHOLD, kLarge);
}

// The recorder, once everything is open.
class Recording {
 public:
  Recording(const ServeArguments& arguments, ServeConfig config,
            const RunOptions& run, ServerChild::Program program)
      : arguments_(arguments),
        config_(std::move(config)),
        run_(run),
        loop_({.host = host_name(),
               .frequency = config_.frequency,
               .off_cpu = config_.off_cpu}),
        child_(std::move(program)) {
    for (const std::string& limitation : loop_.limitations())
      say(run_, limitation);
    // What a recorder needs is open.
    forbid_new_sockets();
  }

  // Returns the exit status.
  int run(ServeSignals& signals, UniqueFd& listener) {
    while (!signals.is_stopped()) {
      if (signals.take_changed()) reread();
      loop_.take(kLook);
      tend_server();
      if (const auto failure = child_.first_failure())
        return shell_status(*failure);
      if (loop_.is_due()) hand_over();
    }
    hand_over();
    // Nobody waits for an answer.
    listener = UniqueFd();
    child_.stop(Clock::now() + kTimeToEnd);
    return 0;
  }

 private:
  void hand_over() {
    loop_.add_loss("batches that the server did not take", child_.take_lost());
    const Batch batch = loop_.cut();
    child_.send(batch.sequence, encode(batch));
    tend_server();
    // Symbols that were read leave free memory between what stays.
    if (batch.sequence % kBatchesPerTrim == 0) ::malloc_trim(0);
  }

  void tend_server() {
    child_.tend(Clock::now(), [this](const BatchCommand& command) {
      if (command.kind == BatchCommand::Kind::kFrequency)
        set_frequency(command.number);
    });
    loop_.set_server(child_.pid());
    const auto end = child_.take_end();
    if (!end) return;
    set_frequency(0);
    if (!child_.first_failure())
      say(run_, fmt::format("the server ended with {}; another one is started",
                            describe_status(*end)));
  }

  // The server has no rights, so it may not ask for just anything.
  void set_frequency(std::uint64_t wanted) {
    const int most = std::max(config_.frequency, config_.live_frequency);
    const int frequency =
        std::clamp(wanted < 1000 ? static_cast<int>(wanted) : most,
                   config_.frequency, most);
    if (frequency == frequency_) return;
    frequency_ = frequency;
    loop_.set_frequency(frequency);
  }

  void reread() {
    try {
      if (take_over(config_, arguments_.config()))
        say(run_,
            "some of what has changed in the configuration counts when "
            "wick is started again");
      set_frequency(0);
      child_.reread();
    } catch (const Error& error) {
      say(run_, fmt::format("the configuration stays as it was: {}",
                            error.text(setting_name)));
    }
  }

  const ServeArguments& arguments_;
  ServeConfig config_;
  RunOptions run_;
  RecorderLoop loop_;
  ServerChild child_;
  int frequency_ = config_.frequency;
};

}  // namespace

int run_recorder_and_server(const ServeArguments& arguments,
                            const RunOptions& run,
                            const std::vector<std::string>& words) {
  ServeConfig config = arguments.config();
  const StateFolder state(arguments.state_folder());
  UniqueFd listener = listen_on(config.address, config.port);
  raise_locked_memory_limit();
  raise_open_files_limit();
  keep_capabilities(kRecorderCapabilities);

  ServerChild::Program program{
      .path = "/proc/self/exe",
      .words = {"wick", kServerCommand},
      .word_again = "--again",
      .inherited = {listener.get(), state.held_lock().get()}};
  program.words.insert(program.words.end(), words.begin(), words.end());
  ServeSignals signals;
  Recording recording(arguments, std::move(config), run, std::move(program));
  return recording.run(signals, listener);
}

int run_server_alone(const ServeArguments& arguments, const RunOptions& run) {
  give_memory_back();
  const ServeConfig config = arguments.config();
  StateFolder state(arguments.state_folder());
  UniqueFd listener = listen_on(config.address, config.port);
  raise_open_files_limit();
  keep_capabilities({});
  forbid_new_sockets();
  const ServeSignals signals;
  ServerOptions options = server_options(arguments, config, signals, run);
  options.listener = listener.get();
  options.on_ready = [&](const ServerAddress& address) {
    announce(address, run);
  };
  run_server(options, state);
  return 0;
}

int run_server_child(const ServeArguments& arguments, const RunOptions& run,
                     bool is_first) {
  give_memory_back();
  ::prctl(PR_SET_NAME, "wick-server");
  keep_capabilities({});
  StateFolder state(arguments.state_folder(), UniqueFd(kLockFd));
  const ServeSignals signals;
  ServerOptions options =
      server_options(arguments, arguments.config(), signals, run);
  options.batches = ServerChild::kBatchesFd;
  options.commands = ServerChild::kCommandsFd;
  options.listener = kListenerFd;
  options.on_ready = [&](const ServerAddress& address) {
    if (is_first) announce(address, run);
    [[maybe_unused]] const auto written =
        ::write(ServerChild::kCommandsFd, ServerChild::kReady.data(),
                ServerChild::kReady.size());
  };
  run_server(options, state);
  return 0;
}

}  // namespace wick
