// SPDX-License-Identifier: Apache-2.0
// The call tree that Xcode's Instruments copies to the clipboard (Edit > Deep
// Copy): columns separated by tabs, callees indented below their caller:
//
//   Weight<TAB>Self Weight<TAB><TAB>Symbol Name
//   1.20 s  100.0%<TAB>0 s<TAB> <TAB>app (4711)
//   1.20 s  100.0%<TAB>200.00 ms<TAB> <TAB> main
//
// Older versions say "Running Time" and "Self (ms)"; trees of allocations have
// "Bytes Used" and no column of the function's own. Times are milliseconds
// here, with the decimals that the text has.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "format/tables/call_tree.h"
#include "io/line_reader.h"
#include "profile/format.h"

namespace wick {
namespace {

// What a unit of Instruments is, in the unit of the event.
struct Unit {
  std::string_view name;
  std::string_view event, unit;
  std::int64_t factor = 1;
  int decimals = 0;  // less than 1: factor × 10^-decimals
};

constexpr std::array<Unit, 22> kUnits = {{
    {"ms", "time", "milliseconds"},
    {"s", "time", "milliseconds", 1000},
    {"min", "time", "milliseconds", 60'000},
    {"hr", "time", "milliseconds", 3'600'000},
    {"h", "time", "milliseconds", 3'600'000},
    {"us", "time", "milliseconds", 1, 3},
    {"\xc2\xb5s", "time", "milliseconds", 1, 3},
    {"\xce\xbcs", "time", "milliseconds", 1, 3},
    {"ns", "time", "milliseconds", 1, 6},
    {"Bytes", "bytes", "bytes"},
    {"bytes", "bytes", "bytes"},
    {"B", "bytes", "bytes"},
    {"KB", "bytes", "bytes", 1 << 10},
    {"KiB", "bytes", "bytes", 1 << 10},
    {"MB", "bytes", "bytes", 1 << 20},
    {"MiB", "bytes", "bytes", 1 << 20},
    {"GB", "bytes", "bytes", 1 << 30},
    {"GiB", "bytes", "bytes", 1 << 30},
    {"cycles", "cycles", "cycles"},
    {"Kc", "cycles", "cycles", 1000},
    {"Mc", "cycles", "cycles", 1'000'000},
    {"Gc", "cycles", "cycles", 1'000'000'000},
}};

struct Amount {
  Decimal number;
  Unit unit;
};

// The value that `text` begins with: "1.20 s  100.0%", "200.00 ms", "12.5ms".
std::optional<Amount> parse_amount(std::string_view text,
                                   std::string_view default_unit) {
  text = trim(text);
  std::string digits;
  while (!text.empty() && (is_digit(text.front()) || text.front() == '.' ||
                           text.front() == ',')) {
    if (text.front() != ',') digits += text.front();
    text.remove_prefix(1);
  }
  const auto number = to_decimal(digits);
  if (!number) return {};
  std::string_view name = take_word(text);
  if (name.empty() || is_digit(name.front())) name = default_unit;
  if (name.empty()) return Amount{*number, {"", "count", ""}};
  const auto unit = std::ranges::find(kUnits, name, &Unit::name);
  if (unit == kUnits.end()) return {};
  return Amount{*number, *unit};
}

// In the unit of the event, with `decimals` digits after the point.
std::int64_t value_of(const Amount& amount, int decimals) {
  const std::int64_t value =
      saturating_mul(amount.number.value, amount.unit.factor);
  const int more = decimals - amount.number.decimals - amount.unit.decimals;
  return more >= 0 ? saturating_mul(value, power_of_ten(more))
                   : value / power_of_ten(-more);
}

// Where the columns are.
struct InstrumentsLayout {
  std::size_t name = 0, total = 0;
  std::optional<std::size_t> self;
  std::string_view self_unit;  // where the header has it: "Self (ms)"
};

void split_tabs(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  while (line.find('\t') != line.npos) fields.push_back(take_until(line, '\t'));
  fields.push_back(line);
}

std::optional<InstrumentsLayout> parse_instruments_header(
    std::string_view line) {
  if (line.find("Symbol Name") == line.npos) return {};
  std::vector<std::string_view> fields;
  split_tabs(line, fields);
  InstrumentsLayout layout;
  bool named = false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view title = trim(fields[i]);
    if (title == "Symbol Name") {
      layout.name = i;
      named = true;
    } else if (title == "Self" || title.starts_with("Self ")) {
      layout.self = i;
      if (title.ends_with("(ms)")) layout.self_unit = "ms";
      if (title.ends_with("(us)")) layout.self_unit = "us";
    }
  }
  if (!named || layout.name == 0) return {};
  return layout;
}

class InstrumentsReader {
 public:
  explicit InstrumentsReader(const ReadOptions& options)
      : samples_(profile_, options.keep_time) {}

  Profile read(InputFile& file) {
    LineReader lines(file);
    std::optional<InstrumentsLayout> layout;
    while (const auto line = lines.next()) {
      if (trim(*line).empty()) continue;
      if (const auto header = parse_instruments_header(*line)) {
        layout = header;
        continue;
      }
      if (!layout)
        fail(
            "has no header with 'Symbol Name'; copy the call tree with Edit > "
            "Deep Copy");
      split_tabs(*line, fields_);
      if (!add(*layout))
        profile_.diagnostics.note_at(Problem::kBadLine, *line, lines.number());
    }
    tree_.close(0, [this](const CallTree::Line& line) { end_line(line); });
    return std::move(profile_);
  }

 private:
  bool add(const InstrumentsLayout& layout) {
    if (fields_.size() <= std::max(layout.name, layout.self.value_or(0)))
      return false;
    const std::string_view cell = fields_[layout.name];
    const std::string_view name = trim(cell);
    const auto amount =
        layout.self ? parse_amount(fields_[*layout.self], layout.self_unit)
                    : parse_amount(fields_[layout.total], "");
    if (name.empty() || !amount) return false;

    std::string function(name);
    std::ranges::replace(function, ';', ':');
    const StackId stack = tree_.push(
        profile_.stacks, cell.find_first_not_of(' '),
        profile_.named_frame(function), layout.self ? 0 : total_of(*amount),
        [this](const CallTree::Line& line) { end_line(line); });
    if (layout.self) add_self(*amount, stack);
    return true;
  }

  std::int64_t total_of(const Amount& amount) {
    if (amount.number.value == 0) return 0;
    constexpr int kMicroseconds = 3;  // digits of a millisecond
    event_ = profile_.event_id(amount.unit.event, amount.unit.unit);
    if (amount.unit.event == "time")
      raise_decimals(profile_, event_, kMicroseconds);
    return value_of(amount, profile_.events[event_].decimals);
  }

  void add_self(const Amount& amount, StackId stack) {
    if (amount.number.value == 0) return;
    const EventId event =
        profile_.event_id(amount.unit.event, amount.unit.unit);
    raise_decimals(
        profile_, event,
        std::min(amount.number.decimals + amount.unit.decimals, kMaxDecimals));
    samples_.add({.weight = value_of(amount, profile_.events[event].decimals),
                  .stack = stack,
                  .event = event});
  }

  // Without a column of its own weight, a function gets the rest.
  void end_line(const CallTree::Line& line) {
    if (line.self() > 0)
      samples_.add(
          {.weight = line.self(), .stack = line.stack, .event = event_});
  }

  Profile profile_;
  SampleCollector samples_;
  CallTree tree_;
  EventId event_{0};
  std::vector<std::string_view> fields_;
};

bool sniff_instruments(std::string_view head) {
  const std::string_view first = take_line(head);
  return first.find('\t') != first.npos &&
         parse_instruments_header(first).has_value();
}

}  // namespace

extern const InputFormat instruments_input = {
    .name = "instruments",
    .description = "Xcode Instruments call tree (Edit > Deep Copy)",
    .sniff = sniff_instruments,
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return InstrumentsReader(options).read(file);
        },
};

}  // namespace wick
