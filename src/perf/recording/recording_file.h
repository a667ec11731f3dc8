// SPDX-License-Identifier: Apache-2.0
// The file of a recording. A disk that fills up ends the recording but is no
// error: the file stays readable, and what it lacks is counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "perf/file/data_writer.h"

namespace wick {

class RecordingFile {
 public:
  explicit RecordingFile(PerfDataWriter writer) : writer_(std::move(writer)) {}

  // One whole record. These three do nothing once the file has failed.
  void write(std::string_view record);
  void end_round();
  void flush();
  // Completes the file with what was set in header(); also one that has failed,
  // as far as there is room.
  void finish();

  // For its sections; records are written above.
  PerfDataWriter& header() { return writer_; }

  bool has_failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }
  std::uint64_t bytes() const { return writer_.bytes(); }
  // Samples that a reader finds, of those that were written.
  std::uint64_t kept_samples() const { return kept_; }

 private:
  template <class Write>
  void try_to(Write write);

  PerfDataWriter writer_;
  std::string error_;
  std::uint64_t written_ = 0, kept_ = 0;  // samples
  std::uint64_t flushed_bytes_ = 0;
};

}  // namespace wick
