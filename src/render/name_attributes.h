// SPDX-License-Identifier: Apache-2.0
// Links, titles and classes for functions, from a file of the user. Lines are
// "function TAB key=value TAB …" with the keys title, href, target, id, class,
// g_extra and a_extra (more attributes of the frame and of its link).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace wick {

struct NameAttributes {
  std::string title;  // "": the usual one
  std::string href;   // "": no link
  // Ready to be put into a tag: ` class="hot"`. Escaped, so they cannot end it.
  std::string frame_tag, link_tag;
};

using NameAttributeMap = std::map<std::string, NameAttributes, std::less<>>;

// Fails with a UsageError if a line has something that is not allowed in a
// picture: script, or links other than http, https and relative ones.
NameAttributeMap parse_name_attributes(std::string_view text);

}  // namespace wick
