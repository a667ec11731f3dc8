// SPDX-License-Identifier: Apache-2.0
#include "perf/events/ring_buffer.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "perf/records/abi.h"

namespace wick {
namespace {

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

// Positions count all bytes ever written; the kernel advances one, we the
// other.
std::uint64_t* head_of(std::byte* header) {
  return reinterpret_cast<std::uint64_t*>(
      header + offsetof(perf_event_mmap_page, data_head));
}
std::uint64_t* tail_of(std::byte* header) {
  return reinterpret_cast<std::uint64_t*>(
      header + offsetof(perf_event_mmap_page, data_tail));
}

std::uint64_t load_head(std::byte* header) {
  return __atomic_load_n(head_of(header), __ATOMIC_ACQUIRE);
}
std::uint64_t load_tail(std::byte* header) {
  return __atomic_load_n(tail_of(header), __ATOMIC_RELAXED);
}
// Release: all reads happen before the kernel may overwrite the bytes.
void store_tail(std::byte* header, std::uint64_t tail) {
  __atomic_store_n(tail_of(header), tail, __ATOMIC_RELEASE);
}

}  // namespace

std::optional<RingBuffer> RingBuffer::map(int fd, std::size_t pages) {
  assert(std::has_single_bit(pages));
  const std::size_t bytes = (pages + 1) * page_size();
  void* mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) return {};
  RingBuffer ring({static_cast<std::byte*>(mapped), bytes});
  ring.mapped_ = bytes;
  return ring;
}

RingBuffer::RingBuffer(std::span<std::byte> mapped)
    : header_(mapped.data()),
      data_(mapped.data() + page_size()),
      size_(mapped.size() - page_size()) {
  assert(std::has_single_bit(size_));
}

RingBuffer::RingBuffer(RingBuffer&& other) noexcept { swap(other); }

RingBuffer& RingBuffer::operator=(RingBuffer&& other) noexcept {
  swap(other);
  return *this;
}

RingBuffer::~RingBuffer() {
  if (mapped_ != 0) ::munmap(header_, mapped_);
}

void RingBuffer::swap(RingBuffer& other) noexcept {
  std::swap(header_, other.header_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapped_, other.mapped_);
  std::swap(damaged_, other.damaged_);
  bounce_.swap(other.bounce_);
}

std::size_t RingBuffer::unread() const {
  return load_head(header_) - load_tail(header_);
}

std::size_t RingBuffer::read(const Visit& visit) {
  const std::uint64_t head = load_head(header_);
  std::uint64_t tail = load_tail(header_);
  std::uint64_t released = tail;
  std::size_t count = 0;
  while (tail != head) {
    const auto* data = reinterpret_cast<const char*>(data_);
    const std::size_t at = tail & (size_ - 1);
    // Records are multiples of 8 bytes, so a header never wraps around.
    std::uint16_t size = 0;
    std::memcpy(&size, data + at + offsetof(perf_event_header, size),
                sizeof(size));
    if (size < kRecordHeaderSize || size % 8 != 0 || size > head - tail) {
      damaged_ += head - tail;
      tail = head;
      break;
    }
    if (at + size <= size_) {
      visit({data + at, size});
    } else {
      const std::size_t first = size_ - at;
      bounce_.assign(data + at, first);
      bounce_.append(data, size - first);
      visit(bounce_);
    }
    ++count;
    tail += size;
    if (tail - released >= size_ / 8) store_tail(header_, released = tail);
  }
  if (tail != released) store_tail(header_, tail);
  return count;
}

RingBuffers::RingBuffers(std::span<const int> fds, std::size_t pages)
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      pages_(std::bit_ceil(std::max<std::size_t>(pages, 1))) {
  if (!epoll_)
    fail(
        "cannot create an epoll instance: {}; 'ulimit -n 1024' allows more "
        "open files",
        last_system_error());
  // All rings have one size, so that no CPU loses records before another: if
  // one does not fit, all are tried again with half the size.
  while (rings_.size() < fds.size()) {
    if (auto ring = RingBuffer::map(fds[rings_.size()], pages_)) {
      rings_.push_back(std::move(*ring));
      continue;
    }
    const int error = errno;
    rings_.clear();
    if ((error == EPERM || error == ENOMEM) && pages_ > 1) {
      pages_ /= 2;
      refusal_ = error;
      continue;
    }
    if (error == EPERM)
      fail(
          "no memory may be locked for {} buffers: other recordings of this "
          "user use all of it; end them, or raise the limit with 'sudo sysctl "
          "kernel.perf_event_mlock_kb=2048'",
          fds.size());
    fail("cannot map the buffer of an event: {}", std::strerror(error));
  }
  for (const int fd : fds) {
    watch(fd, EPOLLIN);
    ++live_;
  }
}

void RingBuffers::watch(int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    fail("cannot wait for an event: {}", last_system_error());
}

void RingBuffers::redirect(int fd, int mapped_fd) {
  if (::ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, mapped_fd) != 0)
    fail("cannot share a buffer between events: {}", last_system_error());
  watch(fd, 0);  // for EPOLLHUP only
  ++live_;
}

bool RingBuffers::wait(std::chrono::milliseconds timeout) {
  epoll_event events[64];
  const int count = ::epoll_wait(epoll_.get(), events, std::size(events),
                                 static_cast<int>(timeout.count()));
  for (int i = 0; i < count; ++i) {
    if ((events[i].events & (EPOLLHUP | EPOLLERR)) != 0) {
      // It would be reported forever.
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, events[i].data.fd, nullptr);
      --live_;
    }
  }
  return count != 0;  // a signal counts as a reason to look
}

bool RingBuffers::are_filled_to(double share) const {
  return std::ranges::any_of(rings_, [&](const RingBuffer& ring) {
    return static_cast<double>(ring.unread()) >=
           share * static_cast<double>(ring.size());
  });
}

std::size_t RingBuffers::drain(const Visit& visit) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < rings_.size(); ++i)
    count += rings_[i].read([&](std::string_view record) { visit(i, record); });
  return count;
}

}  // namespace wick
