// SPDX-License-Identifier: Apache-2.0
#include "io/confined_child.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <vector>

#include "base/error.h"
#include "io/pipe.h"
#include "io/system_call_filter.h"
#include "io/unique_fd.h"

namespace wick {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uid_t kNobody = 65534;
// Neither a sanitizer's nor a shell's.
constexpr int kDone = 0, kOutOfMemory = 101, kThrown = 102, kNotConfined = 103;

// Files that are open, memory, time and the end.
constexpr std::uint32_t kAllowed[] = {
    __NR_read,         __NR_write,        __NR_pread64,
    __NR_pwrite64,     __NR_lseek,        __NR_fstat,
    __NR_ftruncate,    __NR_close,        __NR_fcntl,
    __NR_mmap,         __NR_munmap,       __NR_mremap,
    __NR_mprotect,     __NR_madvise,      __NR_brk,
    __NR_futex,        __NR_sched_yield,  __NR_clock_gettime,
    __NR_getrandom,    __NR_getpid,       __NR_gettid,
    __NR_tgkill,       __NR_rt_sigaction, __NR_rt_sigprocmask,
    __NR_rt_sigreturn, __NR_sigaltstack,  __NR_exit,
    __NR_exit_group,
#ifdef __NR_newfstatat
    __NR_newfstatat,  // fstat() in newer C libraries
#endif
};

bool limit(int resource, std::uint64_t most, std::uint64_t beyond = 0) {
  const rlimit both{.rlim_cur = most, .rlim_max = most + beyond};
  return ::setrlimit(static_cast<__rlimit_resource>(resource), &both) == 0;
}

// The address space in use: what wick itself has is not the child's fault. A
// sanitizer has terabytes.
std::uint64_t memory_in_use() {
  std::uint64_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    unsigned long size = 0;
    if (std::fscanf(file, "%lu", &size) == 1) pages = size;
    std::fclose(file);
  }
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void close_all_but(std::vector<int> kept) {
  std::ranges::sort(kept);
  unsigned first = 0;
  const auto close_range = [](unsigned from, unsigned to) {
    if (from > to) return;
    if (::syscall(SYS_close_range, from, to, 0) == 0) return;
    // Before Linux 5.9.
    const long most = ::sysconf(_SC_OPEN_MAX);
    for (unsigned fd = from; fd <= to && fd < static_cast<unsigned>(most); ++fd)
      ::close(static_cast<int>(fd));
  };
  for (const int fd : kept) {
    if (fd > 0) close_range(first, static_cast<unsigned>(fd) - 1);
    first = static_cast<unsigned>(fd) + 1;
  }
  close_range(first, ~0U);
}

bool confine(const ConfinedLimits& limits) {
  for (const int signal :
       {SIGBUS, SIGSEGV, SIGPIPE, SIGINT, SIGTERM, SIGXCPU, SIGXFSZ, SIGALRM})
    ::signal(signal, SIG_DFL);
  const auto seconds = static_cast<std::uint64_t>(limits.time.count());
  if (!limit(RLIMIT_AS, memory_in_use() + limits.memory) ||
      !limit(RLIMIT_CPU, seconds, 1) ||  // SIGXCPU before SIGKILL
      !limit(RLIMIT_FSIZE, limits.written_file) || !limit(RLIMIT_CORE, 0))
    return false;
  if (::geteuid() == 0 &&
      (::setgroups(0, nullptr) != 0 ||
       ::setresgid(kNobody, kNobody, kNobody) != 0 ||
       ::setresuid(kNobody, kNobody, kNobody) != 0) &&
      errno != EPERM && errno != EINVAL)  // in a container without that user
    return false;
  // After the change of user, which resets it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return limit(RLIMIT_NOFILE, 0) && allow_only_system_calls(kAllowed);
}

[[noreturn]] void run_child(
    const ConfinedLimits& limits, int answer,
    const std::function<void(const AnswerPipe&)>& body) {
  if (!confine(limits)) ::_exit(kNotConfined);
  try {
    body(AnswerPipe(answer));
  } catch (const std::bad_alloc&) {
    ::_exit(kOutOfMemory);
  } catch (...) {
    ::_exit(kThrown);
  }
  ::_exit(kDone);
}

// Reads until the child closes its end. Returns why it has to be killed, or "".
std::string listen(int fd, const ConfinedLimits& limits, std::string& answer) {
  const auto time = limits.time * 2;
  const auto deadline = Clock::now() + time;
  std::string buffer(1 << 16, '\0');
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - Clock::now());
    if (left.count() <= 0)
      return fmt::format("reading it took more than {} s", time.count());
    pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return "";
    answer.append(buffer, 0, static_cast<std::size_t>(got));
    if (answer.size() > limits.answer) return "its list of files is too long";
  }
}

std::string describe_end(int status, const ConfinedLimits& limits) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGKILL) return "its reader was killed";
    if (signal == SIGXCPU)
      return fmt::format("reading it took more than {} s of CPU time",
                         limits.time.count());
    if (signal == SIGXFSZ) return "its files are too large";
    return fmt::format("its reader crashed (signal {})", signal);
  }
  switch (WEXITSTATUS(status)) {
    case kDone:
      return "";
    case kOutOfMemory:
      return fmt::format("reading it needs more than {} MB of memory",
                         limits.memory >> 20);
    case kNotConfined:
      return "its reader could not be confined";
    default:
      return fmt::format("its reader crashed (status {})", WEXITSTATUS(status));
  }
}

}  // namespace

void AnswerPipe::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) ::_exit(kThrown);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

ConfinedAnswer run_confined(
    const ConfinedLimits& limits, std::span<const int> fds,
    const std::function<void(const AnswerPipe&)>& body) {
  Pipe pipe = make_pipe();
  std::vector<int> kept(fds.begin(), fds.end());
  kept.push_back(pipe.write.get());
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) fail("cannot create a process: {}", last_system_error());
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kThrown);  // wick was killed meanwhile
    close_all_but(std::move(kept));
    run_child(limits, pipe.write.get(), body);
  }
  pipe.write.reset();
  ConfinedAnswer answer;
  answer.problem = listen(pipe.read.get(), limits, answer.bytes);
  if (!answer.problem.empty()) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (answer.problem.empty()) answer.problem = describe_end(status, limits);
  return answer;
}

}  // namespace wick
