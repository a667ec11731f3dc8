// SPDX-License-Identifier: Apache-2.0
#include "cli/options/option_kinds.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>

#include "base/append.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/options/option_table.h"

namespace wick {
namespace {

// "--width" of "--width,--image-width".
std::string first_name(const std::string& names) {
  return names.substr(0, names.find(','));
}

void check_path(const std::string& names, const std::string& path,
                const std::string& value) {
  struct stat info {};
  if (path.empty()) return;
  if (::stat(path.c_str(), &info) != 0)
    fail("{}: {}: {}", first_name(names), path, last_system_error());
  if (S_ISDIR(info.st_mode) != (value == "DIR"))
    fail("{}: {}: is {} directory", first_name(names), path,
         value == "DIR" ? "not a" : "a");
}

// `Out` is a number or an optional one.
template <class T, class Out>
Option* add_number_of(OptionSet& app, const std::string& names, Out& out,
                      const std::string& value, Limits limits,
                      const std::string& description) {
  return app
      .add_callback(
          names,
          [&out, names, limits](const std::string& text) {
            constexpr bool kWhole = std::is_integral_v<T>;
            out = static_cast<T>(checked_number(names, text, limits, kWhole));
          },
          description)
      ->type_name(value)
      ->take_last();
}

}  // namespace

Option* add_text(OptionSet& app, const std::string& names, std::string& out,
                 const std::string& value, const std::string& description) {
  return app.add_option(names, out, description)
      ->type_name(value)
      ->default_str(out)
      ->take_last();
}

Option* add_texts(OptionSet& app, const std::string& names,
                  std::vector<std::string>& out, const std::string& value,
                  const std::string& description) {
  return app.add_option(names, out, description)
      ->one_value_each()
      ->type_name(value);
}

Option* add_path(OptionSet& app, const std::string& names, std::string& out,
                 const std::string& value, const std::string& description) {
  return app
      .add_callback(
          names,
          [&out, names, value](const std::string& path) {
            check_path(names, path, value);
            out = path;
          },
          description)
      ->type_name(value)
      ->take_last();
}

Option* add_paths(OptionSet& app, const std::string& names,
                  std::vector<std::string>& out, const std::string& value,
                  const std::string& description) {
  return app
      .add_list_callback(
          names,
          [&out, names, value](const std::vector<std::string>& paths) {
            for (const std::string& path : paths)
              check_path(names, path, value);
            out = paths;
          },
          description)
      ->one_value_each()
      ->type_name(value);
}

Option* add_flag(OptionSet& app, const std::string& names, bool& out,
                 const std::string& description) {
  return app.add_flag(names, out, description)->take_last();
}

Option* add_number(OptionSet& app, const std::string& names, int& out,
                   const std::string& value, Limits limits,
                   const std::string& description) {
  return add_number_of<int>(app, names, out, value, limits, description)
      ->default_str(std::to_string(out));
}

Option* add_number(OptionSet& app, const std::string& names, double& out,
                   const std::string& value, Limits limits,
                   const std::string& description) {
  return add_number_of<double>(app, names, out, value, limits, description)
      ->default_str(fmt::format("{}", out));
}

Option* add_number(OptionSet& app, const std::string& names,
                   std::optional<int>& out, const std::string& value,
                   Limits limits, const std::string& description) {
  return add_number_of<int>(app, names, out, value, limits, description);
}

double checked_number(const std::string& names, const std::string& text,
                      Limits limits, bool whole) {
  const auto number = to_double(trim(text));
  if (!number || !std::isfinite(*number) ||
      (whole && *number != std::floor(*number)))
    fail_usage("{}: '{}' is not a {}number", first_name(names), excerpt(text),
               whole ? "whole " : "");
  if (*number < limits.least || *number > limits.most)
    fail_usage("{}: {} is not between {} and {}", first_name(names), text,
               limits.least, limits.most);
  return *number;
}

void check_choice(std::string_view option, std::string_view value,
                  std::string_view text) {
  const std::vector<std::string> choices = possible_values(value);
  if (std::ranges::find(choices, text) == choices.end())
    fail_usage("{}: '{}' is not one of {}", option, excerpt(text),
               joined(choices, ", "));
}

Option* add_choice(OptionSet& app, const std::string& names, std::string& out,
                   const std::string& value, const std::string& description) {
  return app
      .add_callback(
          names,
          [&out, names, value](const std::string& text) {
            check_choice(first_name(names), value, text);
            out = text;
          },
          description)
      ->type_name(value)
      ->default_str(out)
      ->take_last();
}

}  // namespace wick
