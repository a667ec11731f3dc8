// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/record_window.h"

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

void RecordWindow::add(std::string_view whole, bool is_made) {
  const PerfRecord record = parsed(whole);
  if (record.event == nullptr) {
    ++unknown_;
    return;
  }
  const std::size_t begin = bytes_.size();
  if (is_made)
    bytes_ += whole;
  else
    append(whole, *record.event);
  // See build_id_in() in record.cc: the kernel sets this bit for all if one
  // event asks for it, and perf ends with an assertion if it takes a device
  // number for the size of an id.
  if (record.type == RecordType::kMmap2 &&
      !record.event->attr.flag(attr_flag::kBuildId)) {
    const auto bits =
        static_cast<std::uint16_t>(record.misc & ~misc::kMmapBuildId);
    std::memcpy(bytes_.data() + begin + 4, &bits, sizeof bits);
  }
  sorter_.add(record.time, begin);
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

std::string_view RecordWindow::bytes_at(std::uint64_t offset) const {
  const char* start = bytes_.data() + offset;
  return {start, read_record_header(start, false).size};
}

void RecordWindow::forget_taken() {
  std::string kept;
  sorter_.move_waiting([&](std::uint64_t offset) {
    const std::size_t moved = kept.size();
    kept += bytes_at(offset);
    return moved;
  });
  bytes_ = std::move(kept);
}

}  // namespace wick
