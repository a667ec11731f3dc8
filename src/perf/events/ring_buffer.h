// SPDX-License-Identifier: Apache-2.0
// The memory that the kernel writes records into: one ring per CPU (or thread),
// read without system calls.
#pragma once

#include <sys/epoll.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/unique_fd.h"

namespace wick {

// One ring. The kernel writes at its head and never overwrites unread records;
// it drops records that do not fit and counts them, in LOST records and in the
// event's read_format::kLost.
class RingBuffer {
 public:
  // For an open event; `pages` is a power of two. Nothing, with errno set, if
  // the kernel refuses: EPERM is the mlock limit.
  static std::optional<RingBuffer> map(int fd, std::size_t pages);
  // On memory with the same layout: a header page, then the data. For tests;
  // the memory outlives it.
  explicit RingBuffer(std::span<std::byte> mapped);

  RingBuffer(RingBuffer&& other) noexcept;
  RingBuffer& operator=(RingBuffer&& other) noexcept;
  ~RingBuffer();

  // Calls `visit` with each whole record (header included) that the ring has
  // now, oldest first; returns how many. The bytes are valid only until `visit`
  // returns. Reading frees space for the kernel an eighth of the ring at a
  // time.
  using Visit = std::function<void(std::string_view record)>;
  std::size_t read(const Visit& visit);

  std::size_t size() const { return size_; }  // of the data, bytes
  std::size_t unread() const;                 // bytes
  // Bytes skipped because they are no records: 0, unless the kernel is broken.
  std::uint64_t damaged_bytes() const { return damaged_; }

 private:
  void swap(RingBuffer& other) noexcept;

  std::byte* header_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t mapped_ = 0;  // bytes to unmap; 0 if not ours
  std::uint64_t damaged_ = 0;
  std::string bounce_;  // a record that wraps around
};

// All rings of a recording.
class RingBuffers {
 public:
  // One ring for each of `fds` (which the caller owns and keeps open), of
  // `pages` data pages (rounded up to a power of two), or fewer if the mlock
  // limit demands it. Throws Error if not even one page is allowed.
  RingBuffers(std::span<const int> fds, std::size_t pages);
  RingBuffers(RingBuffers&&) noexcept = default;
  RingBuffers& operator=(RingBuffers&&) noexcept = default;

  // Sends the records of event `fd` into the ring of `mapped_fd` (same CPU, or
  // same thread if there is no CPU; same clock).
  void redirect(int fd, int mapped_fd);

  // Waits until a ring is full to its watermark (half of it, unless the attr
  // says otherwise), an event has hung up, a signal came or a file of
  // wake_for() can be read; at most `timeout`. False if time was up.
  bool wait(std::chrono::milliseconds timeout);
  // The caller owns `fd` and keeps it open.
  void wake_for(int fd) { watch(fd, EPOLLIN); }

  // Reads every ring once; returns the number of records.
  using Visit = std::function<void(std::size_t ring, std::string_view record)>;
  std::size_t drain(const Visit& visit);

  // Events whose threads (or inherited children) are still alive; 0 ends the
  // recording of threads. CPU-wide events never hang up.
  std::size_t live_events() const { return live_; }

  // Whether this share of one of them is unread, or more.
  bool are_filled_to(double share) const;

  std::size_t size() const { return rings_.size(); }
  RingBuffer& operator[](std::size_t i) { return rings_[i]; }
  // Of one ring; fewer than asked for if the kernel refused more.
  std::size_t pages() const { return pages_; }
  // Why it refused: EPERM is the mlock limit, ENOMEM a lack of memory; 0: it
  // did not.
  int refusal() const { return refusal_; }

 private:
  void watch(int fd, std::uint32_t events);

  std::vector<RingBuffer> rings_;
  UniqueFd epoll_;
  std::size_t pages_ = 0;
  int refusal_ = 0;
  std::size_t live_ = 0;
};

}  // namespace wick
