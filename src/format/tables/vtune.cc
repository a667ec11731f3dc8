// SPDX-License-Identifier: Apache-2.0
// VTune's top-down call tree as CSV. Callees are indented below their caller,
// and the header says which columns there are:
//
//   Function Stack,CPU Time:Self,Module
//   Total,0.0,[Unknown]
//    main,0.25,app
//     "parse<int, char>",1.5,app
//
// Times are seconds; folded output counts milliseconds, as in inferno. The
// rounding error is noted. A second reader takes the reports of memory
// consumption, whose columns are allocations and bytes.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "format/tables/call_tree.h"
#include "format/tables/csv.h"
#include "io/line_reader.h"
#include "profile/format.h"

namespace wick {
namespace {

constexpr std::string_view kFirstColumn = "Function Stack";

// The header's separator, if `line` is a header.
std::optional<char> separator_of(std::string_view line) {
  line = without_byte_order_mark(line);
  if (line.starts_with('"')) line.remove_prefix(1);
  if (!line.starts_with(kFirstColumn)) return {};
  line.remove_prefix(kFirstColumn.size());
  if (line.starts_with('"')) line.remove_prefix(1);
  if (line.empty() ||
      std::string_view(",;\t|").find(line.front()) == std::string_view::npos)
    return {};
  return line.front();
}

// What a column measures.
struct Measure {
  std::size_t column = 0;
  EventId event{0};
  bool is_seconds = false;
};

class Header {
 public:
  Header(std::string_view line, char separator) {
    split_csv(without_byte_order_mark(line), separator, names_);
    constexpr std::size_t kMostColumns = 1000;
    if (names_.size() > kMostColumns)
      fail("has a header of {} columns; at most {} are read", names_.size(),
           kMostColumns);
    for (std::string& name : names_) name = std::string(trim(name));
  }

  std::optional<std::size_t> column(std::string_view name) const {
    const auto at = std::ranges::find(names_, name);
    if (at == names_.end()) return {};
    return at - names_.begin();
  }

  // The columns whose values add up to `name`: itself, or else the finest
  // parts of it, as "CPU Time:Self:Spin Time" is one of "CPU Time:Self".
  std::vector<std::size_t> parts(std::string_view name) const {
    if (const auto at = column(name)) return {*at};
    const std::string prefix = std::string(name) + ":";
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i].starts_with(prefix) && !is_divided(names_[i]))
        found.push_back(i);
    return found;
  }

  // The first column that counts what a function itself does.
  std::optional<std::size_t> any_self() const {
    for (std::size_t i = 1; i < names_.size(); ++i)
      if (names_[i].ends_with(":Self")) return i;
    return {};
  }

  const std::string& name(std::size_t column) const { return names_[column]; }

 private:
  bool is_divided(const std::string& name) const {
    return std::ranges::any_of(names_, [&](const std::string& other) {
      return other.size() > name.size() && other.starts_with(name + ":");
    });
  }

  std::vector<std::string> names_;
};

class VtuneReader {
 public:
  VtuneReader(const ReadOptions& options, bool memory)
      : options_(options),
        memory_(memory),
        samples_(profile_, options.keep_time) {}

  Profile read(InputFile& file) {
    LineReader lines(file);
    std::optional<char> separator;
    while (!separator) {
      const auto line = lines.next();
      if (!line)
        fail(
            "has no header that begins with 'Function Stack'; make the report "
            "with -report top-down -format csv -csv-delimiter comma");
      separator = separator_of(*line);
      if (separator) choose_columns({*line, *separator});
    }
    while (const auto line = lines.next()) {
      if (trim(*line).empty()) continue;
      split_csv(*line, *separator, fields_);
      if (!read_row())
        profile_.diagnostics.note_at(Problem::kBadLine, *line, lines.number());
    }
    if (rounded_ > 0)
      profile_.diagnostics.note(
          Problem::kRounded, rounded_,
          std::max<std::int64_t>(std::llround(lost_ms_), 0));
    return std::move(profile_);
  }

