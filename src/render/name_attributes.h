// SPDX-License-Identifier: Apache-2.0
// --nameattr: links, titles and classes that the user gives to functions. Lines
// are "function TAB key=value TAB …" with the keys title, href, target, id,
// class, g_extra and a_extra (more attributes of the frame and of its link).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

struct NameAttributes {
  std::string title;  // "": as for every frame
  std::string href;   // "": no link
  // Ready to be put into a tag: ` class="hot"`. Nothing in them can leave it.
  std::string frame_tag, link_tag;
};

using NameAttributeMap = std::map<std::string, NameAttributes, std::less<>>;

// A UsageError names what a line has that must not get into a picture: script,
// or links to anything but http, https and relative addresses.
NameAttributeMap parse_name_attributes(std::string_view text);

}  // namespace wick
