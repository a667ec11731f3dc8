// SPDX-License-Identifier: Apache-2.0
#include "base/setting.h"

#include <vector>

namespace wick {

std::string spelled(Settings settings, SettingNames names) {
  std::vector<std::string_view> words;
  for (int i = 0; names != nullptr && i < static_cast<int>(Setting::kCount);
       ++i)
    if (settings.contains(static_cast<Setting>(i)))
      words.push_back(names(static_cast<Setting>(i)));
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string with_hint(std::string_view text, Settings helps,
                      SettingNames names) {
  std::string out(text);
  if (const std::string words = spelled(helps, names); !words.empty()) {
    out += "; see ";
    out += words;
  }
  return out;
}

}  // namespace wick
