// SPDX-License-Identifier: Apache-2.0
// How a flame graph is drawn. Names and defaults are those of flamegraph.pl and
// inferno, where they have the option.
#pragma once

#include <optional>
#include <string>

#include "io/output_name.h"

namespace wick {

struct DrawOptions {
  std::string title;  // "": "Flame Graph", or "Flame Chart", "Icicle …"
  std::string subtitle;
  std::string notes;          // kept in the file as a comment
  std::optional<int> width;   // pixels; default: the window's width
  int frame_height = 16;      // pixels
  double min_width = 0.01;    // percent of the whole
  bool min_width_px = false;  // min_width is in pixels
  std::string font_type = "monospace";
  double font_size = 12;
  double font_width = 0.59;  // of a character, as a share of font_size
  std::string count_name;    // "": the unit of the event, or "samples"
  std::string name_type = "Function:";
  std::string colors;     // "": hot in an SVG, kind in the viewer's page
  std::string bg_colors;  // "": to match `colors`
  std::string search_color = "#e600e6";
  std::string ui_color;  // "": by the preference for light or dark
  std::string stroke_color = "none";
  bool hash = false;           // colour by a hash of the name, as flamegraph.pl
  bool deterministic = false;  // colour by FNV of the name, as inferno
  bool random = false;         // a new colour each run
  bool color_diffusion = false;  // by width
  OutputName palette_map;        // a file that keeps the colour of each name
  std::string name_attributes;   // a file with attributes for names
  bool inverted = false;         // icicle: root at the top
  bool negate = false;           // differential: swap red and blue
  double factor = 1;             // counts are shown multiplied by it
  double total = 0;              // the whole, if larger than the sum
  bool truncate_text_right = false;
  bool script = true;  // false: a picture without script
  bool pretty_xml = false;
  bool as_inferno = false;  // widths, changes and shares by inferno's rules
};

}  // namespace wick
