// SPDX-License-Identifier: Apache-2.0
// Limits on changes, for CI: "REGEX>+2%", "REGEX>+50ms", "total>1.05x".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/regex.h"
#include "transform/diff.h"
#include "transform/name_gaps.h"

namespace wick {

// What a gate limits, and so the unit of its limit.
enum class GateMeasure : std::uint8_t {
  kShare,  // the change of a share, 0 to 1
  kTime,   // the change of the time for one run, in nanoseconds
  kRatio,  // the cost of one run after, divided by that before
};

struct Gate {
  std::string text;               // as given
  std::optional<Regex> function;  // nothing: the whole program
  bool growth = true;             // false: shrinking closes it
  GateMeasure measure = GateMeasure::kShare;
  double limit = 0;
};

// "REGEX>+2%", "REGEX>+50ms" or "REGEX>1.05x", with < for a decrease; "total"
// in place of REGEX is the whole program. Anything else is a UsageError.
Gate parse_gate(std::string_view text);

struct GateResult {
  std::vector<std::string> reasons;  // a sentence for each function beyond it
  // The same for functions beyond the threshold whose change may be chance.
  std::vector<std::string> doubts;
  bool matched = false;  // the expression matches a function
};
// A function closes the gate if its inclusive share or cost changed by more
// than the gate allows, and the interval of the change, at the table's
// confidence, does not hold 0. Fails if the gate needs costs that the two sides
// cannot be compared by.
GateResult check(const Gate& gate, const DiffTable& table);

struct GapInTheWay {
  NameGap gap;
  // Of kNoNames: a function that is on one side only and may be among those
  // without names on the other. Empty: no function matches.
  std::string one_sided;
};

// The gap that keeps `gate` from being judged, if any: a function that it
// matches is known by its address only and that means nothing on the other
// side; it is on one side only, and the other lacks names; or no function
// matches, and one may be in code without names.
std::optional<GapInTheWay> gap_in_the_way(const Gate& gate,
                                          const DiffTable& table,
                                          const std::vector<NameGap>& gaps);

}  // namespace wick
