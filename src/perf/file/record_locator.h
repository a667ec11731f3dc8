// SPDX-License-Identifier: Apache-2.0
// Finds the event and the time of a record. Where they are depends on the
// event's sample_type, and which event it is on an id at one of these places.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "perf/file/header.h"
#include "perf/records/record.h"
#include "perf/records/record_scanner.h"

namespace wick {

class RecordLocator {
 public:
  // `header` outlives it.
  explicit RecordLocator(const PerfHeader& header);

  // 0 if there is none.
  std::uint64_t time(const RecordHeader& record, std::string_view body);
  // Null: a sample whose id no event has.
  const PerfEvent* event(const RecordHeader& record, std::string_view body);
  // The record whose header begins at `whole`, with both of them; a view.
  PerfRecord record(std::string_view whole);

 private:
  const PerfEvent* event_of_id(std::uint64_t id);
  std::uint64_t word(std::string_view body, std::size_t index) const;

  const PerfHeader& header_;
  std::vector<IdLayout> layouts_;  // the distinct ones
  struct Seen {
    std::uint64_t id = 0;
    const PerfEvent* event = nullptr;
  };
  std::vector<Seen> seen_;  // by the low bits of the id
};

}  // namespace wick
