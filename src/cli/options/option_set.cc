// SPDX-License-Identifier: Apache-2.0
#include "cli/options/option_set.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <list>

namespace wick {
namespace {

// CLI11's message, in wick's wording.
std::string message_of(const CLI::ParseError& error) {
  std::string text = error.what();
  if (const std::size_t at = text.find(": 1 required ");
      at != text.npos && text.ends_with(" missing"))
    return text.substr(0, at) + ": expected a value";
  return text;
}

}  // namespace

Option* Option::group(const std::string& name) {
  option_->group(name);
  return this;
}

Option* Option::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

Option* Option::default_str(const std::string& text) {
  option_->default_str(text);
  return this;
}

Option* Option::take_last() {
  option_->take_last();
  return this;
}

Option* Option::one_value_each() {
  option_->allow_extra_args(false);
  return this;
}

Option* Option::optional_value() {
  option_->expected(0, 1);
  return this;
}

Option* Option::excludes(Option* other) {
  option_->excludes(other->option_);
  return this;
}

Option* Option::needs(Option* other) {
  option_->needs(other->option_);
  return this;
}

std::size_t Option::count() const { return option_->count(); }
std::string Option::name() const { return option_->get_name(); }
std::string Option::group_name() const { return option_->get_group(); }

struct OptionSet::State {
  CLI::App app;
  std::list<Option> options;  // a list, since callers keep pointers

  Option* keep(CLI::Option* option) { return &options.emplace_back(option); }
};

OptionSet::OptionSet() : state_(std::make_unique<State>()) {
  state_->app.set_help_flag("-h,--help", "show this help");
  state_->app.allow_extras();
}

OptionSet::~OptionSet() = default;

Option* OptionSet::add_option(const std::string& names, std::string& out,
                              const std::string& description) {
  return state_->keep(state_->app.add_option(names, out, description));
}

Option* OptionSet::add_option(const std::string& names,
                              std::vector<std::string>& out,
                              const std::string& description) {
  return state_->keep(state_->app.add_option(names, out, description));
}

Option* OptionSet::add_callback(const std::string& names, const Text& on_value,
                                const std::string& description) {
  return state_->keep(state_->app.add_option_function<std::string>(
      names, on_value, description));
}

Option* OptionSet::add_list_callback(const std::string& names,
                                     const Texts& on_values,
                                     const std::string& description) {
  return state_->keep(state_->app.add_option_function<std::vector<std::string>>(
      names, on_values, description));
}

Option* OptionSet::add_flag(const std::string& names, bool& out,
                            const std::string& description) {
  return state_->keep(state_->app.add_flag(names, out, description));
}

Option* OptionSet::add_flag_callback(const std::string& names,
                                     std::function<void()> on_flag,
                                     const std::string& description) {
  return state_->keep(
      state_->app.add_flag_callback(names, std::move(on_flag), description));
}

std::vector<Option*> OptionSet::options() const {
  std::vector<Option*> all;
  for (Option& option : state_->options) all.push_back(&option);
  return all;
}

Option* OptionSet::get_option(const std::string& name) const {
  const CLI::Option* found = state_->app.get_option(name);
  return &*std::ranges::find(state_->options, found, &Option::option_);
}

void OptionSet::remove_option(Option* option) {
  state_->app.remove_option(option->option_);
  state_->options.remove_if(
      [&](const Option& kept) { return &kept == option; });
}

std::vector<OptionInfo> OptionSet::table() const {
  std::vector<OptionInfo> rows;
  for (const CLI::Option* option :
       static_cast<const CLI::App&>(state_->app).get_options()) {
    OptionInfo info;
    for (const std::string& name : option->get_snames())
      info.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames())
      info.names.push_back("--" + name);
    if (option->get_items_expected_max() > 0)
      info.value = option->get_type_name();
    info.optional_value =
        !info.value.empty() && option->get_expected_min() == 0;
    info.description = option->get_description();
    info.default_value = option->get_default_str();
    info.group = option->get_group();
    info.hidden = info.group.empty();
    rows.push_back(std::move(info));
  }
  return rows;
}

OptionSet::Parsed OptionSet::parse(std::vector<std::string> words) {
  std::ranges::reverse(words);  // as CLI11 wants them
  Parsed parsed;
  try {
    state_->app.parse(words);
    parsed.rest = state_->app.remaining();
  } catch (const CLI::CallForHelp&) {
    parsed.wants_help = true;
  } catch (const CLI::ParseError& error) {
    parsed.error = message_of(error);
  }
  return parsed;
}

}  // namespace wick
