// SPDX-License-Identifier: Apache-2.0
// GHC's time and allocation profile (`+RTS -p` or `-P`): a table of the most
// expensive cost centres, then the tree of them, of which this reads the
// `individual` numbers:
//
//                                              individual      inherited
//   COST CENTRE  MODULE  SRC        no.  entries  %time %alloc   %time %alloc
//
//   MAIN         MAIN    <built-in> 337        0    0.0    0.0   100.0  100.0
//    main        Main    Main.hs:9  676        1   12.5    3.1   100.0  100.0
//
// With -P, ticks and bytes follow. Without, the time is known to a tenth of a
// percent, which is a weight of 1. Cost centres with a weight of 0 are kept, as
// in inferno.
#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "format/tables/call_tree.h"
#include "io/line_reader.h"
#include "profile/format.h"

namespace wick {
namespace {

using GhcColumn = ReadOptions::GhcColumn;

// How many bytes the first `count` characters take, or all of `text`. GHC
// counts characters when it aligns columns.
std::size_t bytes_of(std::string_view text, std::size_t count) {
  std::string_view rest = text;
  while (count-- > 0 && !rest.empty()) take_utf8(rest);
  return text.size() - rest.size();
}

// Where the columns of the tree are.
struct GhcprofLayout {
  std::size_t module = 0;  // in characters
  std::size_t module_end = 0;
  bool has_ticks = false;
};

std::optional<GhcprofLayout> parse_ghcprof_header(std::string_view line) {
  if (!line.starts_with("COST CENTRE") || line.find("no.") == line.npos ||
      line.find("entries") == line.npos)
    return {};
  const std::size_t module = line.find("MODULE");
  if (module == line.npos) return {};
  // Old versions have no column SRC.
  const std::size_t end =
      std::min(line.find(" SRC", module), line.find(" no.", module));
  const std::string_view text = trim_right(line);
  return GhcprofLayout{.module = module,
                       .module_end = end,
                       .has_ticks = text.ends_with("bytes")};
}

bool is_percent(std::string_view word) {
  const std::size_t point = word.find('.');
  return point != word.npos && point + 2 == word.size() &&
         all_digits(word.substr(0, point)) && is_digit(word.back());
}

// Takes the last word from the end of `text`.
std::string_view take_last_word(std::string_view& text) {
  text = trim_right(text);
  std::size_t begin = text.size();
  while (begin > 0 && !is_space(text[begin - 1])) --begin;
  const std::string_view word = text.substr(begin);
  text.remove_suffix(word.size());
  return word;
}

// The numbers at the end of a row.
struct Numbers {
  std::string_view time, ticks, bytes;
};

// A row that was cut off must not be read with its columns shifted, so all of
// them are checked.
std::optional<Numbers> parse_numbers(std::string_view row, bool has_ticks) {
  Numbers numbers;
  if (has_ticks) {
    numbers.bytes = take_last_word(row);
    numbers.ticks = take_last_word(row);
    if (!all_digits(numbers.bytes) || !all_digits(numbers.ticks)) return {};
  }
  std::array<std::string_view, 4> percents;
  for (std::string_view& percent : percents) {
    percent = take_last_word(row);
    if (!is_percent(percent)) return {};
  }
  numbers.time = percents.back();
  const std::string_view entries = take_last_word(row);
  const std::string_view number = take_last_word(row);
  if (!all_digits(entries) || !all_digits(number)) return {};
  return numbers;
}

class GhcprofReader {
 public:
  explicit GhcprofReader(const ReadOptions& options)
      : options_(options), samples_(profile_, options.keep_time) {}

  Profile read(InputFile& file) {
    LineReader lines(file);
    std::optional<GhcprofLayout> layout;
    while (const auto line = lines.next()) {
      if (const auto header = parse_ghcprof_header(*line)) {
        layout = header;
        begin_table(*layout);
      } else if (layout && !trim(*line).empty() && !add(*line, *layout)) {
        profile_.diagnostics.note_at(Problem::kBadLine, *line, lines.number());
      }
    }
    if (!layout)
      fail(
          "has no line 'COST CENTRE … entries', so it is not a GHC profile, or "
          "it is truncated");
    return std::move(profile_);
  }

 private:
  void begin_table(const GhcprofLayout& layout) {
    switch (options_.ghc_column) {
      case GhcColumn::kTime:
        profile_.event_id("time", "permille");
        break;
      case GhcColumn::kTicks:
        profile_.event_id("ticks", "ticks");
        break;
      case GhcColumn::kBytes:
        profile_.event_id("alloc", "bytes");
        break;
    }
    if (options_.ghc_column != GhcColumn::kTime && !layout.has_ticks)
      fail("has no columns 'ticks' and 'bytes'; run the program with +RTS -P");
  }

  bool add(std::string_view line, const GhcprofLayout& layout) {
    const auto numbers = parse_numbers(line, layout.has_ticks);
    const std::size_t module_begin = bytes_of(line, layout.module);
    const std::size_t module_end = bytes_of(line, layout.module_end);
    const std::string_view centre = line.substr(0, module_begin);
    const std::string_view module =
        trim(line.substr(module_begin, module_end - module_begin));
    const std::size_t indent = centre.find_first_not_of(' ');
    if (!numbers || indent == centre.npos || module.empty()) return false;

    std::string name = std::string(module) + "." + std::string(trim(centre));
    std::ranges::replace(name, ';', ':');
    const FrameId frame =
        profile_.frames.intern({.function = profile_.strings.intern(name),
                                .module = profile_.module_id(module)});
    const StackId stack = tree_.push(profile_.stacks, indent, frame, 0,
                                     [](const CallTree::Line&) {});
    const auto weight = weight_of(*numbers);
    if (!weight) return false;
    samples_.add({.weight = *weight, .stack = stack});
    return true;
  }

  std::optional<std::int64_t> weight_of(const Numbers& numbers) const {
    switch (options_.ghc_column) {
      case GhcColumn::kTicks:
        return to_number<std::int64_t>(numbers.ticks);
      case GhcColumn::kBytes:
        return to_number<std::int64_t>(numbers.bytes);
      default: {
        // There is one digit after the point.
        std::string tenths(numbers.time);
        std::erase(tenths, '.');
        return to_number<std::int64_t>(tenths);
      }
    }
  }

  const ReadOptions& options_;
  Profile profile_;
  SampleCollector samples_;
  CallTree tree_;
};

bool sniff_ghcprof(std::string_view head) {
  for (int i = 0; i < 10 && !head.empty(); ++i)
    if (take_line(head).find(" Time and Allocation Profiling Report") !=
        head.npos)
      return true;
  return false;
}

}  // namespace

extern const InputFormat ghcprof_input = {
    .name = "ghcprof",
    .description = "GHC time and allocation profile (.prof)",
    .sniff = sniff_ghcprof,
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return GhcprofReader(options).read(file);
        },
};

}  // namespace wick
