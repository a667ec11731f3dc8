// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <vector>

#include "base/text.h"
#include "render/text_report.h"
#include "render/text_table.h"
#include "transform/diff_cost.h"

namespace wick {
namespace {

using Align = TextTable::Align;

// "1,000,000", "2.5".
std::string number_of_runs(double runs, bool raw) {
  if (runs == std::floor(runs) && runs < 9e18)
    return number_text(std::llround(runs), raw);
  return fmt::format("{:g}", runs);
}

// "4.93 s in 5 runs, 987 ms per run", or just "4.93 s".
std::string cost_of_side(std::string weight, const DiffTable& table,
                         double whole, double runs, bool raw) {
  if (!table.shows_costs) return weight;
  return fmt::format("{} in {} {}{}, {} per {}", weight,
                     number_of_runs(runs, raw), table.work.unit,
                     runs == 1 ? "" : "s", cost_text(whole, table, raw),
                     table.work.unit);
}

// "1,234 samples" or "5,000,000 cycles", "4.93 s".
std::string weight_of_side(const DiffSide& side, int decimals, bool raw) {
  const std::int64_t ns = raw ? 0 : nanoseconds_in(side.unit);
  std::string weight = weight_text(
      side.weight, {.decimals = decimals, .unit_ns = ns, .raw = raw});
  if (ns > 0) return weight;
  const std::string unit = !side.unit.empty()    ? side.unit
                           : !side.event.empty() ? side.event
                                                 : "samples";
  return fmt::format("{} {}", weight, printable(unit, 40));
}

// "before: old.folded, 1,234 samples" or "…, 5,000,000 cycles worth 812
// samples".
std::string side_line(std::string_view role, std::string_view file,
                      const DiffSide& side, const DiffTable& table, bool raw) {
  const int decimals = table.graph.decimals;
  const bool is_before = &side == &table.before;
  const auto with_cost = [&](const std::string& weight) {
    const CostChange whole = cost_of(table.whole(), table);
    return cost_of_side(weight, table, is_before ? whole.before : whole.after,
                        is_before ? table.work.before : table.work.after, raw);
  };
  const std::string samples =
      number_text(std::llround(std::min(side.samples, 9e18)), raw);
  const std::string noun = samples == "1" ? " sample" : " samples";
  std::string line = fmt::format("{:<8}", fmt::format("{}:", role));
  if (!file.empty()) line += printable(file) + ", ";
  if (weight_text(side.weight, {.decimals = decimals, .raw = raw}) == samples)
    return line + with_cost(samples + noun) + "\n";
  return line +
         with_cost(weight_of_side(side, decimals, raw) + " worth " + samples +
                   noun) +
         "\n";
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
  ChangeTable(const DiffTable& diff, bool raw, std::string_view what)
      : diff_(diff), raw_(raw), table_(headings(diff, what)) {}

  void add(const Change& c, std::string name) {
    const bool sure = c.interval.excludes_zero();
    const std::string_view mark = c.is_new()    ? "new"
                                  : c.is_gone() ? "gone"
                                                : "";
    std::vector<std::string> cells;
    if (diff_.is_absolute) {
      cells = weights(c, cost_of(c, diff_));
    } else {
      cells = {percent(c.before_share), percent(c.after_share),
               points(c.points()),
               fmt::format("{:.2f}", 50 * (c.interval.high - c.interval.low)),
               sure ? "*" : ""};
      if (diff_.shows_costs) add_cost(cells, cost_of(c, diff_));
    }
    cells.emplace_back(mark);
    cells.push_back(std::move(name));
    table_.add(std::move(cells));
  }
  std::string text() const { return table_.text(); }

 private:
  static std::vector<TextTable::Heading> headings(const DiffTable& diff,
                                                  std::string_view what) {
    const std::string per = diff.is_absolute && diff.shows_costs
                                ? fmt::format("/{}", diff.work.unit)
                                : "";
    std::vector<TextTable::Heading> all{{"before" + per},
                                        {"after" + per},
                                        {"change"},
                                        {"±"},
                                        {"", Align::kLeft}};
    if (diff.is_absolute && diff.shows_costs) {
      all.push_back({"ratio"});
    } else if (diff.shows_costs) {
      all.push_back({fmt::format("before/{}", diff.work.unit)});
      all.push_back({fmt::format("after/{}", diff.work.unit)});
      all.push_back({"ratio"});
      all.push_back({"", Align::kLeft});
    }
    all.push_back({"", Align::kLeft});
    all.push_back({std::string(what), Align::kLeft});
    return all;
  }

  std::vector<std::string> weights(const Change& c,
                                   const CostChange& cost) const {
    const double half = (cost.interval.high - cost.interval.low) / 2;
    std::vector<std::string> cells{
        cost_text(cost.before, diff_, raw_), cost_text(cost.after, diff_, raw_),
        signed_cost_text(cost.after - cost.before, diff_, raw_)};
    // Nothing was divided, so all digits are known.
    if (raw_ && !diff_.shows_costs && !costs_are_times(diff_)) {
      const int decimals = diff_.graph.decimals;
      const std::int64_t change = c.after - c.before;
      cells = {format_decimal(c.before, decimals),
               format_decimal(c.after, decimals),
               (change > 0 ? "+" : "") + format_decimal(change, decimals)};
    }
    cells.push_back(cost_text(half, diff_, raw_));
    cells.emplace_back(cost.interval.excludes_zero() ? "*" : "");
    if (diff_.shows_costs) cells.push_back(ratio_cell(cost));
    return cells;
  }

  static std::string ratio_cell(const CostChange& cost) {
    return cost.before > 0 && cost.after > 0 ? ratio_text(cost) : "-";
  }

  void add_cost(std::vector<std::string>& cells, const CostChange& cost) const {
    cells.push_back(cost_text(cost.before, diff_, raw_));
    cells.push_back(cost_text(cost.after, diff_, raw_));
    cells.push_back(ratio_cell(cost));
    cells.push_back(cost.interval.excludes_zero() ? "*" : "");
  }

  const DiffTable& diff_;
  bool raw_;
  TextTable table_;
};

// The first rows, and a line about the rest.
template <class Rows, class ChangeOf, class NameOf>
std::string changes(const DiffTable& diff, const Rows& rows,
                    const WriteOptions& options, std::string_view what,
                    ChangeOf change_of, NameOf name_of) {
  const ReportOptions& report = options.report;
  ChangeTable table(diff, report.raw, what);
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
                     rest_line(rows.size(), options, what),
                     number_text(fresh, report.raw),
                     number_text(gone, report.raw),
                     report.raw ? fmt::format("{} {}", rows.size(), what)
                                : counted(rows.size(), one));
}

// What the numbers of the rows are.
std::string heading(const DiffTable& table, const WriteOptions& options) {
  const bool by_stack = options.report.by == ReportOptions::By::kStack;
  const bool by_self = options.report.sort == ReportOptions::Sort::kSelf;
  const std::string_view which = by_stack ? "the" : by_self ? "self" : "total";
  const std::string_view what = by_stack ? "stack" : "function";
  const std::string sure = fmt::format(
      "± with {:g}% confidence (* if that excludes 0)", table.confidence);
  const std::string per =
      table.shows_costs ? fmt::format(" per {}", table.work.unit) : "";
  if (table.is_absolute)
    return fmt::format("{} {} of each {}{}, absolute; {}", which,
                       table.shows_costs ? "cost" : "weight", what, per, sure);
  return fmt::format(
      "{} share of each {}, normalised; change in percentage points, {}{}",
      which, what, sure, per.empty() ? "" : "; cost" + per);
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
    std::ranges::stable_sort(rows, {}, [&](const FunctionChange& row) {
      return std::pair(-extent(row.self, table),
                       -std::max(row.self.before_share, row.self.after_share));
    });
  }
  return changes(
      table, by_self ? rows : table.functions, options, "functions", change_of,
      [](const FunctionChange& row) { return std::string_view(row.name); });
}

}  // namespace

std::string diff_report(const DiffTable& table, const WriteOptions& options,
                        const DiffNames& names) {
  const bool by_stack = options.report.by == ReportOptions::By::kStack;
  const bool raw = options.report.raw;
  std::string out =
      side_line("before", names.before, table.before, table, raw) +
      side_line("after", names.after, table.after, table, raw);
  out += "\n" + heading(table, options) + "\n";
  if (!by_stack) return out + function_changes(table, options);
  return out +
         changes(
             table, table.stacks, options, "stacks",
             [](const StackChange& row) -> const Change& { return row.change; },
             [&](const StackChange& row) {
               return stack_text(table.graph, row.leaf);
             });
}

}  // namespace wick
