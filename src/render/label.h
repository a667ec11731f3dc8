// SPDX-License-Identifier: Apache-2.0
// Names cut to the room that a box has. docs/flame-graphs.md has the rule, and
// web/labels.js is the same for pages and the SVG's script.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wick {

enum class LabelCut {
  kQualifiers,  // qualifiers first
  kEnd,         // the end of the whole: of what is not code, or on request
};

// The label of a name that has more than `room` characters; `room` is 3 or
// more.
std::string cut_label(std::string_view name, std::size_t room, LabelCut cut);

// Whether the two ways to cut a name differ.
bool has_qualifiers(std::string_view name);

}  // namespace wick