 private:
  void choose_columns(const Header& header) {
    module_ = header.column("Module");
    const auto measure = [&](std::string_view column, std::string_view event,
                             std::string_view unit, bool is_seconds) {
      for (const std::size_t at : header.parts(column))
        measures_.push_back({at, profile_.event_id(event, unit), is_seconds});
    };
    if (memory_) {
      // The first event is the one that is folded.
      const auto count = [&] {
        measure("Allocations:Self", "allocations", "allocations", false);
      };
      if (!options_.allocation_size) count();
      measure("Allocation Size:Self", "allocated", "bytes", false);
      if (options_.allocation_size) count();
      measure("Deallocation Size:Self", "deallocated", "bytes", false);
    } else {
      measure("CPU Time:Self", "cpu-time", "ms", true);
      if (measures_.empty()) measure("CPU Time", "cpu-time", "ms", true);
      const auto self = header.any_self();
      if (measures_.empty() && self) {
        const std::string_view name = header.name(*self);
        measure(name, name.substr(0, name.rfind(':')), "", false);
      }
    }
    if (measures_.empty())
      fail("has no column '{}'; name it with -column when making the report",
           memory_ ? "Allocations:Self" : "CPU Time:Self");
  }

  bool read_row() {
    const std::string& first = fields_.front();
    const std::size_t indent = first.find_first_not_of(' ');
    const StackId stack = tree_.push(
        profile_.stacks, indent == first.npos ? first.size() : indent,
        frame_of(trim(first)), 0, [](const CallTree::Line&) {});
    bool good = true;
    for (const Measure& measure : measures_) {
      if (measure.column >= fields_.size() ||
          !add(measure, trim(fields_[measure.column]), stack))
        good = false;
    }
    return good;
  }

  FrameId frame_of(std::string_view function) {
    std::string_view module;
    if (module_ && *module_ < fields_.size()) module = trim(fields_[*module_]);
    std::string name(function);
    if (!module.empty() && !options_.no_modules)
      name = memory_ ? name + "(" + std::string(module) + ")"
                     : std::string(module) + "`" + name;
    std::ranges::replace(name, ';', ':');
    return profile_.frames.intern({.function = profile_.strings.intern(name),
                                   .module = module.empty()
                                                 ? ModuleId::kUnknown
                                                 : profile_.module_id(module)});
  }

  bool add(const Measure& measure, std::string_view text, StackId stack) {
    if (text.empty()) return true;                   // nothing of this kind
    if (text.ends_with('s')) text.remove_suffix(1);  // "1.25s"
    const auto number = to_decimal(text);
    if (!number) return false;
    if (number->value == 0) return true;
    if (measure.is_seconds) {
      samples_.add({.weight = milliseconds(*number),
                    .stack = stack,
                    .event = measure.event});
      return true;
    }
    raise_decimals(profile_, measure.event, number->decimals);
    const int more = profile_.events[measure.event].decimals - number->decimals;
    samples_.add({.weight = saturating_mul(number->value, power_of_ten(more)),
                  .stack = stack,
                  .event = measure.event});
    return true;
  }

  std::int64_t milliseconds(const Decimal& seconds) {
    if (seconds.decimals <= 3)
      return saturating_mul(seconds.value, power_of_ten(3 - seconds.decimals));
    const std::int64_t divisor = power_of_ten(seconds.decimals - 3);
    const std::int64_t half = seconds.value < 0 ? -divisor / 2 : divisor / 2;
    const std::int64_t whole = saturating_add(seconds.value, half) / divisor;
    ++rounded_;
    lost_ms_ += static_cast<double>(seconds.value - whole * divisor) /
                static_cast<double>(divisor);
    return whole;
  }

  const ReadOptions& options_;
  bool memory_;
  Profile profile_;
  SampleCollector samples_;
  std::vector<Measure> measures_;
  std::optional<std::size_t> module_;
  CallTree tree_;
  std::vector<std::string> fields_;
  std::uint64_t rounded_ = 0;
  double lost_ms_ = 0;
};

// The header of `head`; only blank lines and VTune's own warnings may precede
// it.
std::string_view header_of(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = take_line(head);
    if (separator_of(line)) return line;
    if (!trim(line).empty() && !line.starts_with("war:")) return {};
  }
  return {};
}

bool is_memory(std::string_view header) {
  return header.find("Allocation") != header.npos;
}

}  // namespace

extern const InputFormat vtune_input = {
    .name = "vtune",
    .description = "VTune top-down report as CSV",
    .sniff =
        [](std::string_view head) {
          const std::string_view header = header_of(head);
          return !header.empty() && !is_memory(header);
        },
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return VtuneReader(options, false).read(file);
        },
};

extern const InputFormat vtune_memory_input = {
    .name = "vtune-mc",
    .description = "VTune memory-consumption report as CSV",
    .sniff = [](std::string_view head) { return is_memory(header_of(head)); },
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return VtuneReader(options, true).read(file);
        },
};

}  // namespace wick
