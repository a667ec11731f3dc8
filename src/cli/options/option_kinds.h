// SPDX-License-Identifier: Apache-2.0
// The kinds of options that commands declare: text, numbers, flags, choices.
// Each fills the variable it refers to, which must outlive the parsing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options/option_set.h"

namespace wick {

// `value` stands for the value in help: "FILE".
Option* add_text(OptionSet& app, const std::string& names, std::string& out,
                 const std::string& value, const std::string& description);
// May be given several times, with one value each.
// The path of a file (`value` FILE) or directory (DIR) that must exist: a
// typing error would otherwise look like missing symbols.
Option* add_path(OptionSet& app, const std::string& names, std::string& out,
                 const std::string& value, const std::string& description);
Option* add_paths(OptionSet& app, const std::string& names,
                  std::vector<std::string>& out, const std::string& value,
                  const std::string& description);

Option* add_texts(OptionSet& app, const std::string& names,
                  std::vector<std::string>& out, const std::string& value,
                  const std::string& description);
Option* add_flag(OptionSet& app, const std::string& names, bool& out,
                 const std::string& description);

struct Limits {
  double least, most;
};
Option* add_number(OptionSet& app, const std::string& names, int& out,
                   const std::string& value, Limits limits,
                   const std::string& description);
Option* add_number(OptionSet& app, const std::string& names, double& out,
                   const std::string& value, Limits limits,
                   const std::string& description);
// A whole number without a default.
Option* add_number(OptionSet& app, const std::string& names,
                   std::optional<int>& out, const std::string& value,
                   Limits limits, const std::string& description);
// `text` as a number within `limits`; a UsageError names the first of `names`.
double checked_number(const std::string& names, const std::string& text,
                      Limits limits, bool whole);

// Fails unless `text` is one of the values that `value` stands for, "pc|kind"
// or "PALETTE" (see possible_values).
void check_choice(std::string_view option, std::string_view value,
                  std::string_view text);
Option* add_choice(OptionSet& app, const std::string& names, std::string& out,
                   const std::string& value, const std::string& description);
// The same, with the meaning of each word.
template <class Value, std::size_t kSize>
Option* add_choice(OptionSet& app, const std::string& name, Value& out,
                   const std::string& words,
                   const std::pair<std::string_view, Value> (&values)[kSize],
                   const std::string& description) {
  return app
      .add_callback(
          name,
          [&out, &values, name, words](const std::string& text) {
            check_choice(name, words, text);
            for (const auto& [word, value] : values)
              if (word == text) out = value;
          },
          description)
      ->type_name(words)
      ->take_last();
}

}  // namespace wick
