// SPDX-License-Identifier: Apache-2.0
// Puts records from the buffers of several CPUs into the order of time. Each is
// copied out of its buffer as it will be stored: without the unused part of its
// stack copy, and without a build id flag that another recorder caused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perf/file/record_locator.h"
#include "perf/records/event_sorter.h"
#include "perf/records/record.h"

namespace wick {

class RecordWindow {
 public:
  // `header` has the events and outlives it.
  explicit RecordWindow(const PerfHeader& header) : locator_(header) {}

  // One that `is_made` has no unused part.
  void add(std::string_view record, bool is_made = false);

  // Calls use(record, bytes) for everything older than `time`, in order. The
  // bytes stay until forget_taken(); add() must not be called meanwhile.
  template <class Use>
  void take_until(std::uint64_t time, Use use) {
    sorter_.release_before(time);
    for (; sorter_.peek() != nullptr; sorter_.pop()) {
      const std::string_view whole = bytes_at(sorter_.peek()->where);
      use(parsed(whole), whole);
    }
  }
  void forget_taken();
  // Frees the room for records. None may be left, and none is added after it.
  void close() { std::string().swap(bytes_); }

  // A view of a record of one of the events.
  PerfRecord parsed(std::string_view whole) { return locator_.record(whole); }

  // What it holds.
  std::size_t bytes() const { return bytes_.size(); }
  // Samples whose id no event has, dropped.
  std::uint64_t unknown() const { return unknown_; }

 private:
  std::string_view bytes_at(std::uint64_t offset) const;
  void append(std::string_view record, const PerfEvent& event);

  RecordLocator locator_;
  std::string bytes_;
  EventSorter sorter_;  // of offsets in bytes_
  std::uint64_t unknown_ = 0;
};

}  // namespace wick
