// SPDX-License-Identifier: Apache-2.0
// Lets stack copies shrink while switches are recorded. With 16 kB each, a
// buffer of 8 MB is full after 500 switches, and 1,500 busy threads leave the
// CPU 100,000 times a second. Once buffers fill faster than they are read, a
// spare event with smaller copies takes over.
//
// A filter that matches nothing ends the event so far: at once for all threads
// that inherited it, and for those still to come. (Disabling it goes from
// thread to thread, and misses one that begins meanwhile.) The spare event is
// enabled before that, so that no switch is missed, and of the two samples of a
// switch between these moments one is dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "perf/recording/opened_events.h"
#include "perf/records/record.h"

namespace wick {

// Recognises the second sample of a switch that two events have sampled.
class DoubleSwitches {
 public:
  // Both outlive it.
  DoubleSwitches(const PerfEvent& one, const PerfEvent& other)
      : one_(&one), other_(&other) {}

  // Takes all records, by time.
  bool is_second(const PerfRecord& record);

 private:
  struct Left {
    std::uint32_t tid = 0;
    const PerfEvent* event = nullptr;
  };
  const PerfEvent* one_;
  const PerfEvent* other_;
  // Threads whose switch was sampled and has no switch record yet, by CPU.
  std::unordered_map<std::uint32_t, Left> leaving_;
  PerfSample sample_;
};

class SwitchCopies {
 public:
  // `known` are `events` as their records refer to them; both outlive it.
  SwitchCopies(const OpenedEvents& events, std::span<const PerfEvent> known);

  // Bytes that are copied at a switch; 0: none.
  std::uint32_t size() const;

  // Does nothing if they are small already or there is no spare event. `now` is
  // the clock of the events.
  using Now = std::function<std::uint64_t()>;
  void shrink(const Now& now);
  // When they became smaller; 0: they did not.
  std::uint64_t shrunk_at() const { return shrunk_at_; }

  // What that means for a recording that began at `begin`.
  std::string limitation(std::uint64_t begin) const;

  // Whether a record repeats another. Takes all records, by time.
  bool is_double(const PerfRecord& record);

 private:
  struct Switches {
    const OpenedEvent* event = nullptr;
    const PerfEvent* known = nullptr;
  };
  Switches usual_, spare_;
  std::uint64_t shrunk_at_ = 0, last_double_at_ = 0;
  std::optional<DoubleSwitches> doubles_;
};

}  // namespace wick
