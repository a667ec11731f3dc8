// SPDX-License-Identifier: Apache-2.0
// Texts of users and inputs as an SVG takes them: nothing in them can become
// markup or style.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wick {

// A colour of CSS: a name, "#rgb", "rgb(1, 2, 3)". Anything else is wrong use.
std::string checked_color(const std::string& color);

// Generic families are words of CSS and stand without quotes.
std::string font_family(const std::string& font);

// The inside of a comment, where "--" would end it in some readers and is an
// error in others.
std::string comment_text(std::string_view text);

std::size_t characters_in(std::string_view text);

// The label of a name of `length` characters where `room` are enough for a
// part of it: it loses its qualifiers from the left, and once nothing but its
// last part is left, the end of that.
std::string cut_label(std::string_view name, std::size_t length,
                      std::size_t room, bool at_right);

}  // namespace wick
