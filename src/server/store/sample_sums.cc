// SPDX-License-Identifier: Apache-2.0
// A bucket as bytes, in varints, compressed as a whole:
//
//   threads │ events │ notes │ groups
//
// A group is an event, a thread and its stacks in ascending order, as
// differences. Nearly all weights are multiples of the sampling period, so a
// group has their greatest common divisor and the weights are small; the number
// of samples is stored only where it differs from that multiple.
#include "server/store/sample_sums.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "server/store/packing.h"

namespace wick {
namespace {

constexpr std::uint8_t kVersion = 1;
// Rows that the cache holds for a moment.
constexpr std::size_t kMostAtOnce = 256;

std::uint32_t clamped_count(std::uint64_t count) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      count, std::numeric_limits<std::uint32_t>::max()));
}

SampleSums::Thread read_thread(ByteReader& in, std::int64_t& pid) {
  SampleSums::Thread thread;
  pid += unzigzag(in.read_varint());
  const std::int64_t tid = pid + unzigzag(in.read_varint());
  if (!std::in_range<std::int32_t>(pid) || !std::in_range<std::int32_t>(tid))
    in.fail();
  thread.pid = static_cast<std::int32_t>(pid);
  thread.tid = static_cast<std::int32_t>(tid);
  for (std::uint64_t* text :
       {&thread.comm, &thread.process, &thread.cgroup, &thread.container})
    *text = in.read_varint();
  return thread;
}

SampleSums::Event read_event(ByteReader& in) {
  SampleSums::Event event;
  event.name = in.read_varint();
  event.unit = in.read_varint();
  const std::uint64_t decimals = in.read_varint(), role = in.read_varint(),
                      time = in.read_varint();
  if (decimals > 18 || role > static_cast<std::uint64_t>(EventRole::kAfter) ||
      time > static_cast<std::uint64_t>(TimeKind::kTraceClock))
    in.fail();
  event.decimals = static_cast<std::uint8_t>(decimals);
  event.role = static_cast<EventRole>(role);
  event.time = static_cast<TimeKind>(time);
  return event;
}

}  // namespace

std::uint32_t SampleSums::row_of(const Event& event) {
  const auto [found, is_new] =
      event_rows_.emplace(event, static_cast<std::uint32_t>(events_.size()));
  if (is_new) events_.push_back(event);
  return found->second;
}

std::uint32_t SampleSums::row_of(const Thread& thread) {
  const auto [found, is_new] =
      thread_rows_.emplace(thread, static_cast<std::uint32_t>(threads_.size()));
  if (is_new) threads_.push_back(thread);
  return found->second;
}

void SampleSums::add(const Event& event, const Thread& thread,
                     std::uint64_t stack, std::int64_t weight,
                     std::uint64_t count) {
  add(row_of(event), row_of(thread), stack, weight, count);
}

void SampleSums::note(std::uint64_t problem_key, std::uint64_t count,
                      std::int64_t weight) {
  auto& sum = notes_[problem_key];
  sum.first += count;
  sum.second = saturating_add(sum.second, weight);
}

std::string SampleSums::packed() const {
  std::vector<std::uint32_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t i) {
    return std::tuple(rows_[i].event, rows_[i].thread, rows_[i].stack);
  });

  std::string out(1, static_cast<char>(kVersion));
  append_varint(out, threads_.size());
  std::int64_t pid = 0;
  for (const Thread& thread : threads_) {
    append_varint(out, zigzag(thread.pid - pid));
    pid = thread.pid;
    append_varint(out, zigzag(std::int64_t{thread.tid} - pid));
    for (const std::uint64_t text :
         {thread.comm, thread.process, thread.cgroup, thread.container})
      append_varint(out, text);
  }
  append_varint(out, events_.size());
  for (const Event& event : events_)
    for (const std::uint64_t value :
         {event.name, event.unit, std::uint64_t{event.decimals},
          static_cast<std::uint64_t>(event.role),
          static_cast<std::uint64_t>(event.time)})
      append_varint(out, value);
  append_varint(out, notes_.size());
  for (const auto& [key, sum] : notes_) {
    append_varint(out, key);
    append_varint(out, sum.first);
    append_varint(out, zigzag(sum.second));
  }

  for (std::size_t first = 0; first < order.size();) {
    const Row& group = rows_[order[first]];
    std::size_t end = first;
    std::uint64_t unit = 0;
    for (; end < order.size(); ++end) {
      const Row& row = rows_[order[end]];
      if (row.event != group.event || row.thread != group.thread) break;
      unit = std::gcd(unit, static_cast<std::uint64_t>(row.weight));
    }
    unit = std::max<std::uint64_t>(unit, 1);
    bool has_counts = false;
    for (std::size_t i = first; i < end; ++i) {
      const Row& row = rows_[order[i]];
      has_counts |= row.count != static_cast<std::uint64_t>(row.weight) / unit;
    }
    append_varint(out, group.event);
    append_varint(out, group.thread);
    append_varint(out, unit << 1 | (has_counts ? 1 : 0));
    append_varint(out, end - first);
    std::uint64_t stack = 0;
    for (; first < end; ++first) {
      const Row& row = rows_[order[first]];
      append_varint(out, row.stack - stack);
      stack = row.stack;
      append_varint(out, static_cast<std::uint64_t>(row.weight) / unit);
      if (has_counts) append_varint(out, row.count);
    }
  }
  return packed_bucket(out);
}

