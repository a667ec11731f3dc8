// SPDX-License-Identifier: Apache-2.0
#include "cli/options/setting_names.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "cli/help_page.h"
#include "cli/options/option_table.h"

namespace wick {
namespace {

std::vector<Setting> all_settings() {
  std::vector<Setting> settings;
  for (int i = 0; i < static_cast<int>(Setting::kCount); ++i)
    settings.push_back(static_cast<Setting>(i));
  return settings;
}

bool has_option(const Command& command, std::string_view name) {
  return std::ranges::any_of(
      option_table(command), [&](const OptionInfo& option) {
        return std::ranges::count(option.names, name) > 0;
      });
}

bool some_command_has(std::string_view option) {
  return std::ranges::any_of(commands(), [&](const Command* command) {
    return has_option(*command, option);
  });
}

// Whether "wick doctor --events" has a command and options that exist.
bool is_command_line(std::string_view line) {
  if (take_word(line) != "wick") return false;
  const std::string_view name = take_word(line);
  if (name == "help") return help_page(take_word(line)).has_value();
  const Command* command = find_command(name);
  if (command == nullptr) return false;
  while (!line.empty()) {
    const std::string_view word = take_word(line);
    if (word.starts_with('-') && !has_option(*command, word)) return false;
  }
  return true;
}

TEST(SettingNames, AreOptionsOrCommandsOfWick) {
  for (const Setting setting : all_settings()) {
    std::string_view name = setting_name(setting);
    SCOPED_TRACE(name);
    if (name.starts_with('-')) {
      EXPECT_TRUE(some_command_has(take_word(name)));
    } else {
      ASSERT_TRUE(name.size() > 2 && name.starts_with('\'') &&
                  name.ends_with('\''))
          << static_cast<int>(setting);
      EXPECT_TRUE(is_command_line(name.substr(1, name.size() - 2)));
    }
  }
}

TEST(SettingNames, DifferFromEachOther) {
  for (const Setting a : all_settings())
    for (const Setting b : all_settings())
      if (a != b) {
        EXPECT_NE(setting_name(a), setting_name(b));
      }
}

}  // namespace
}  // namespace wick
