// SPDX-License-Identifier: Apache-2.0
// A perf.data file (or pipe, or the directory of perf record --threads): its
// header, and its records in the order of time.
//
//   PerfData data(input);
//   PerfSample sample;
//   data.for_each_in_time_order([&](const PerfRecord& record) {
//     if (record.type == RecordType::kSample && decode_sample(record, sample))
//       …
//   });
//   data.counts()   // what was lost, skipped, damaged
//
// Records are not in order in the file, because perf writes one buffer after
// the other; see event_sorter.h. A window of about two rounds is sorted, by
// entries of 16 bytes, and the records stay where they are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "io/input_file.h"
#include "perf/file/header.h"
#include "perf/records/record.h"

namespace wick {

// Complete once all records were visited.
struct PerfCounts {
  std::uint64_t records = 0;  // of the kernel, visited or bad
  std::uint64_t samples = 0;
  // Records of any kind that the kernel could not store (LOST). LOST_SAMPLES
  // counts the same loss again where perf writes both (kernel 6.1 and later).
  std::uint64_t lost = 0;
  std::uint64_t lost_samples = 0;
  std::uint64_t throttles = 0;
  std::uint64_t aux_bytes = 0;        // of instruction traces, skipped
  std::uint64_t aux_truncated = 0;    // AUX records that say data is missing
  std::uint64_t unknown_records = 0;  // unknown kinds
  std::uint64_t unknown_ids = 0;      // samples of no known event, skipped
  std::uint64_t bad_records = 0;      // impossible sizes; skipped
  std::uint64_t out_of_order = 0;     // visited after a record of a later time
  std::uint64_t missing_bytes = 0;    // promised by the header
  std::uint64_t damaged_streams = 0;  // compressed data that is damaged
  bool truncated = false;             // cut off, or never closed
};

class PerfData {
 public:
  // Whether the bytes begin as perf.data does.
  static bool sniff(std::string_view head);

  // Fails if it is not perf.data or has no events. The input must live as long
  // as this object.
  explicit PerfData(InputFile& input);
  // The directory that perf record --threads writes.
  static PerfData open_directory(const std::string& path);
  // Fails if one of those files became shorter while it was read.
  void check_whole() const;
  static bool is_perf_directory(const std::string& path);

  PerfData(PerfData&&) noexcept;
  PerfData& operator=(PerfData&&) noexcept;
  ~PerfData();

  const PerfHeader& header() const;
  const PerfCounts& counts() const;
  // Bytes of records as stored, compressed or not; for progress and limits.
  std::uint64_t data_bytes() const;

  // Calls visit(const PerfRecord&) for each record of the kernel by time, those
  // of equal time in the order of the file. Records without a time come as
  // early as possible. May be called again.
  template <class Visit>
  void for_each_in_time_order(Visit&& visit) {
    rewind();
    PerfRecord record;
    while (next(record)) visit(static_cast<const PerfRecord&>(record));
  }

  // The same as an iterator: false at the end. The record lives until the next
  // call.
  bool next(PerfRecord& record);
  void rewind();

 private:
  struct State;
  explicit PerfData(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wick
