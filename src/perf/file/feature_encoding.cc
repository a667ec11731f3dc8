// SPDX-License-Identifier: Apache-2.0
#include "perf/file/feature_encoding.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/text.h"
#include "perf/file/data_writer.h"

namespace wick {
namespace {

constexpr std::size_t kTextAlignment = 64;
constexpr std::size_t kMaxRecord = 0xffff;

// Followed by at least one zero.
std::size_t padded_size(std::string_view text) {
  return (text.size() / kTextAlignment + 1) * kTextAlignment;
}

void append_padded(std::string& out, std::string_view text) {
  const std::size_t end = out.size() + padded_size(text);
  out += text;
  out.resize(end);
}

void append_text(std::string& out, std::string_view text) {
  append_raw(out, static_cast<std::uint32_t>(padded_size(text)));
  append_padded(out, text);
}

template <class T>
void append_count(std::string& out, std::span<T> list) {
  append_raw(out, static_cast<std::uint32_t>(list.size()));
}

// At most 20 bytes, "" if `text` is not hexadecimal.
std::string bytes_of_id(std::string_view text) {
  constexpr std::size_t kMaxDigits = 40;
  return from_hexadecimal(text.substr(0, kMaxDigits));
}

}  // namespace

std::string encode_text(std::string_view text) {
  std::string out;
  append_text(out, text);
  return out;
}

std::string encode_cpus(std::uint32_t online, std::uint32_t available) {
  std::string out;
  append_raw(out, available);
  append_raw(out, online);
  return out;
}

std::string encode_number(std::uint64_t number) {
  std::string out;
  append_raw(out, number);
  return out;
}

std::string encode_numbers(std::uint64_t first, std::uint64_t second) {
  return encode_number(first) + encode_number(second);
}

std::string encode_words(std::span<const std::string> words) {
  std::string out;
  append_count(out, words);
  for (const std::string& word : words) append_text(out, word);
  return out;
}

std::string encode_events(std::span<const RecordedEvent> events) {
  std::string out;
  append_count(out, events);
  append_raw(out, events.empty() ? kAttrSize : events.front().attr.size);
  for (const RecordedEvent& event : events) {
    out += write_attr(event.attr);
    append_raw(out, static_cast<std::uint32_t>(event.ids.size()));
    append_text(out, event.name);
    for (const std::uint64_t id : event.ids) append_raw(out, id);
  }
  return out;
}

std::string encode_build_ids(std::span<const PerfHeader::BuildId> ids) {
  constexpr std::size_t kFixedSize = kRecordHeaderSize + 4 + 24;
  std::string out;
  for (const PerfHeader::BuildId& entry : ids) {
    std::string id = bytes_of_id(entry.build_id);
    const std::size_t size = kFixedSize + padded_size(entry.path);
    if (id.empty() || size > kMaxRecord) continue;
    append_raw(out, std::uint32_t{0});  // perf leaves the type empty here
    append_raw(
        out, static_cast<std::uint16_t>((entry.cpu_mode & misc::kCpuModeMask) |
                                        misc::kBuildIdSize));
    append_raw(out, static_cast<std::uint16_t>(size));
    append_raw(out, entry.pid);
    const auto length = static_cast<char>(id.size());
    id.resize(24);
    id[20] = length;
    out += id;
    append_padded(out, entry.path);
  }
  return out;
}

std::string encode_clock(const PerfHeader::ClockData& clock) {
  std::string out;
  append_raw(out, std::uint32_t{1});  // version
  append_raw(out, clock.clockid);
  append_raw(out, clock.wall_ns);
  append_raw(out, clock.clock_ns);
  return out;
}

std::string encode_pmus(std::span<const PerfHeader::Pmu> pmus) {
  std::string out;
  append_count(out, pmus);
  for (const PerfHeader::Pmu& pmu : pmus) {
    append_raw(out, pmu.type);
    append_text(out, pmu.name);
  }
  return out;
}

std::string encode_groups(std::span<const PerfHeader::Group> groups) {
  std::string out;
  append_count(out, groups);
  for (const PerfHeader::Group& group : groups) {
    append_text(out, group.name);
    append_raw(out, group.leader);
    append_raw(out, group.members);
  }
  return out;
}

std::string encode_compression(int level, double ratio, std::uint32_t largest) {
  std::string out;
  append_raw(out, std::uint32_t{0});  // version
  append_raw(out, std::uint32_t{1});  // zstd
  append_raw(out, static_cast<std::uint32_t>(level));
  append_raw(out, static_cast<std::uint32_t>(std::clamp(ratio, 1.0, 1e6)));
  append_raw(out, largest);
  return out;
}

}  // namespace wick
