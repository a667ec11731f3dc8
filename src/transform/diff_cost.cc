// SPDX-License-Identifier: Apache-2.0
#include "transform/diff_cost.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "base/time_text.h"
#include "transform/event_choice.h"

namespace wick {
namespace {

// The cost of one run of a side.
double run_cost(const DiffTable& table, const DiffSide& side, double runs) {
  const double unit = costs_are_times(table)
                          ? static_cast<double>(nanoseconds_in(side.unit))
                          : 1.0;
  return static_cast<double>(side.weight) * unit /
         static_cast<double>(power_of_ten(table.graph.decimals)) / runs;
}

double run_cost_before(const DiffTable& table) {
  return run_cost(table, table.before, table.work.before);
}
double run_cost_after(const DiffTable& table) {
  return run_cost(table, table.after, table.work.after);
}

// The error of a total as a share of it. How many samples a program gets is
// chance, too: a sample is due or not whenever a thread starts and stops
// running, which makes the number vary by up to √n.
double error_of_total(const DiffSide& side, double z) {
  return side.samples > 0 ? z / std::sqrt(side.samples) : 0;
}

}  // namespace

double CostChange::ratio() const {
  if (before > 0) return after / before;
  return after > 0 ? std::numeric_limits<double>::infinity() : 1;
}

CostChange cost_of(const Change& change, const DiffTable& table) {
  const double b_run = run_cost_before(table), a_run = run_cost_after(table);
  const double b = change.before_share, a = change.after_share;
  const Interval b_in = wilson_interval({b, table.before.samples}, table.z);
  const Interval a_in = wilson_interval({a, table.after.samples}, table.z);
  // As in difference_interval(): the errors on one side, squared and added.
  const double of_totals =
      std::hypot(a * a_run * error_of_total(table.after, table.z),
                 b * b_run * error_of_total(table.before, table.z));
  const double difference = a * a_run - b * b_run;
  return {
      .before = b * b_run,
      .after = a * a_run,
      .interval = {difference - std::hypot((a - a_in.low) * a_run,
                                           (b_in.high - b) * b_run, of_totals),
                   difference + std::hypot((a_in.high - a) * a_run,
                                           (b - b_in.low) * b_run, of_totals)}};
}

double cost_difference(const Change& change, const DiffTable& table) {
  return change.after_share * run_cost_after(table) -
         change.before_share * run_cost_before(table);
}

bool costs_are_times(const DiffTable& table) {
  return nanoseconds_in(table.before.unit) > 0 &&
         nanoseconds_in(table.after.unit) > 0;
}

void check_comparable(const DiffTable& table, bool time_required) {
  if (costs_are_times(table)) return;
  const DiffSide &before = table.before, &after = table.after;
  const auto thing = [](const DiffSide& side) {
    return excerpt(!side.event.empty() ? side.event : "samples");
  };
  if (event_group(before.event) != event_group(after.event) ||
      before.unit != after.unit)
    fail(
        "costs cannot be compared: the input before counts {}, the one after "
        "{}; record both with the same event",
        thing(before), thing(after));
  if (time_required)
    fail(
        "the inputs count {}, not time; limit a ratio (1.05x), or record both "
        "with the event cpu-clock and compare the recordings themselves",
        thing(before));
}

std::string cost_text(double cost, const DiffTable& table, bool raw) {
  if (costs_are_times(table) && !raw) return time_text(cost);
  if (std::abs(cost) >= 1000 && std::abs(cost) < 9e18)
    return number_text(std::llround(cost), raw);
  return fmt::format("{:.4g}", cost);
}

std::string signed_cost_text(double cost, const DiffTable& table, bool raw) {
  return (cost > 0 ? "+" : "") + cost_text(cost, table, raw);
}

std::string ratio_text(const CostChange& cost) {
  if (cost.before <= 0 && cost.after > 0) return "new";
  if (cost.before > 0 && cost.after <= 0) return "gone";
  return fmt::format("{:.3f}x", cost.ratio());
}

}  // namespace wick
