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

// An option whose value is one of the words in `words`, "self|total".
template <class Value, std::size_t kSize>
Option* add_word(OptionSet& app, const std::string& name, Value& out,
                 const std::string& words,
                 const std::pair<std::string_view, Value> (&values)[kSize],
                 const std::string& description) {
  return app
      .add_callback(
          name,
          [&out, &values, name, words](const std::string& text) {
            const auto choices = possible_values(words);
            if (std::ranges::find(choices, text) == choices.end())
              fail_usage("{}: '{}' is not among {}", name, excerpt(text),
                         fmt::join(choices, ", "));
            for (const auto& [word, value] : values)
              if (word == text) out = value;
          },
          description)
      ->type_name(words)
      ->take_last()
      ->group("Tables");
}

}  // namespace

void add_table_options(OptionSet& app, ReportOptions& report,
                       const std::string& by, const std::string& sort) {
  add_word(app, "--by", report.by, by, kBys, "one table, with a row for each");
  add_word(app, "--sort", report.sort, "self|total", kSorts,
           "by their own weight, or with that of what they call")
      ->default_str(sort);
  add_number(app, "--top", report.top, "N", {0, 1e9},
             "show so many rows of a table; 0: all")
      ->group("Tables");
  add_number(app, "--name-width", report.name_width, "COLUMNS", {0, 1e6},
             "cut longer names; 0: none")
      ->group("Tables");
}

}  // namespace wick
