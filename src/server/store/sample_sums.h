// SPDX-License-Identifier: Apache-2.0
// Weights by event, thread and stack: what a bucket of samples consists of.
// Sums are made from a batch, from other buckets (a query, or buckets of ten
// seconds that become one of a minute), and turned into bytes or a profile.
//
// Names and stacks are numbers of the dictionary; 0 is the empty one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/hash_index.h"
#include "profile/profile.h"
#include "server/store/dictionary.h"

namespace wick {

class SampleSums {
 public:
  struct Thread {
    std::int32_t pid = wick::Thread::kUnknown, tid = wick::Thread::kUnknown;
    std::uint64_t comm = 0, process = 0, cgroup = 0, container = 0;  // texts
    friend auto operator<=>(const Thread&, const Thread&) = default;
  };
  struct Event {
    std::uint64_t name = 0, unit = 0;  // texts
    std::uint8_t decimals = 0;
    EventRole role = EventRole::kPlain;
    TimeKind time = TimeKind::kNone;
    friend auto operator<=>(const Event&, const Event&) = default;
  };

  void add(const Event& event, const Thread& thread, std::uint64_t stack,
           std::int64_t weight, std::uint64_t count);
  // The profile misses something; keys are texts of the dictionary.
  void note(std::uint64_t problem_key, std::uint64_t count,
            std::int64_t weight);

  // Which threads and events of a bucket count, and as what.
  struct View {
    // False: leave it out. May change the thread.
    std::function<bool(Thread&)> thread;
    std::function<bool(const Event&)> event;
  };
  // Adds a packed bucket; false if it is damaged, and then a part of it may be
  // missing.
  bool add_packed(std::string_view bytes, const View& view);

  std::string packed() const;
  std::size_t rows() const { return rows_.size(); }

  // The samples, with their stacks, names and notes, are added to `profile`.
  void append_to(Profile& profile, DictionaryReader& dictionary) const;

 private:
  struct Row {
    std::uint64_t stack;
    std::uint32_t event, thread;
    std::int64_t weight;
    std::uint64_t count;
  };
  std::uint32_t row_of(const Event& event);
  std::uint32_t row_of(const Thread& thread);
  static std::uint64_t hash_of(std::uint32_t event, std::uint32_t thread,
                               std::uint64_t stack) {
    return hash_pair(stack, std::uint64_t{thread} << 32 | event);
  }
  void add(std::uint32_t event, std::uint32_t thread, std::uint64_t stack,
           std::int64_t weight, std::uint64_t count) {
    const std::uint32_t at = index_.find_or_add(
        hash_of(event, thread, stack),
        [&](std::uint32_t i) {
          const Row& row = rows_[i];
          return row.stack == stack && row.thread == thread &&
                 row.event == event;
        },
        [&] {
          rows_.push_back({stack, event, thread, 0, 0});
          return static_cast<std::uint32_t>(rows_.size() - 1);
        });
    Row& row = rows_[at];
    row.weight = saturating_add(row.weight, weight);
    row.count += count;
  }

  void add_group();

  std::vector<Event> events_;
  std::vector<Thread> threads_;
  std::map<Event, std::uint32_t> event_rows_;
  std::map<Thread, std::uint32_t> thread_rows_;
  std::vector<Row> rows_;
  HashIndex index_;
  std::vector<Row> group_;  // rows of a bucket that are to be added
  std::map<std::uint64_t, std::pair<std::uint64_t, std::int64_t>> notes_;
};

}  // namespace wick
