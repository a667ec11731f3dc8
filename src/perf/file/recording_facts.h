// SPDX-License-Identifier: Apache-2.0
// What `wick record` stores about a recording of its own in perf.data, as lines
// "key: value". The header points to them where perf before 3.12 had its event
// types; no current reader looks there, whereas an additional feature bit would
// make `perf report --header-only` warn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "perf/file/section.h"
#include "profile/diagnostics.h"

namespace wick {

struct RecordingFacts {
  // False until the recorder closes the file: a reader that finds false has a
  // file that was cut off.
  bool is_finished = false;
  // The first moment that counts, in nanoseconds of the recording's clock, if
  // processes were watched from an earlier one.
  std::optional<std::uint64_t> begin_time;
  // What the recorder lost or could not unwind. Its records say nothing of it.
  Diagnostics losses;
  // Where the file has the names of its code (object/kept_names.h); of size 0
  // if it has none.
  FileSection names;
  // The most bytes that were copied of a stack that is deeper; 0 if that is not
  // known.
  std::uint64_t copied_bytes = 0;
  // Nanoseconds that the program ran; 0 if that is not known.
  std::uint64_t cpu_time = 0;
};

std::string encode_facts(const RecordingFacts& facts);
// Nothing if the bytes are something else. Unknown keys are skipped.
std::optional<RecordingFacts> read_facts(std::string_view text);

}  // namespace wick
