// SPDX-License-Identifier: Apache-2.0
// The records of one data section (or one file of a directory) by time,
// compressed or not.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "perf/file/data_file.h"
#include "perf/file/header.h"
#include "perf/file/record_locator.h"
#include "perf/records/event_sorter.h"
#include "perf/records/record_scanner.h"

namespace wick {

class RecordStream {
 public:
  struct Limits {
    // Most records that wait to be sorted.
    std::size_t records = std::size_t{1} << 20;
    // Most decompressed bytes that wait, apart from a quarter of all.
    std::size_t bytes = std::size_t{32} << 20;
  };
  RecordStream(std::string_view data, const PerfHeader& header,
               RecordLocator& locator, PerfCounts& counts, Limits limits);
  ~RecordStream();
  RecordStream(RecordStream&&) noexcept;

  struct Item {
    std::uint64_t time = 0;
    const char* start = nullptr;  // of the record's header
  };
  // False at the end. The record lives until pop().
  bool peek(Item& item) {
    const EventSorter::Entry* entry = sorter_.peek();
    if (entry == nullptr) entry = read_on();
    if (entry == nullptr) return false;
    item = {.time = entry->time, .start = start_of(entry->where)};
    return true;
  }
  void pop() {
    const std::uint64_t where = sorter_.peek()->where;
    sorter_.pop();
    if ((where & kInBlock) != 0) release(where);
  }

 private:
  // Set in Entry::where for records in decompressed blocks; no address has it.
  static constexpr std::uint64_t kInBlock = std::uint64_t{1} << 63;
  static const char* start_of(std::uint64_t where) {
    return reinterpret_cast<const char*>(where & ~kInBlock);
  }

  const EventSorter::Entry* read_on();
  void take(const RecordScanner::Item& item);
  void add(const RecordHeader& header, const char* start, std::string_view body,
           std::uint64_t tag);
  void inflate(std::string_view compressed);
  void take_inflated();
  void release(std::uint64_t where);
  void keep_within_limits();

  RecordScanner scanner_;
  const PerfHeader& header_;
  RecordLocator& locator_;
  PerfCounts& counts_;
  Limits limits_;
  EventSorter sorter_;
  bool at_end_ = false;
  struct Inflated;
  std::unique_ptr<Inflated> inflated_;  // if there is compressed data
};

}  // namespace wick
