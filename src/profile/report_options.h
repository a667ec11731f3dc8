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
  // By self weight or total (in a difference: by their changes), largest first.
  // Default: by self weight, in a difference by total.
  enum class Sort : std::uint8_t { kDefault, kSelf, kTotal };
  Sort sort = Sort::kDefault;
  int top = 30;  // rows of each table; 0: all
  // Shows the callers or callees of one function instead: its name, or a
  // regular expression.
  std::string callers, callees;
  bool raw = false;      // plain numbers, times in their unit, for scripts
  int name_width = 100;  // terminal columns; 0: as many as 16 kB
};

}  // namespace wick
