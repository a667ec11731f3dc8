// SPDX-License-Identifier: Apache-2.0
// Function traces of PHP's Xdebug in its format for machines
// (xdebug.trace_format=1): tab-separated lines, one when a function is entered
// and one when it is left.
//
//   File format: 4
//   TRACE START [2026-11-15 03:49:36.175450]
//   1  0  0  0.000288  396648  {main}  1  ""  /srv/shop.php  0  0
//   2  1  0  0.000302  396648  tax     1  ""  /srv/shop.php  5  1  3
//   2  1  1  0.000940  396648
//   ↑  ↑  ↑  ↑ seconds
//   ↑  ↑  0: entered, 1: left, R: value returned
//   ↑  number of the call
//   depth
//
// Two events: the time spent in each function itself, in microseconds, and how
// often each was called.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "format/text/text_stacks.h"

namespace wick {
namespace {

bool sniff_xdebug(std::string_view head) {
  bool seen_format = false;
  return any_head_line(head, 10, [&](std::string_view line) {
    if (line.starts_with("File format: ")) seen_format = true;
    return seen_format && line.starts_with("TRACE START");
  });
}

// Seconds with decimals as nanoseconds.
std::optional<std::int64_t> parse_time(std::string_view text) {
  const auto time = to_decimal(trim(text));
  if (!time || time->value < 0 || time->value > INT64_MAX / 1'000'000'000)
    return {};
  return time->value * power_of_ten(9 - time->decimals);
}

class XdebugReader {
 public:
  explicit XdebugReader(const ReadOptions& options)
      : samples_(profile_, options.keep_time) {
    profile_.has_time = options.keep_time;
    // Nanoseconds, as thousandths of the unit.
    profile_.events[time_].decimals = 3;
  }

  Profile read(InputFile& file) {
    for_each_line(file, [&](std::string_view line, std::uint64_t number) {
      if (!read_line(line))
        profile_.diagnostics.note_at(Problem::kBadLine, line, number);
    });
    if (!ended_)
      profile_.diagnostics.note_at(Problem::kTruncated, "the trace has no end");
    return std::move(profile_);
  }

 private:
  bool read_line(std::string_view line) {
    if (line.starts_with("TRACE START")) {
      open_.clear();
      last_.reset();
      ended_ = false;
      return true;
    }
    if (line.starts_with("TRACE END")) {
      ended_ = true;
      return true;
    }
    if (trim(line).empty() || line.starts_with("Version: ") ||
        line.starts_with("File format: "))
      return true;
    if (line.front() == '\t') {  // the last line: the time of the end
      const auto end = parse_time(take_word(line));
      if (end) spend_until(*end);
      return end.has_value();
    }
    std::array<std::string_view, 6> fields;
    for (std::string_view& field : fields) field = take_until(line, '\t');
    const auto& [depth, call, kind, time, memory, function] = fields;
    if (kind == "R" || kind == "A") return true;  // values
    const auto now = parse_time(time);
    if (!now) return false;
    spend_until(*now);
    const auto level = to_number<std::size_t>(depth);
    if (!level || *level == 0) return false;
    if (kind == "0") return enter(*level, function);
    if (kind == "1") return leave(*level);
    return false;
  }

  // The time since the last line was spent in the function that was entered
  // last and not left.
  void spend_until(std::int64_t now) {
    if (last_ && now < *last_) {
      profile_.diagnostics.note(Problem::kTimeDisorder);
      return;
    }
    if (last_ && now > *last_ && !open_.empty())
      samples_.add({.time = static_cast<std::uint64_t>(*last_),
                    .weight = now - *last_,
                    .stack = open_.back(),
                    .event = time_});
    last_ = now;
  }

  bool enter(std::size_t level, std::string_view function) {
    if (function.empty()) return false;
    const bool fits = level <= open_.size() + 1;
    if (level <= open_.size()) open_.resize(level - 1);
    const StackId caller = open_.empty() ? StackId::kRoot : open_.back();
    open_.push_back(profile_.stacks.push(
        caller, profile_.named_frame(without_separator(function))));
    samples_.add({.time = static_cast<std::uint64_t>(*last_),
                  .weight = 1,
                  .stack = open_.back(),
                  .event = calls_});
    return fits;
  }

  bool leave(std::size_t level) {
    if (level > open_.size()) return false;
    open_.resize(level - 1);
    return true;
  }

  Profile profile_;
  SampleCollector samples_;
  const EventId time_ = profile_.event_id("time", "microseconds");
  const EventId calls_ = profile_.event_id("calls", "calls");
  std::vector<StackId> open_;         // functions entered and not left
  std::optional<std::int64_t> last_;  // the time of the last line
  bool ended_ = false;
};

}  // namespace

extern const InputFormat xdebug_input = {
    .name = "xdebug",
    .description = "function traces of PHP's Xdebug (trace_format=1)",
    .sniff = sniff_xdebug,
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return XdebugReader(options).read(file);
        },
};

}  // namespace wick
