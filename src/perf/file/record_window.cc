// SPDX-License-Identifier: Apache-2.0
#include "perf/file/record_window.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace wick {
namespace {

std::uint64_t word_at(std::string_view bytes, std::size_t offset) {
  std::uint64_t word = 0;
  if (offset + 8 <= bytes.size())
    std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

}  // namespace

RecordWindow::RecordWindow(const std::vector<PerfEvent>& events)
    : events_(events) {
  for (const PerfEvent& event : events)
    for (const std::uint64_t id : event.ids) by_id_.emplace(id, &event);
}

PerfRecord RecordWindow::parsed(std::string_view whole) const {
  ByteReader in(whole);
  PerfRecord record;
  record.type = static_cast<RecordType>(in.read<std::uint32_t>());
  record.misc = in.read<std::uint16_t>();
  in.read<std::uint16_t>();
  record.body = in.rest();
  // Every event has its id in the same place: first in a sample, last in all
  // other records.
  const bool is_sample = record.type == RecordType::kSample;
  const std::size_t id_at =
      is_sample || record.body.size() < 8 ? 0 : record.body.size() - 8;
  const auto found = by_id_.find(word_at(record.body, id_at));
  record.event = found == by_id_.end() ? &events_.front() : found->second;
  const IdLayout& layout = record.event->layout;
  if (is_sample && layout.sample_time >= 0)
    record.time =
        word_at(record.body, 8 * static_cast<std::size_t>(layout.sample_time));
  else if (!is_sample && layout.trailer_time > 0 &&
           record.body.size() >=
               8 * static_cast<std::size_t>(layout.trailer_time))
    record.time = word_at(
        record.body,
        record.body.size() - 8 * static_cast<std::size_t>(layout.trailer_time));
  return record;
}

void RecordWindow::add(std::string_view whole) {
  const PerfRecord record = parsed(whole);
  const std::size_t begin = bytes_.size();
  append(whole, *record.event);
  // See build_id_in() in record.cc. perf ends with an assertion if the first
  // number of a device is more than the size of an id.
  if (record.type == RecordType::kMmap2 &&
      !record.event->attr.flag(attr_flag::kBuildId)) {
    const auto bits =
        static_cast<std::uint16_t>(record.misc & ~misc::kMmapBuildId);
    std::memcpy(bytes_.data() + begin + 4, &bits, sizeof bits);
  }
  entries_.push_back(
      {record.time, begin, static_cast<std::uint32_t>(bytes_.size() - begin)});
}

// A copied stack is the last field of a sample: its size, that many bytes, and
// how many of them were filled.
void RecordWindow::append(std::string_view record, const PerfEvent& event) {
  const bool is_sample = word_at(record, 0) % (std::uint64_t{1} << 32) ==
                         static_cast<std::uint64_t>(RecordType::kSample);
  const std::uint64_t room = event.attr.sample_stack_user;
  if (!is_sample || room == 0 || record.size() < room + 24 ||
      word_at(record, record.size() - room - 16) != room) {
    bytes_ += record;
    return;
  }
  const std::uint64_t filled =
      std::min(word_at(record, record.size() - 8), room);
  const std::uint64_t kept = std::min((filled + 7) / 8 * 8, room);
  const std::size_t begin = bytes_.size();
  const std::size_t front = record.size() - room - 16;
  bytes_ += record.substr(0, front);
  append_raw(bytes_, kept);
  bytes_ += record.substr(front + 8, kept);
  if (kept > 0) append_raw(bytes_, filled);
  const auto size = static_cast<std::uint16_t>(bytes_.size() - begin);
  std::memcpy(bytes_.data() + begin + 6, &size, sizeof size);
}

void RecordWindow::sort() {
  const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(taken_);
  if (!std::is_sorted(
          begin, entries_.end(),
          [](const Entry& a, const Entry& b) { return a.time < b.time; }))
    std::stable_sort(begin, entries_.end(), [](const Entry& a, const Entry& b) {
      return a.time < b.time;
    });
}

void RecordWindow::forget_taken() {
  std::string kept;
  std::vector<Entry> entries;
  for (std::size_t i = taken_; i < entries_.size(); ++i) {
    entries.push_back({entries_[i].time, kept.size(), entries_[i].size});
    kept += bytes_of(entries_[i]);
  }
  bytes_ = std::move(kept);
  entries_ = std::move(entries);
  taken_ = 0;
}

}  // namespace wick
