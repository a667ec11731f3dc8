// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/recording_file.h"

#include <utility>

#include "base/error.h"
#include "perf/records/record_scanner.h"

namespace wick {

template <class Write>
void RecordingFile::try_to(Write write) {
  try {
    write();
    // A flush takes everything that waits.
    const std::uint64_t bytes = writer_.flushed_bytes();
    if (std::exchange(flushed_bytes_, bytes) != bytes) kept_ = written_;
  } catch (const Error& error) {
    if (!writer_.is_full()) throw;
    error_ = error.what();
  }
}

void RecordingFile::write(std::string_view record) {
  if (has_failed()) return;
  if (read_record_header(record.data(), false).type == RecordType::kSample)
    ++written_;
  try_to([&] { writer_.write(record); });
}

void RecordingFile::end_round() {
  if (!has_failed()) try_to([&] { writer_.finished_round(); });
}

void RecordingFile::flush() {
  if (!has_failed()) try_to([&] { writer_.flush(); });
}

void RecordingFile::finish() {
  try_to([&] { writer_.finish(); });
}

}  // namespace wick
