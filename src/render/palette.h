// SPDX-License-Identifier: Apache-2.0
// The colour of a frame. The palettes are those of flamegraph.pl and inferno,
// with their formulas, so that a picture looks as its reader expects; see
// docs/flame-graphs.md.
//
// Unless told otherwise, a colour follows from the name alone: the same
// function looks the same in every picture.
#pragma once

#include <cstdint>
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

// Names that have been given their colour for good, as `--cp` keeps them.
using PaletteMap = std::map<std::string, Rgb, std::less<>>;

// Lines "name->rgb(1,2,3)"; other lines are left out. Empty if there is no such
// file.
PaletteMap read_palette_map(const std::string& path);
void write_palette_map(const PaletteMap& map, const std::string& path);

// What a colour can depend on.
struct Painted {
  std::string_view name;  // with its annotation, if it has one
  FrameKind kind = FrameKind::kUser;
  bool after_separator = false;  // above a "--": the stack of a waker
  double share = 0;              // of the whole width
  std::optional<double> change;  // in a difference: -1 … 1 of the largest
};

class Palette {
 public:
  // A UsageError if there is no such palette. Names in `map` keep their
  // colours and the others are added to it; it may be null.
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

// The two ends of the background's gradient, as CSS colours. A UsageError if
// `bg_colors` is neither a name nor "#rrggbb".
std::pair<std::string, std::string> background(const DrawOptions& options);

}  // namespace wick
