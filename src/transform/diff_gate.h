// SPDX-License-Identifier: Apache-2.0
// Limits on changes, for CI: "REGEX>+2%".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/regex.h"
#include "transform/diff.h"

namespace wick {

struct Gate {
  std::string text;  // as given
  Regex function;
  bool growth = true;  // false: shrinking closes it
  double points = 0;   // of share, 0 to 1
};

// "REGEX>+2%" or "REGEX<-2%"; anything else is a UsageError.
Gate parse_gate(std::string_view text);

struct GateResult {
  std::vector<std::string> reasons;  // a sentence for each function beyond it
  // The same for functions beyond the threshold whose change may be chance.
  std::vector<std::string> doubts;
  bool matched = false;  // the expression matches a function
};
// A function closes the gate if its inclusive share changed by more than the
// gate allows, and the interval of the change, at the table's confidence, does
// not hold 0.
GateResult check(const Gate& gate, const DiffTable& table);

}  // namespace wick
