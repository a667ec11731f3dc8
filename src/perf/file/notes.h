// SPDX-License-Identifier: Apache-2.0
// What wick writes about a recording of its own into perf.data: lines
// "key: value" behind a first line. They stand where the header points to the
// event types of perf before 3.12, which no reader looks at today; a feature
// bit of our own would make `perf report --header-only` warn.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wick {

// When the recording was to begin, in nanoseconds of its clock, where it has
// watched who comes and goes from before (--delay).
inline constexpr std::string_view kBeginNote = "begin";

class Notes {
 public:
  // Replaces the note of this key. Line ends in them become spaces.
  void set(std::string_view key, std::string_view value);
  // A recording that goes on says so: it was cut if that is what a reader
  // finds.
  std::string encode(bool finished) const;

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

struct ReadNotes {
  bool finished = false;
  std::vector<std::pair<std::string, std::string>> lines;
};
// Nothing if it is something else.
std::optional<ReadNotes> read_notes(std::string_view text);

}  // namespace wick
