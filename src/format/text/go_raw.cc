// SPDX-License-Identifier: Apache-2.0
// The text of `go tool pprof -raw`:
//
//   PeriodType: cpu nanoseconds
//   Samples:
//   samples/count cpu/nanoseconds[dflt]
//             2   20000000: 1 2
//                   thread:[worker]            labels of the sample above
//   Locations
//        1: 0x49923d M=1 strings.(*Builder).grow /src/builder.go:68 s=0
//                strings.Repeat /src/strings.go:545 s=0
//        2: 0x4b1844 M=1 main.main /home/me/main.go:7:0 s=0
//   Mappings
//   1: 0x400000/0x4b2000/0x0 /home/me/shop abcdef [FN]
//
// Every column of values is an event. The lines of a location are functions
// inlined into the last of them; other tools keep only the first. Samples refer
// to locations that come later, so the text is read twice.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "format/common/source_place.h"
#include "format/text/text_stacks.h"

namespace wick {
namespace {

bool sniff_go_raw(std::string_view head) {
  bool seen_period = false;
  return any_head_line(head, 200, [&](std::string_view line) {
    if (line.starts_with("PeriodType: ") || line.starts_with("Period: "))
      seen_period = true;
    return seen_period && line == "Samples:";
  });
}

// "1:" or "1: ": the number in front of a location or mapping.
std::optional<std::uint64_t> take_id(std::string_view& text) {
  std::string_view rest = text;
  std::string_view word = take_word(rest);
  if (!word.ends_with(':')) return {};
  const auto id = to_number<std::uint64_t>(word.substr(0, word.size() - 1));
  if (id) text = rest;
  return id;
}

struct CodeLine {
  std::string_view function, file;
  std::uint32_t line = 0;
};

// "main.main /home/me/main.go:7:0 s=0", from its end; blanks may be in the
// function's name. Nothing but the function is required.
CodeLine parse_code_line(std::string_view text) {
  text = trim(text);
  CodeLine code;
  const std::size_t start = text.rfind(" s=");
  if (start != text.npos) text = trim_right(text.substr(0, start));
  const std::size_t blank = text.rfind(' ');
  const auto place = parse_source_place(
      blank == text.npos ? std::string_view() : text.substr(blank + 1));
  if (!place) {
    code.function = text;
    return code;
  }
  code.function = trim_right(text.substr(0, blank));
  code.file = place->file;
  code.line = place->line;
  return code;
}

class GoRawReader {
 public:
  explicit GoRawReader(const ReadOptions& options)
      : options_(options),
        stack_(profile_, options),
        samples_(profile_, options.keep_time) {}

  Profile read(InputFile& file) {
    const std::string_view text = file.bytes();
    inlined_left_ = 1'000'000 + text.size();
    go_through(text, &GoRawReader::read_mapping, "Mappings");
    go_through(text, &GoRawReader::read_location, "Locations");
    seen_ = {};
    go_through(text, &GoRawReader::read_sample, "Samples:");
    if (!seen_.samples || !seen_.locations)
      profile_.diagnostics.note_at(
          Problem::kTruncated, seen_.samples ? "no locations" : "no samples");
    return std::move(profile_);
  }

 private:
  using ReadLine = bool (GoRawReader::*)(std::string_view);

  static bool is_section(std::string_view line) {
    return line == "Samples:" || line == "Locations" || line == "Mappings";
  }

  // Gives the lines of one section to `read_line`.
  void go_through(std::string_view text, ReadLine read_line,
                  std::string_view section) {
    bool inside = false;
    std::uint64_t number = 0;
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      ++number;
      if (is_section(line)) {
        inside = line == section;
        if (line == "Samples:") seen_.samples = true;
        if (line == "Locations") seen_.locations = true;
      } else if (inside && !trim(line).empty() && !(this->*read_line)(line)) {
        profile_.diagnostics.note_at(Problem::kBadLine, line, number);
      }
    }
  }

  // "1: 0x400000/0x4b2000/0x0 /home/me/shop buildid [FN]".
  bool read_mapping(std::string_view line) {
    const auto id = take_id(line);
    if (!id) return false;
    take_word(line);  // start/limit/offset
    // The build id may be missing between the two blanks.
    line = trim(line);
    if (line.ends_with(']')) line = trim(line.substr(0, line.rfind('[')));
    const std::string_view path = line.substr(0, line.rfind(' '));
    const std::string_view last = line.substr(
        line.rfind(' ') == line.npos ? line.size() : line.rfind(' ') + 1);
    const bool has_build_id = all_hex_digits(last) && last.size() >= 8;
    modules_[*id] = has_build_id ? profile_.module_id(trim(path), last)
                                 : profile_.module_id(line);
    return true;
  }

