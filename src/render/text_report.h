// SPDX-License-Identifier: Apache-2.0
// A profile as tables of text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/diff.h"
#include "profile/format.h"
#include "profile/profile.h"
#include "profile/report_options.h"

namespace wick {

struct EventTotal {
  std::string name, unit;
  std::int64_t weight = 0;
  int decimals = 0;
  std::uint64_t samples = 0;
};
std::vector<EventTotal> event_totals(const Profile& profile);

// `events` are those of the whole input, of which `profile` may be a selection.
// A difference is shown as diff_report() does.
std::string text_report(const Profile& profile, const WriteOptions& options,
                        const std::vector<EventTotal>& events);

// What changed. `names` are those of the two inputs.
struct DiffNames {
  std::string before, after;
};
std::string diff_report(const DiffTable& table, const ReportOptions& options,
                        const DiffNames& names = {});

// What was lost, as a block of indented lines; "" if nothing was. `total` is
// the weight that is left.
std::string loss_report(const Diagnostics& diagnostics, std::int64_t total);

// "… 12 more functions (--top 0 shows all)", or "" if nothing was left out.
std::string rest_line(std::size_t all, const ReportOptions& options,
                      std::string_view what);

// 1,234 or 1.25.
std::string weight_text(std::int64_t weight, int decimals);

}  // namespace wick
