// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/exec_watch.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "perf/events/event_open.h"
#include "perf/events/event_spec.h"
#include "perf/records/abi.h"

namespace wick {
namespace {

// Events of this kind count nothing; they only report names, of which a program
// that is executed gets a new one.
EventAttr attr_of_execs() {
  EventAttr attr;
  parse_events("dummy").front().apply_to(attr);
  attr.sample_period = 1;
  attr.flags |= attr_flag::kComm | attr_flag::kCommExec |
                attr_flag::kWatermark | attr_flag::kExcludeKernel |
                attr_flag::kExcludeHypervisor;
  attr.wakeup_events = 1;
  return attr;
}

}  // namespace

ExecWatch::ExecWatch(std::span<const int> cpus, const KernelLimits& limits,
                     Use use)
    : use_(std::move(use)), end_(::eventfd(0, EFD_CLOEXEC)) {
  if (!end_ || !open(cpus, limits)) {
    rings_.clear();
    fds_.clear();
    return;
  }
  thread_ = std::jthread([this] { watch(); });
}

ExecWatch::~ExecWatch() {
  if (thread_.joinable()) ::eventfd_write(end_.get(), 1);
}

bool ExecWatch::open(std::span<const int> cpus, const KernelLimits& limits) {
  if (!limits.may_record_all_cpus()) return false;
  EventAttr attr = attr_of_execs();
  std::uint32_t given_up = 0;
  for (const int cpu : cpus) {
    OpenResult opened =
        try_open_event(attr, {.pid = -1, .cpu = cpu}, limits, given_up);
    if (!opened.fd) return false;
    auto ring = RingBuffer::map(opened.fd.get(), 1);
    if (!ring) return false;
    rings_.push_back(std::move(*ring));
    fds_.push_back(std::move(opened.fd));
  }
  return true;
}

void ExecWatch::watch() {
  std::vector<pollfd> polled{
      {.fd = end_.get(), .events = POLLIN, .revents = 0}};
  for (const UniqueFd& fd : fds_)
    polled.push_back({.fd = fd.get(), .events = POLLIN, .revents = 0});
  while (polled.front().revents == 0) {
    for (RingBuffer& ring : rings_)
      ring.read([&](std::string_view record) { read(record); });
    if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) return;
  }
}

void ExecWatch::read(std::string_view record) const {
  ByteReader in(record);
  const auto type = in.read<std::uint32_t>();
  const auto misc = in.read<std::uint16_t>();
  in.read<std::uint16_t>();  // the size
  const auto pid = in.read<std::uint32_t>();
  if (type == static_cast<std::uint32_t>(RecordType::kComm) &&
      (misc & misc::kCommExec) != 0)
    use_(pid);
}

}  // namespace wick
