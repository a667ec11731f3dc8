// SPDX-License-Identifier: Apache-2.0
// TracerV's output format 2: not the instructions but the calls that FirePerf
// derived from them inside the simulator.
//
//   Indent: 1, Start label: start_kernel, At cycle: 1000
//   Indent: 2, Start label: setup_arch, At cycle: 1200
//   Indent: 2, End label: setup_arch, End cycle: 1900
//   WARN: STACK ZEROED WHEN WE WERE LOOKING FOR LABEL: f, iaddr 0x…
//
// The time between two lines was spent in the stack before the second. Where
// FirePerf had lost the stack, it goes to the root, so every cycle between the
// first line and the last is in the profile. C++ labels contain commas, and old
// files write labels as "<name>:". Calls are a second event.
//
// The end of a call may precede the cycle of an earlier line: FirePerf writes
// the cycle of the function's own last instruction.
#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"
#include "io/line_reader.h"
#include "itrace/formats/line_trace.h"
#include "itrace/formats/tracerv_layout.h"
#include "profile/format.h"

namespace wick {
namespace {

constexpr std::size_t kMaxDepth = 1 << 16;

struct TracervLabelsLine {
  std::uint64_t depth = 0, cycle = 0;
  bool is_start = false;
  std::string_view name;
};

std::string_view without_brackets(std::string_view name) {
  if (name.ends_with(">:") && name.starts_with('<'))
    return name.substr(1, name.size() - 3);
  return name;
}

bool parse_tracerv_labels(std::string_view text, TracervLabelsLine& line) {
  LineCursor cursor(text);
  if (!cursor.text("Indent: ") || !cursor.decimal(line.depth) ||
      !cursor.text(", "))
    return false;
  line.is_start = cursor.text("Start label: ");
  if (!line.is_start && !cursor.text("End label: ")) return false;
  const std::string_view mark =
      line.is_start ? ", At cycle: " : ", End cycle: ";
  const std::size_t end = cursor.rest().rfind(mark);
  if (end == std::string_view::npos || end == 0) return false;
  line.name = without_brackets(cursor.rest().substr(0, end));
  LineCursor after(cursor.rest().substr(end + mark.size()));
  return after.decimal(line.cycle) && after.at_end() &&
         line.cycle <= INT64_MAX && line.depth > 0;
}

bool sniff_tracerv_labels(std::string_view head) {
  head.remove_prefix(tracerv_header(head).size);
  return any_head_line(head, 20, [](std::string_view text) {
    TracervLabelsLine line;
    return parse_tracerv_labels(text, line);
  });
}

class TracervLabelsReader {
 public:
  explicit TracervLabelsReader(const ReadOptions& options)
      : samples_(profile_, options.keep_time) {
    profile_.has_time = options.keep_time;
    profile_.is_trace = true;
    profile_.events[cycles_].time = TimeKind::kTraceClock;
  }

  Profile read(InputFile& file) {
    const TracervHeader header = tracerv_header(file.head());
    if (header.size > 0) profile_.set_about("clock", header.clock_domain);
    LineReader lines(file);
    while (const auto line = lines.next())
      if (!read_line(*line))
        profile_.diagnostics.note_at(Problem::kBadLine, *line, lines.number());
    profile_.set_about(kAboutTraceSummary,
                       with_commas(cycles_spent_) + " cycles, " +
                           with_commas(calls_made_) + " calls");
    return std::move(profile_);
  }

 private:
  bool read_line(std::string_view text) {
    if (text.empty() || text.starts_with('#')) return true;
    if (text.starts_with("WARN: ")) {
      // Further warnings are about the same loss.
      if (text.starts_with("WARN: STACK ZEROED"))
        profile_.diagnostics.note_at(Problem::kBadStack, text);
      return true;
    }
    TracervLabelsLine line;
    if (!parse_tracerv_labels(text, line)) return false;
    spend_until(line.cycle);
    return line.is_start ? enter(line) : leave(line);
  }

  void spend_until(std::uint64_t now) {
    if (last_ && now < *last_) {
      profile_.diagnostics.note(Problem::kTimeDisorder);
      return;
    }
    if (last_ && now > *last_) {
      if (open_.empty()) profile_.diagnostics.note(Problem::kNoStack);
      const auto lasted = static_cast<std::int64_t>(now - *last_);
      samples_.add({.time = *last_,
                    .weight = lasted,
                    .stack = open_.empty() ? StackId::kRoot : open_.back(),
                    .event = cycles_});
      cycles_spent_ += lasted;
    }
    last_ = now;
  }

  // Returns false, but carries on as well as possible, if the depth of a line
  // does not follow from the previous lines.
  bool enter(const TracervLabelsLine& line) {
    const bool fits = line.depth == open_.size() + 1;
    if (line.depth <= open_.size()) open_.resize(line.depth - 1);
    if (open_.size() == kMaxDepth) return false;
    std::string name(line.name);
    for (char& c : name)
      if (c == ';') c = ':';  // folded stacks separate frames by it
    const StackId caller = open_.empty() ? StackId::kRoot : open_.back();
    open_.push_back(profile_.stacks.push(caller, profile_.named_frame(name)));
    samples_.add(
        {.time = *last_, .weight = 1, .stack = open_.back(), .event = calls_});
    ++calls_made_;
    return fits;
  }

  bool leave(const TracervLabelsLine& line) {
    if (line.depth > open_.size()) return false;
    const bool fits = line.depth == open_.size();
    open_.resize(line.depth - 1);
    return fits;
  }

  Profile profile_;
  SampleCollector samples_;
  const EventId cycles_ = profile_.event_id("cycles", "cycles");
  const EventId calls_ = profile_.event_id("calls", "calls");
  std::vector<StackId> open_;          // calls that have not ended yet
  std::optional<std::uint64_t> last_;  // the cycle of the last line
  std::int64_t cycles_spent_ = 0, calls_made_ = 0;
};

}  // namespace

extern const InputFormat tracerv_labels_input = {
    .name = "tracerv-labels",
    .description = "call labels of FireSim's TracerV (output format 2)",
    .sniff = sniff_tracerv_labels,
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return TracervLabelsReader(options).read(file);
        },
};

}  // namespace wick
