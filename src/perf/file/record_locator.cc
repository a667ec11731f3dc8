// SPDX-License-Identifier: Apache-2.0
#include "perf/file/record_locator.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace wick {

RecordLocator::RecordLocator(const PerfHeader& header) : header_(header) {
  constexpr std::size_t kMaxLayouts = 16;  // perf gives all events the same
  for (const PerfEvent& event : header.events) {
    if (layouts_.size() == kMaxLayouts) break;
    if (std::find(layouts_.begin(), layouts_.end(), event.layout) ==
        layouts_.end())
      layouts_.push_back(event.layout);
  }
  seen_.resize(256);
}

std::uint64_t RecordLocator::word(std::string_view body,
                                  std::size_t index) const {
  std::uint64_t value;
  std::memcpy(&value, body.data() + index * 8, 8);
  return header_.swap ? byte_swap(value) : value;
}

const PerfEvent* RecordLocator::event_of_id(std::uint64_t id) {
  Seen& seen = seen_[id % 256];
  if (seen.event == nullptr || seen.id != id)
    seen = {.id = id, .event = header_.event(id)};
  return seen.event;
}

const PerfEvent* RecordLocator::event(const RecordHeader& record,
                                      std::string_view body) {
  const PerfEvent* first = header_.events.data();
  if (header_.events.size() == 1) return first;
  const bool is_sample = record.type == RecordType::kSample;
  const auto words = static_cast<int>(body.size() / 8);
  bool has_id = false;
  for (const IdLayout& layout : layouts_) {
    const int at =
        is_sample ? layout.sample_id
                  : (layout.trailer_id < 0 ? -1 : words - layout.trailer_id);
    if (at < 0 || at >= words) continue;
    has_id = true;
    const PerfEvent* found =
        event_of_id(word(body, static_cast<std::size_t>(at)));
    if (found != nullptr && (layouts_.size() == 1 || found->layout == layout))
      return found;
  }
  return is_sample && has_id ? nullptr : first;
}

std::uint64_t RecordLocator::time(const RecordHeader& record,
                                  std::string_view body) {
  const IdLayout* layout = &layouts_.front();
  if (layouts_.size() > 1) {
    const PerfEvent* found = event(record, body);
    if (found != nullptr) layout = &found->layout;
  }
  const std::size_t words = body.size() / 8;
  std::size_t at = 0;
  if (record.type == RecordType::kSample) {
    if (layout->sample_time < 0) return 0;
    at = static_cast<std::size_t>(layout->sample_time);
    if (at >= words) return 0;
  } else {
    if (layout->trailer_time < 0) return 0;
    const auto back = static_cast<std::size_t>(layout->trailer_time);
    if (back > words) return 0;
    at = words - back;
  }
  const std::uint64_t time = word(body, at);
  return time == ~std::uint64_t{0} ? 0 : time;
}

PerfRecord RecordLocator::record(std::string_view whole) {
  const RecordHeader head = read_record_header(whole.data(), header_.swap);
  PerfRecord record;
  record.type = head.type;
  record.misc = head.misc;
  record.swap = header_.swap;
  record.body = whole.substr(kRecordHeaderSize);
  record.time = time(head, record.body);
  record.event = event(head, record.body);
  return record;
}

}  // namespace wick
