// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "profile/draw_options.h"
#include "profile/fold.h"

namespace wick {

// Draws `graph` as one self-contained SVG file: picture, tooltips, and a script
// for zoom and search. The picture works without the script.
//
// Fails if there is nothing to draw; `out` then gets a picture that says so.
void draw_svg(const FlameGraph& graph, const DrawOptions& options,
              std::ostream& out);

}  // namespace wick
