// SPDX-License-Identifier: Apache-2.0
#include "cli/table_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/option_table.h"
#include "cli/options.h"

namespace wick {
namespace {

using By = ReportOptions::By;
using Sort = ReportOptions::Sort;

constexpr std::pair<std::string_view, By> kBys[] = {
    {"function", By::kFunction}, {"line", By::kLine},
    {"module", By::kModule},     {"file", By::kFile},
    {"thread", By::kThread},     {"stack", By::kStack},
};
constexpr std::pair<std::string_view, Sort> kSorts[] = {
    {"self", Sort::kSelf},
    {"total", Sort::kTotal},
};

}  // namespace

void add_table_options(OptionSet& app, ReportOptions& report,
                       const std::string& by, const std::string& sort) {
  add_choice(app, "--by", report.by, by, kBys, "one table, with a row for each")
      ->group("Tables");
  add_choice(app, "--sort", report.sort, "self|total", kSorts,
             "by their own weight, or with that of what they call")
      ->default_str(sort)
      ->group("Tables");
  add_number(app, "--top", report.top, "N", {0, 1e9},
             "show so many rows of a table; 0: all")
      ->group("Tables");
  add_number(app, "--name-width", report.name_width, "COLUMNS", {0, 1e6},
             "cut longer names; 0: none")
      ->group("Tables");
}

}  // namespace wick
