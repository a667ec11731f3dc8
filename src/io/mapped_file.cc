// SPDX-License-Identifier: Apache-2.0
#include "io/mapped_file.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/error.h"

namespace wick {

// What the handler knows of a mapping. Guards are in a list that only grows, so
// that a handler can walk it at any moment; a free one, whose end is 0, is used
// again.
struct MappedFile::Guard {
  std::atomic<bool> is_used = false;
  std::atomic<std::uintptr_t> begin = 0, end = 0;
  std::atomic<bool> faulted = false;
  Guard* next = nullptr;

  static std::atomic<Guard*> first;
  static Guard* take();
  void protect(std::string_view bytes);
  void release();
};

std::atomic<MappedFile::Guard*> MappedFile::Guard::first = nullptr;

MappedFile::Guard* MappedFile::Guard::take() {
  for (Guard* guard = first; guard != nullptr; guard = guard->next)
    if (!guard->is_used.exchange(true)) return guard;
  auto* guard = new Guard;  // never freed: a handler may be looking at it
  guard->is_used = true;
  guard->next = first;
  while (!first.compare_exchange_weak(guard->next, guard)) {
  }
  return guard;
}

void MappedFile::Guard::protect(std::string_view bytes) {
  faulted = false;
  begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  end = begin + bytes.size();
}

void MappedFile::Guard::release() {
  end = 0;
  begin = 0;
  is_used = false;
}

struct SigbusHandler {
  static std::uintptr_t page_size;
  static struct sigaction before;

  static void install() {
    static std::once_flag once;
    std::call_once(once, [] {
      page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
      struct sigaction action {};
      action.sa_sigaction = handle;
      action.sa_flags = SA_SIGINFO | SA_ONSTACK;
      sigemptyset(&action.sa_mask);
      ::sigaction(SIGBUS, &action, &before);
    });
  }

  // Only calls system calls. mmap is not on POSIX's list of functions for
  // handlers, but on Linux it is the bare system call.
  static bool map_zeros(std::uintptr_t address) {
    for (auto* guard = MappedFile::Guard::first.load(); guard != nullptr;
         guard = guard->next) {
      if (address < guard->begin || address >= guard->end) continue;
      const std::uintptr_t page = address / page_size * page_size;
      void* const at = reinterpret_cast<void*>(page);
      if (::mmap(at, guard->end - page, PROT_READ,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
                 0) == MAP_FAILED)
        return false;
      guard->faulted = true;
      return true;
    }
    return false;
  }

  static void handle(int signal, siginfo_t* info, void* context) {
    const int error = errno;
    const bool was_ours =
        info->si_code > 0 &&  // raised by the kernel, not by kill()
        map_zeros(reinterpret_cast<std::uintptr_t>(info->si_addr));
    errno = error;
    if (was_ours) return;
    if ((before.sa_flags & SA_SIGINFO) != 0)
      before.sa_sigaction(signal, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
      before.sa_handler(signal);
    else
      end_by(signal);
  }

  // As if there were no handler. Raised again since a signal from kill() does
  // not repeat itself.
  static void end_by(int signal) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }
};

std::uintptr_t SigbusHandler::page_size = 0;
struct sigaction SigbusHandler::before;

MappedFile::MappedFile(UniqueFd fd, std::size_t size) {
  if (size == 0) return;
  SigbusHandler::install();
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (address == MAP_FAILED) fail("cannot map: {}", last_system_error());
  madvise(address, size, MADV_SEQUENTIAL);
  fd_ = std::move(fd);
  bytes_ = {static_cast<const char*>(address), size};
  guard_ = Guard::take();
  guard_->protect(bytes_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : fd_(std::move(other.fd_)),
      bytes_(std::exchange(other.bytes_, {})),
      released_(std::exchange(other.released_, 0)),
      guard_(std::exchange(other.guard_, nullptr)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(bytes_, other.bytes_);
  std::swap(released_, other.released_);
  std::swap(guard_, other.guard_);
  return *this;
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  guard_->release();
  munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

void MappedFile::release_before(std::size_t offset) {
  constexpr std::size_t kPage = 4096;
  offset = offset / kPage * kPage;
  if (offset <= released_) return;
  madvise(const_cast<char*>(bytes_.data()) + released_, offset - released_,
          MADV_DONTNEED);
  released_ = offset;
}

bool MappedFile::became_shorter() const {
  struct stat status {};
  return fd_ && ::fstat(fd_.get(), &status) == 0 &&
         static_cast<std::size_t>(status.st_size) < bytes_.size();
}

bool MappedFile::read_failed() const {
  return guard_ != nullptr && guard_->faulted;
}

}  // namespace wick
