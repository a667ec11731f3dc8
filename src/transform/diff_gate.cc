// SPDX-License-Identifier: Apache-2.0
#include "transform/diff_gate.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace wick {

Gate parse_gate(std::string_view text) {
  // The expression may hold < and > itself: the last one counts.
  const std::size_t at = text.find_last_of("<>");
  const auto bad = [&](std::string_view why) {
    fail_usage("'{}': {}; expected 'REGEX>+2%' or 'REGEX<-2%'", text, why);
  };
  if (at == text.npos) bad("has neither > nor <");
  if (at == 0) bad("names no function");
  const bool growth = text[at] == '>';
  std::string_view number = trim(text.substr(at + 1));
  if (!number.ends_with('%')) bad("does not end with %");
  number.remove_suffix(1);
  if (growth && number.starts_with('+')) number.remove_prefix(1);
  const auto percent = to_double(number);
  if (!percent || !std::isfinite(*percent))
    bad(fmt::format("'{}' is not a number", number));
  if (growth && (*percent < 0 || number.starts_with('-')))
    bad("growth cannot be negative");
  if (!growth && !number.starts_with('-')) bad("a decrease needs a minus sign");
  return {.text = std::string(text),
          .function = Regex(trim(text.substr(0, at))),
          .growth = growth,
          .points = *percent / 100};
}

GateResult check(const Gate& gate, const DiffTable& table) {
  GateResult result;
  for (const FunctionChange& row : table.functions) {
    if (!gate.function.found_in(row.name)) continue;
    result.matched = true;
    const Change& c = row.total;
    const bool over =
        gate.growth ? c.points() > gate.points : c.points() < gate.points;
    if (!over) continue;
    const bool sure = gate.growth ? c.interval.low > 0 : c.interval.high < 0;
    const std::string what = fmt::format(
        "{} {} from {:.2f}% to {:.2f}%: {:+.2f} points (between {:+.2f} and "
        "{:+.2f} with {:g}% confidence), more than {}",
        excerpt(row.name, 200), gate.growth ? "grew" : "shrank",
        100 * c.before_share, 100 * c.after_share, 100 * c.points(),
        100 * c.interval.low, 100 * c.interval.high, table.confidence,
        gate.text);
    if (sure)
      result.reasons.push_back(what);
    else
      result.doubts.push_back(what + ", but that may be chance");
  }
  return result;
}

}  // namespace wick