  // "1: 0x49923d M=1 function file:line s=0", or a further line of the same.
  bool read_location(std::string_view line) {
    const auto id = take_id(line);
    if (id) {
      location_ = &locations_[*id];
      place_ = {};
      std::string_view rest = line;
      const std::string_view address = take_word(rest);
      if (!address.starts_with("0x")) return false;
      if (options_.keep_addresses)
        place_.address =
            to_number<std::uint64_t>(address.substr(2), 16).value_or(0);
      line = rest;
      if (trim(rest).starts_with("M=")) {
        const auto module = to_number<std::uint64_t>(take_word(rest).substr(2));
        if (module && modules_.contains(*module))
          place_.module = modules_[*module];
        line = rest;
      }
      if (trim(line).starts_with("[F]")) line = trim(line).substr(3);
    }
    if (location_ == nullptr) return false;
    const CodeLine code = parse_code_line(line);
    if (code.function.empty() && !location_->empty()) return false;
    Frame frame = place_;
    frame.function = profile_.strings.intern(without_separator(code.function));
    frame.file = profile_.strings.intern(code.file);
    frame.line = code.line;
    if (!location_->empty()) location_->back().kind = FrameKind::kInlined;
    location_->push_back(frame);
    return true;
  }

  // The names of the columns, then "values: locations" or labels.
  bool read_sample(std::string_view line) {
    if (events_.empty()) return read_events(line);
    const std::size_t colon = line.find(':');
    if (colon == line.npos) return false;
    std::string_view values = line.substr(0, colon);
    std::vector<std::int64_t> weights;
    while (!trim(values).empty() && weights.size() <= events_.size()) {
      const auto value = to_number<std::int64_t>(take_word(values));
      if (!value) return is_blank(line.front());  // "  key:[value]"
      weights.push_back(*value);
    }
    if (weights.size() != events_.size()) return false;
    push_stack(line.substr(colon + 1));
    if (stack_.empty()) profile_.diagnostics.note(Problem::kNoStack);
    const StackId stack = stack_.take_stack();
    for (std::size_t i = 0; i < events_.size(); ++i)
      samples_.add({.weight = weights[i], .stack = stack, .event = events_[i]});
    return true;
  }

  bool read_events(std::string_view line) {
    while (!trim(line).empty()) {
      std::string_view type = take_word(line);
      if (type.ends_with("[dflt]")) type.remove_suffix(6);
      const std::string_view name = take_until(type, '/');
      events_.push_back(profile_.event_id(name, type));
    }
    return true;
  }

  void push_stack(std::string_view ids) {
    stack_.clear();
    while (!trim(ids).empty()) {
      const auto id = to_number<std::uint64_t>(take_word(ids));
      const auto location = id ? locations_.find(*id) : locations_.end();
      if (location == locations_.end()) {
        profile_.diagnostics.note(Problem::kBadRecord);
        stack_.push("");
        continue;
      }
      push_location(location->second);
    }
  }

  // `frames` from the innermost inlined one to the code that contains all.
  void push_location(const std::vector<Frame>& frames) {
    const std::size_t inlined = frames.empty() ? 0 : frames.size() - 1;
    const bool fits = inlined <= inlined_left_;
    if (fits)
      inlined_left_ -= inlined;
    else
      profile_.diagnostics.note(Problem::kDeepStack, inlined);
    stack_.frames().insert(stack_.frames().end(),
                           fits ? frames.begin() : frames.end() - 1,
                           frames.end());
  }

  const ReadOptions& options_;
  Profile profile_;
  StackBuffer stack_;
  // Frames that inlining may still add to stacks. A few bytes can refer to a
  // location of any size many times.
  std::size_t inlined_left_ = 0;
  SampleCollector samples_;
  std::unordered_map<std::uint64_t, ModuleId> modules_;
  std::unordered_map<std::uint64_t, std::vector<Frame>> locations_;
  std::vector<Frame>* location_ = nullptr;  // the one being read
  Frame place_;                             // its address and module
  std::vector<EventId> events_;             // of the columns
  struct {
    bool samples = false, locations = false;
  } seen_;
};

}  // namespace

extern const InputFormat go_raw_input = {
    .name = "go-raw",
    .description = "the text of go tool pprof -raw",
    .sniff = sniff_go_raw,
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return GoRawReader(options).read(file);
        },
};

}  // namespace wick
