// SPDX-License-Identifier: Apache-2.0
// What a text report shows.
#pragma once

#include <cstdint>
#include <string>

namespace wick {

struct ReportOptions {
  enum class By : std::uint8_t {
    kSummary,  // functions, then modules and threads where they are known
    kFunction,
    kLine,
    kModule,
    kFile,
    kThread,
    kStack,  // of a difference
  };
  By by = By::kSummary;
  // Largest totals first (in a difference: changes of totals), instead of
  // largest self weights. Absent: by self, in a difference by total.
  enum class Sort : std::uint8_t { kDefault, kSelf, kTotal };
  Sort sort = Sort::kDefault;
  int top = 30;  // rows of each table; 0: all
  // The callers or callees of one function instead: its name, or else a regular
  // expression.
  std::string callers, callees;
  int name_width = 100;  // columns of a terminal; 0: names are never cut
};

}  // namespace wick
