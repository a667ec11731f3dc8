// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <vector>

#include "base/text.h"
#include "render/text_report.h"
#include "render/text_table.h"

namespace wick {
namespace {

using Align = TextTable::Align;

// "before: old.folded, 1,234 samples" or "…, 5,000,000 cycles worth 812
// samples".
std::string side_line(std::string_view role, std::string_view file,
                      const DiffSide& side, int decimals) {
  const std::string samples =
      with_commas(std::llround(std::min(side.samples, 9e18)));
  const std::string weight = weight_text(side.weight, decimals);
  std::string line = fmt::format("{:<8}", fmt::format("{}:", role));
  if (!file.empty()) line += printable(file) + ", ";
  const std::string_view noun = samples == "1" ? "sample" : "samples";
  if (weight == samples) return line + fmt::format("{} {}\n", samples, noun);
  const std::string unit = !side.unit.empty()    ? side.unit
                           : !side.event.empty() ? side.event
                                                 : "samples";
  return line + fmt::format("{} {} worth {} {}\n", weight, printable(unit, 40),
                            samples, noun);
}

std::string percent(double share) {
  return fmt::format("{:.2f}%", 100 * share);
}

// Without a sign if the change rounds to 0.
std::string points(double change) {
  if (std::abs(change) < 0.5e-4) return "0.00";
  return fmt::format("{:+.2f}", 100 * change);
}

class ChangeTable {
 public:
  explicit ChangeTable(std::string_view what)
      : table_({{"before"},
                {"after"},
                {"change"},
                {"±"},
                {"", Align::kLeft},
                {"", Align::kLeft},
                {std::string(what), Align::kLeft}}) {}

  void add(const Change& c, std::string name) {
    const bool sure = c.interval.excludes_zero();
    const std::string_view mark = c.is_new()    ? "new"
                                  : c.is_gone() ? "gone"
                                                : "";
    table_.add({percent(c.before_share), percent(c.after_share),
                points(c.points()),
                fmt::format("{:.2f}", 50 * (c.interval.high - c.interval.low)),
                sure ? "*" : "", std::string(mark), std::move(name)});
  }
  std::string text() const { return table_.text(); }

 private:
  TextTable table_;
};

// The first rows, and a line about the rest.
template <class Rows, class ChangeOf, class NameOf>
std::string changes(const Rows& rows, const WriteOptions& options,
                    std::string_view what, ChangeOf change_of, NameOf name_of) {
  ChangeTable table(what);
  const ReportOptions& report = options.report;
  const std::size_t shown =
      report.top <= 0 ? rows.size() : static_cast<std::size_t>(report.top);
  std::int64_t fresh = 0, gone = 0;
  for (const auto& row : rows) {
    fresh += change_of(row).is_new();
    gone += change_of(row).is_gone();
  }
  for (const auto& row : rows | std::views::take(shown))
    table.add(change_of(row), printable(name_of(row), report.name_width));
  const std::string_view one = what.substr(0, what.size() - 1);
  return fmt::format("{}{}  {} new, {} gone of {}\n", table.text(),
                     rest_line(rows.size(), options, what), with_commas(fresh),
                     with_commas(gone), counted(rows.size(), one));
}

std::string function_changes(const DiffTable& table,
                             const WriteOptions& options) {
  const bool by_self = options.report.sort == ReportOptions::Sort::kSelf;
  const auto change_of = [&](const FunctionChange& row) -> const Change& {
    return by_self ? row.self : row.total;
  };
  std::vector<FunctionChange> rows;
  if (by_self) {
    rows = table.functions;
    std::ranges::stable_sort(rows, {}, [](const FunctionChange& row) {
      return std::pair(-std::abs(row.self.points()),
                       -std::max(row.self.before_share, row.self.after_share));
    });
  }
  return changes(
      by_self ? rows : table.functions, options, "functions", change_of,
      [](const FunctionChange& row) { return std::string_view(row.name); });
}

}  // namespace

std::string diff_report(const DiffTable& table, const WriteOptions& options,
                        const DiffNames& names) {
  const int decimals = table.graph.decimals;
  const bool by_stack = options.report.by == ReportOptions::By::kStack;
  std::string out = side_line("before", names.before, table.before, decimals) +
                    side_line("after", names.after, table.after, decimals);
  out += fmt::format(
      "\n{} share of each {}; change in percentage points, ± with {:g}% "
      "confidence (* if that excludes 0)\n",
      options.report.sort == ReportOptions::Sort::kSelf && !by_stack ? "self"
      : by_stack                                                     ? "the"
                                                                     : "total",
      by_stack ? "stack" : "function", table.confidence);
  if (!by_stack) return out + function_changes(table, options);
  return out +
         changes(
             table.stacks, options, "stacks",
             [](const StackChange& row) -> const Change& { return row.change; },
             [&](const StackChange& row) {
               return stack_text(table.graph, row.leaf);
             });
}

}  // namespace wick
