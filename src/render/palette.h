// SPDX-License-Identifier: Apache-2.0
// The colour of a frame. The palettes and their formulas are those of
// flamegraph.pl and inferno, so that pictures look as people expect; see
// docs/flame-graphs.md.
//
// By default, a colour follows from the name alone: a function looks the same
// in every picture. The palettes "kind", "module" and "name" are wick's own,
// and the first is that of the viewer's page.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "profile/draw_options.h"
#include "profile/tables.h"

namespace wick {

struct Rgb {
  std::uint8_t r = 0, g = 0, b = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

// Names with a fixed colour.
using PaletteMap = std::map<std::string, Rgb, std::less<>>;

// Lines "name->rgb(1,2,3)"; other lines are ignored. Empty if the file does not
// exist.
PaletteMap read_palette_map(const std::string& path);
void write_palette_map(const PaletteMap& map, const OutputName& output);

// What a colour can depend on.
struct Painted {
  std::string_view name;  // with its annotation, if it has one
  FrameKind kind = FrameKind::kUser;
  bool unnamed = false;          // see is_unnamed()
  std::string_view module = {};  // the name of its file, without folders
  bool after_separator = false;  // above a "--": the stack of a waker
  double share = 0;              // of the whole width
  std::optional<double> change;  // in a difference: -1 … 1 of the largest
};

class Palette {
 public:
  // Fails with a UsageError if there is no such palette. Names in `map` keep
  // their colours, and others are added to it; it may be null.
  explicit Palette(const DrawOptions& options, PaletteMap* map = nullptr);

  Rgb color(const Painted& frame);

 private:
  struct Values {
    double v1, v2, v3;
  };
  Values values(std::string_view name);
  Rgb plain_color(const Painted& frame);

  std::string colors_;
  bool hash_, deterministic_, random_, diffusion_, negate_;
  PaletteMap* map_;
  std::mt19937 generator_;
};

// Fails with a UsageError if there is no palette of this name.
void check_palette(std::string_view name);

// Whether a label on this colour is white instead of black: whichever has the
// higher contrast, which is then 4.58 or more on every colour.
bool has_white_label(const Rgb& color);

// The two ends of the background's gradient, as CSS colours. Fails with a
// UsageError if `bg_colors` is neither a name nor "#rrggbb".
std::pair<std::string, std::string> background(const DrawOptions& options);

}  // namespace wick
