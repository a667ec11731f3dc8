// SPDX-License-Identifier: Apache-2.0
#include "cli/options/table_options.h"

#include <optional>
#include <string_view>
#include <utility>

#include "cli/options/option_kinds.h"

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

constexpr std::pair<std::string_view, std::optional<Scale>> kScales[] = {
    {"normalised", Scale::kNormalised},
    {"absolute", Scale::kAbsolute},
};

}  // namespace

void add_table_options(OptionSet& app, ReportOptions& report,
                       const std::string& by, const std::string& sort) {
  add_choice(app, "--by", report.by, by, kBys,
             "print one table, with a row for each of these")
      ->group("Tables");
  add_choice(app, "--sort", report.sort, "self|total", kSorts,
             "sort by own weight, or by total weight including callees")
      ->default_str(sort)
      ->group("Tables");
  add_number(app, "--top", report.top, "N", {0, 1e9}, "rows per table; 0: all")
      ->group("Tables");
  add_number(app, "--name-width", report.name_width, "COLUMNS", {0, 1e6},
             "truncate longer names; 0: only beyond 16 kB")
      ->group("Tables");
  add_flag(app, "--raw", report.raw,
           "print plain numbers for scripts: 12400000, not 12.4 ms")
      ->group("Tables");
}

Option* add_scale_option(OptionSet& app, std::optional<Scale>& scale) {
  return add_choice(
             app, "--scale", scale, "normalised|absolute", kScales,
             "compare shares of each side, or weights as they are; tables and "
             "pictures are normalised by default, weights in other formats are "
             "not")
      ->group("Output");
}

Scale chosen_scale(std::optional<Scale> scale, Compat compat) {
  return scale.value_or(compat == Compat::kWick ? Scale::kNormalised
                                                : Scale::kAbsolute);
}

}  // namespace wick