bool SampleSums::add_packed(std::string_view bytes, const View& view) {
  const auto plain = unpacked_bucket(bytes);
  if (!plain) return false;
  ByteReader in(*plain);
  if (in.read<std::uint8_t>() != kVersion) return false;

  group_.clear();
  constexpr std::uint32_t kLeftOut = HashIndex::kNone;
  std::vector<std::uint32_t> threads, events;
  const std::uint64_t thread_count = in.read_varint();
  if (!in.fits(thread_count, 6)) return false;
  std::int64_t pid = 0;
  for (std::uint64_t i = 0; i < thread_count; ++i) {
    Thread thread = read_thread(in, pid);
    if (in.failed()) return false;
    threads.push_back(view.thread(thread) ? row_of(thread) : kLeftOut);
  }
  const std::uint64_t event_count = in.read_varint();
  if (!in.fits(event_count, 5)) return false;
  for (std::uint64_t i = 0; i < event_count; ++i) {
    const Event event = read_event(in);
    if (in.failed()) return false;
    events.push_back(view.event(event) ? row_of(event) : kLeftOut);
  }
  for (std::uint64_t left = in.read_varint(); left > 0 && !in.failed();
       --left) {
    const std::uint64_t key = in.read_varint(), count = in.read_varint();
    const std::int64_t weight = unzigzag(in.read_varint());
    if (!in.failed()) note(key, count, weight);
  }

  while (!in.at_end()) {
    const std::uint64_t event = in.read_varint(), thread = in.read_varint();
    const std::uint64_t head = in.read_varint(), unit = head >> 1;
    const bool has_counts = (head & 1) != 0;
    const std::uint64_t count = in.read_varint();
    if (in.failed() || event >= events.size() || thread >= threads.size() ||
        unit == 0 || !in.fits(count, 2))
      return false;
    const bool is_wanted =
        events[event] != kLeftOut && threads[thread] != kLeftOut;
    std::uint64_t stack = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      stack += in.read_varint();
      const std::uint64_t multiple = in.read_varint();
      const std::uint64_t samples = has_counts ? in.read_varint() : multiple;
      if (in.failed() ||
          multiple > static_cast<std::uint64_t>(
                         std::numeric_limits<std::int64_t>::max()) /
                         unit)
        return false;
      if (!is_wanted) continue;
      index_.prefetch(hash_of(events[event], threads[thread], stack));
      group_.push_back({stack, events[event], threads[thread],
                        static_cast<std::int64_t>(multiple * unit), samples});
      if (group_.size() == kMostAtOnce) add_group();
    }
    add_group();
  }
  return !in.failed();
}

// Looked up one after the other once all of them are on their way into the
// cache: the index is larger.
void SampleSums::add_group() {
  for (const Row& row : group_)
    add(row.event, row.thread, row.stack, row.weight, row.count);
  group_.clear();
}

void SampleSums::append_to(Profile& profile,
                           DictionaryReader& dictionary) const {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(rows_.size());
  for (const Row& row : rows_)
    if (row.stack != 0) numbers.push_back(row.stack);
  std::ranges::sort(numbers);
  const auto rest = std::ranges::unique(numbers);
  numbers.erase(rest.begin(), rest.end());
  const std::vector<StackId> stacks = dictionary.add_stacks(numbers, profile);

  const auto text = [&](std::uint64_t number) {
    return profile.strings.intern(dictionary.text(number));
  };
  std::vector<EventId> events;
  for (const Event& event : events_)
    events.push_back(profile.events.push_back({.name = text(event.name),
                                               .unit = text(event.unit),
                                               .decimals = event.decimals,
                                               .role = event.role,
                                               .time = event.time}));
  std::vector<ThreadId> threads;
  for (const Thread& thread : threads_)
    threads.push_back(profile.thread_id(
        {.pid = thread.pid, .tid = thread.tid, .comm = text(thread.comm)}));
  profile.samples.reserve(profile.samples.size() + rows_.size());
  for (const Row& row : rows_) {
    const auto at = static_cast<std::size_t>(
        std::ranges::lower_bound(numbers, row.stack) - numbers.begin());
    profile.samples.push_back(
        {.weight = row.weight,
         .stack = row.stack == 0 ? StackId::kRoot : stacks[at],
         .thread = threads[row.thread],
         .event = events[row.event]});
    profile.sample_counts.push_back(clamped_count(row.count));
  }
  for (const auto& [key, sum] : notes_) {
    const std::string name = dictionary.text(key);
    for (std::size_t i = 0; i < static_cast<std::size_t>(Problem::kCount); ++i)
      if (const auto problem = static_cast<Problem>(i);
          info(problem).key == name)
        profile.diagnostics.note(problem, sum.first, sum.second);
  }
}

}  // namespace wick
