// SPDX-License-Identifier: Apache-2.0
// Records as they come from the buffers of several CPUs, put in the order of
// time. Each is copied out of its buffer, of a stack only what was filled, and
// without the bit of a build id that the kernel set for another program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "perf/records/record.h"

namespace wick {

class RecordWindow {
 public:
  // `events` outlives it.
  explicit RecordWindow(const std::vector<PerfEvent>& events);

  void add(std::string_view record);

  // Gives use(record, bytes) everything older than `time`, in order. The bytes
  // stay until forget_taken().
  template <class Use>
  void take_until(std::uint64_t time, Use use) {
    sort();
    while (taken_ < entries_.size() && entries_[taken_].time < time) {
      const std::string_view whole = bytes_of(entries_[taken_++]);
      use(parsed(whole), whole);
    }
  }
  void forget_taken();

  // A view of a record of one of the events.
  PerfRecord parsed(std::string_view whole) const;

 private:
  struct Entry {
    std::uint64_t time;
    std::size_t begin;
    std::uint32_t size;
  };
  void sort();
  std::string_view bytes_of(const Entry& entry) const {
    return std::string_view(bytes_).substr(entry.begin, entry.size);
  }
  // The record with the unused end of its stack copy cut off, appended.
  void append(std::string_view record, const PerfEvent& event);

  const std::vector<PerfEvent>& events_;
  std::unordered_map<std::uint64_t, const PerfEvent*> by_id_;
  std::string bytes_;
  std::vector<Entry> entries_;
  std::size_t taken_ = 0;
};

}  // namespace wick
