// SPDX-License-Identifier: Apache-2.0
// What a function costs in one run, on both sides of a difference: its weight
// divided by the number of runs or operations that the side did. Shares add up
// to 1 on each side, so they cannot show that a whole program became slower;
// costs can.
#pragma once

#include <string>

#include "transform/diff.h"

namespace wick {

// Costs are in nanoseconds if both sides count time (see costs_are_times), else
// in units of the event.
struct CostChange {
  double before = 0, after = 0;
  Interval interval;  // of after - before

  double ratio() const;  // infinite for what is new
};

CostChange cost_of(const Change& change, const DiffTable& table);
// The same without the interval: after - before.
double cost_difference(const Change& change, const DiffTable& table);

bool costs_are_times(const DiffTable& table);

// Fails unless both sides count the same thing, or time if that is `required`.
void check_comparable(const DiffTable& table, bool time_required);

// "12.4 ms", or "1,234" and "0.125" of other units. `raw`: times as numbers of
// nanoseconds, too.
std::string cost_text(double cost, const DiffTable& table, bool raw = false);
// The same with a sign.
std::string signed_cost_text(double cost, const DiffTable& table,
                             bool raw = false);
// "1.05x"; "new" and "gone" for what costs nothing on one side.
std::string ratio_text(const CostChange& cost);

}  // namespace wick
