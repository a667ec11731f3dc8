// SPDX-License-Identifier: Apache-2.0
// Sorts records by time, one window after the other.
//
// The perf tool empties the buffers of all CPUs in turn and then writes a mark,
// FINISHED_ROUND. Each buffer is in order, so a round consists of a few ordered
// runs, and nothing that follows is older than the newest record of the
// previous round: everything up to there is released at each mark. Runs are
// merged rather than sorted; equal times keep the order of the file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "perf/records/abi.h"

namespace wick {

class EventSorter {
 public:
  struct Entry {
    std::uint64_t time = 0;
    std::uint64_t where = 0;  // the caller's: a pointer or an offset
  };
  static_assert(sizeof(Entry) == 16);

  void add(std::uint64_t time, std::uint64_t where) {
    entries_.push_back({time, where});
    // Synthetic times must not end the window of the other records.
    if (time < kFirstSyntheticTime) max_ = std::max(max_, time);
  }
  // Entries that wait.
  std::size_t size() const { return entries_.size() - ready_at_; }

  // The next entry in order; null if more must be added or released first.
  const Entry* peek() const {
    return ready_at_ < ready_end_ ? &entries_[ready_at_] : nullptr;
  }
  void pop() { ++ready_at_; }

  void finish_round() {
    release_up_to(previous_max_);
    previous_max_ = max_;
  }
  // Everything older than `time`; the caller knows that nothing older follows.
  void release_before(std::uint64_t time) {
    if (time == 0)
      sort_new();
    else
      release_up_to(time - 1);
  }
  void release_all() {
    sort_new();
    ready_end_ = entries_.size();
  }
  // The older half; anything older that follows comes out of order.
  void release_half() {
    sort_new();
    ready_end_ = ready_at_ + (entries_.size() - ready_at_ + 1) / 2;
  }

  // Drops what was given out, and sets `where` of the others to move(where).
  template <class Move>
  void move_waiting(Move move) {
    drop_given_out();
    for (Entry& entry : entries_) entry.where = move(entry.where);
  }

 private:
  static bool earlier(const Entry& a, const Entry& b) {
    return a.time < b.time;
  }

  void release_up_to(std::uint64_t time) {
    sort_new();
    const auto begin =
        entries_.begin() + static_cast<std::ptrdiff_t>(ready_at_);
    const auto end =
        std::upper_bound(begin, entries_.end(), Entry{time, 0}, earlier);
    ready_end_ = static_cast<std::size_t>(end - entries_.begin());
  }

  void drop_given_out() {
    if (ready_at_ > 0)
      entries_.erase(entries_.begin(),
                     entries_.begin() + static_cast<std::ptrdiff_t>(ready_at_));
    sorted_end_ -= std::min(sorted_end_, ready_at_);
    ready_end_ -= ready_at_;
    ready_at_ = 0;
  }

  // Makes one ordered run, [0, size), of everything that waits.
  void sort_new() {
    drop_given_out();
    ready_end_ = 0;
    find_runs();
    if (runs_.size() > entries_.size() / 8 + 64)
      std::stable_sort(entries_.begin(), entries_.end(), earlier);
    else
      merge_runs();
    sorted_end_ = entries_.size();
  }

  // The starts of the ordered runs; the first one is already sorted.
  void find_runs() {
    runs_.assign(1, 0);
    for (std::size_t i = std::max<std::size_t>(sorted_end_, 1);
         i < entries_.size(); ++i)
      if (entries_[i].time < entries_[i - 1].time) runs_.push_back(i);
  }

  // Merges neighbours, from one buffer into the other, until one is left.
  void merge_runs() {
    while (runs_.size() > 1) {
      scratch_.resize(entries_.size());
      std::size_t kept = 0;
      for (std::size_t i = 0; i < runs_.size(); i += 2) {
        const auto at = [&](std::size_t run) {
          return entries_.data() +
                 (run < runs_.size() ? runs_[run] : entries_.size());
        };
        std::merge(at(i), at(i + 1), at(i + 1), at(i + 2),
                   scratch_.data() + runs_[i], earlier);
        runs_[kept++] = runs_[i];
      }
      runs_.resize(kept);
      entries_.swap(scratch_);
    }
  }

  // [0, ready_at_) given out, [ready_at_, ready_end_) to be given out,
  // [0, sorted_end_) in order.
  std::vector<Entry> entries_, scratch_;
  std::vector<std::size_t> runs_;
  std::size_t ready_at_ = 0, ready_end_ = 0, sorted_end_ = 0;
  std::uint64_t max_ = 0, previous_max_ = 0;
};

}  // namespace wick
