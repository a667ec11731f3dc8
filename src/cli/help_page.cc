// SPDX-License-Identifier: Apache-2.0
#include "cli/help_page.h"

#include "cli/help_assets.h"

namespace wick {

std::optional<std::string_view> help_page(std::string_view topic) {
  if (topic == "languages") return kLanguagesMd;
  return {};
}

}  // namespace wick
