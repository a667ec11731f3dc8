// SPDX-License-Identifier: Apache-2.0
// A profile as tables of text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/format.h"
#include "profile/profile.h"
#include "transform/diff.h"

namespace wick {

struct EventTotal {
  std::string name, unit;
  std::int64_t weight = 0;
  int decimals = 0;
  std::uint64_t samples = 0;
};
std::vector<EventTotal> event_totals(const Profile& profile);

// `events` are those of the whole input; `profile` may be a selection of it. A
// difference is shown by diff_report().
std::string text_report(const Profile& profile, const WriteOptions& options,
                        const std::vector<EventTotal>& events);

// What changed. `names` are the names of the inputs.
struct DiffNames {
  std::string before, after;
};
std::string diff_report(const DiffTable& table, const WriteOptions& options,
                        const DiffNames& names = {});

// "… 12 more functions; see --top 0", or "" if none is left out.
std::string rest_line(std::size_t all, const WriteOptions& options,
                      std::string_view what);

struct WeightStyle {
  int decimals = 0;
  std::int64_t unit_ns = 0;  // what a unit is; 0: no time
  bool raw = false;          // for scripts
};
// 1,234 or 1.25; "12.4 ms" for times; 1234 if raw.
std::string weight_text(std::int64_t weight, const WeightStyle& style);

}  // namespace wick
