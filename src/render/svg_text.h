// SPDX-License-Identifier: Apache-2.0
// Text from users and inputs, made safe for SVG: it cannot become markup or
// style.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wick {

// A CSS colour: a name, "#rgb", "rgb(1, 2, 3)". Fails with a UsageError for
// anything else.
std::string checked_color(const std::string& color);

// Quoted, except for generic families, which are CSS keywords.
std::string font_family(const std::string& font);

// The text of a comment, in which "--" would end it for some parsers and be an
// error for others.
std::string comment_text(std::string_view text);

std::size_t characters_in(std::string_view text);

}  // namespace wick
