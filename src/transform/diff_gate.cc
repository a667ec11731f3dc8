// SPDX-License-Identifier: Apache-2.0
#include "transform/diff_gate.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "base/time_text.h"
#include "transform/diff_cost.h"

namespace wick {
namespace {

class GateParser {
 public:
  explicit GateParser(std::string_view text) : text_(text) {}

  Gate parse() const {
    // The expression may hold < and > itself: the last one counts.
    const std::size_t at = text_.find_last_of("<>");
    if (at == text_.npos) bad("has neither > nor <");
    const std::string_view name = trim(text_.substr(0, at));
    if (name.empty()) bad("names no function");
    Gate gate{.text = std::string(text_), .growth = text_[at] == '>'};
    const std::string_view limit = trim(text_.substr(at + 1));
    if (limit.ends_with('x'))
      set_ratio(gate, limit);
    else
      set_difference(gate, limit);
    if (name != "total")
      gate.function = Regex(name);
    else if (gate.measure == GateMeasure::kShare)
      fail_usage(
          "'{}': the share of the whole program is always 100%; limit its cost "
          "(total>1.05x), or write ^total$ for functions of that name",
          text_);
    return gate;
  }

 private:
  [[noreturn]] void bad(std::string_view why) const {
    fail_usage(
        "'{}': {}; expected 'REGEX>+2%', 'REGEX>+50ms' or 'REGEX>1.05x', or < "
        "for a decrease ('REGEX<-2%')",
        text_, why);
  }

  void set_ratio(Gate& gate, std::string_view limit) const {
    const std::string_view number = limit.substr(0, limit.size() - 1);
    const auto ratio = to_double(number);
    if (!ratio || !std::isfinite(*ratio) || *ratio < 0)
      bad(fmt::format("'{}' is not a ratio", number));
    if (gate.growth && *ratio < 1) bad("a ratio after > is at least 1");
    if (!gate.growth && *ratio > 1) bad("a ratio after < is at most 1");
    gate.measure = GateMeasure::kRatio;
    gate.limit = *ratio;
  }

  void set_difference(Gate& gate, std::string_view limit) const {
    if (gate.growth && limit.starts_with('+')) limit.remove_prefix(1);
    std::optional<double> number;
    if (limit.ends_with('%')) {
      number = to_double(limit.substr(0, limit.size() - 1));
      if (number) *number /= 100;
    } else {
      gate.measure = GateMeasure::kTime;
      number = parse_time(limit);
    }
    if (!number || !std::isfinite(*number))
      bad(fmt::format("'{}' is not a percentage, a time or a ratio", limit));
    if (gate.growth && limit.starts_with('-')) bad("growth cannot be negative");
    if (!gate.growth && !limit.starts_with('-'))
      bad("a decrease needs a minus sign");
    gate.limit = *number;
  }

  std::string_view text_;
};

// How a function or the whole program stands to a gate.
struct Verdict {
  bool over = false;  // beyond the limit
  Interval interval;  // of the change
  std::string change;
};

Verdict judge_share(const Gate& gate, const Change& c, double confidence) {
  return {
      .over = gate.growth ? c.points() > gate.limit : c.points() < gate.limit,
      .interval = c.interval,
      .change = fmt::format(
          "from {:.2f}% to {:.2f}%: {:+.2f} points (between {:+.2f} and "
          "{:+.2f} with {:g}% confidence)",
          100 * c.before_share, 100 * c.after_share, 100 * c.points(),
          100 * c.interval.low, 100 * c.interval.high, confidence)};
}

Verdict judge_cost(const Gate& gate, const Change& change,
                   const DiffTable& table) {
  const CostChange cost = cost_of(change, table);
  const bool by_time = gate.measure == GateMeasure::kTime;
  const double seen = by_time ? cost.after - cost.before : cost.ratio();
  return {
      .over = gate.growth ? seen > gate.limit : seen < gate.limit,
      .interval = cost.interval,
      .change = fmt::format(
          "from {} to {} per {}: {}, {} (between {} and {} with {:g}% "
          "confidence)",
          cost_text(cost.before, table), cost_text(cost.after, table),
          table.work.unit, signed_cost_text(cost.after - cost.before, table),
          ratio_text(cost), signed_cost_text(cost.interval.low, table),
          signed_cost_text(cost.interval.high, table), table.confidence)};
}

void check_one(const Gate& gate, const DiffTable& table, std::string_view name,
               const Change& change, GateResult& result) {
  const Verdict verdict = gate.measure == GateMeasure::kShare
                              ? judge_share(gate, change, table.confidence)
                              : judge_cost(gate, change, table);
  if (!verdict.over) return;
  const std::string what =
      fmt::format("{} {} {}, more than {}", name,
                  gate.growth ? "grew" : "shrank", verdict.change, gate.text);
  if (gate.growth ? verdict.interval.low > 0 : verdict.interval.high < 0)
    result.reasons.push_back(what);
  else
    result.doubts.push_back(what + ", but that may be chance");
}

// Whether a function that is nowhere may be in such code.
bool needs_a_match(const NameGap& gap) {
  return gap.kind == NameGapKind::kOneSide || gap.kind == NameGapKind::kNoNames;
}

// Whether the change of a function may be due to the gap.
bool hides(const NameGap& gap, const FunctionChange& row) {
  const Change& change = row.total;
  switch (gap.kind) {
    case NameGapKind::kOneSide:
      return change.is_new() || change.is_gone();
    case NameGapKind::kBuilds:
    case NameGapKind::kFileOfOneSide:
      return gap.functions.contains(row.name);
    case NameGapKind::kNoNames:
      // Less code than half of the function's hides no more than a part of it.
      return !gap.is_on_both_sides &&
             (gap.is_before ? change.is_new() : change.is_gone()) &&
             gap.share >= std::abs(change.points()) / 2;
  }
  return false;
}

}  // namespace

Gate parse_gate(std::string_view text) { return GateParser(text).parse(); }

GateResult check(const Gate& gate, const DiffTable& table) {
  if (gate.measure != GateMeasure::kShare)
    check_comparable(table, gate.measure == GateMeasure::kTime);
  GateResult result;
  if (!gate.function) {
    result.matched = true;
    check_one(gate, table, "the whole program", table.whole(), result);
    return result;
  }
  for (const FunctionChange& row : table.functions) {
    if (!gate.function->found_in(row.name)) continue;
    result.matched = true;
    check_one(gate, table, excerpt(row.name, 200), row.total, result);
  }
  return result;
}

std::optional<GapInTheWay> gap_in_the_way(const Gate& gate,
                                          const DiffTable& table,
                                          const std::vector<NameGap>& gaps) {
  if (!gate.function) return std::nullopt;
  std::vector<const FunctionChange*> found;
  for (const FunctionChange& row : table.functions)
    if (gate.function->found_in(row.name)) found.push_back(&row);
  for (const NameGap& gap : gaps) {
    if (found.empty() && needs_a_match(gap)) return GapInTheWay{gap, ""};
    for (const FunctionChange* row : found)
      if (hides(gap, *row)) return GapInTheWay{gap, row->name};
  }
  return std::nullopt;
}

}  // namespace wick
