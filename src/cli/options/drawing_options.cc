// SPDX-License-Identifier: Apache-2.0
#include "cli/options/drawing_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/options/option_kinds.h"

namespace wick {
namespace {

// Puts every option into the group "Drawing".
class Drawing {
 public:
  explicit Drawing(OptionSet& app) : app_(app) {}

  Option* text(const char* names, std::string& out, const char* value,
               const char* description) {
    return grouped(add_text(app_, names, out, value, description));
  }
  Option* flag(const char* names, bool& out, const char* description) {
    return grouped(add_flag(app_, names, out, description));
  }
  Option* action(const char* name, std::function<void()> on_flag,
                 const char* description) {
    return grouped(
        app_.add_flag_callback(name, std::move(on_flag), description));
  }
  template <class T>
  Option* number(const char* names, T& out, const char* value, Limits limits,
                 const char* description) {
    return grouped(add_number(app_, names, out, value, limits, description));
  }
  Option* grouped(Option* option) { return option->group("Drawing"); }
  OptionSet& app() { return app_; }

 private:
  OptionSet& app_;
};

// "0.1", "0.1%" or "2px".
void set_min_width(std::string number, DrawOptions& draw) {
  draw.min_width_px = number.ends_with("px");
  if (draw.min_width_px)
    number.resize(number.size() - 2);
  else if (number.ends_with('%'))
    number.pop_back();
  draw.min_width = checked_number("--minwidth", number, {0, 1e6}, false);
}

void add_size_options(Drawing& add, DrawOptions& draw) {
  add.text("--title", draw.title, "TEXT",
           "title (default: the command that was recorded)");
  add.text("--subtitle", draw.subtitle, "TEXT", "second line below the title");
  add.text("--notes", draw.notes, "TEXT", "comment to store in the file");
  add.number("--width,--image-width", draw.width, "PIXELS", {20, 100000},
             "image width (default: the window's width)");
  add.number("--height", draw.frame_height, "PIXELS", {4, 1000},
             "height of a frame");
  add.grouped(
      add.app()
          .add_callback(
              "--minwidth,--min-width",
              [&draw](const std::string& text) { set_min_width(text, draw); },
              "omit narrower frames: N or N% is percent of the whole width, "
              "Npx is pixels")
          ->type_name("WIDTH")
          ->default_str(fmt::format("{}", draw.min_width))
          ->take_last());
}

void add_color_options(Drawing& add, DrawOptions& draw) {
  add.grouped(add_choice(add.app(), "--colors,--color,--palette", draw.colors,
                         "PALETTE",
                         "color palette: kind (of code), module, name, or one "
                         "of flamegraph.pl (default: hot; kind in a page)"));
  add.text("--bgcolors", draw.bg_colors, "COLOR",
           "background: yellow, blue, green, grey or #rrggbb");
  Option* hash = add.flag("--hash", draw.hash,
                          "colors by a hash of the name, as in flamegraph.pl");
  Option* deterministic =
      add.flag("--deterministic", draw.deterministic,
               "colors by name, the same in every flame graph");
  hash->excludes(deterministic);
  add.flag("--random", draw.random, "different colors in every run");
  add.flag("--colordiffusion", draw.color_diffusion, "colors by width");
  add.action(
      "--cp", [&draw] { draw.palette_map = OutputName::chosen("palette.map"); },
      "keep the color of each function in ./palette.map");
  add.grouped(add.app()
                  .add_callback(
                      "--palette-map",
                      [&draw](const std::string& path) {
                        draw.palette_map = OutputName::typed(path);
                      },
                      "like --cp, but in this file")
                  ->type_name("FILE")
                  ->take_last());
  add.text("--nameattr", draw.name_attributes, "FILE",
           "attributes (title, href, …) of functions, as in flamegraph.pl");
}

void add_shape_options(Drawing& add, DrawOptions& draw, FoldOptions& fold) {
  Option* reverse =
      add.flag("--reverse", fold.reversed, "merge stacks from the leaf");
  add.flag("-i,--inverted", draw.inverted,
           "icicle graph: the root is at the top");
  Option* chart = add.flag("--flamechart", fold.flamechart,
                           "keep stacks in the order of time");
  chart->excludes(reverse);
  add.flag("--negate", draw.negate, "swap red and blue in a difference");
  add.number("--factor", draw.factor, "N", {1e-12, 1e12},
             "multiply the displayed counts by this");
  add.number("--total", draw.total, "N", {0, 1e18},
             "the weight of the whole width, if more than the sum");
}

void add_text_options(Drawing& add, DrawOptions& draw) {
  add.text("--countname", draw.count_name, "TEXT",
           "what is counted (default: 'samples' or the event's unit)");
  add.text("--nametype", draw.name_type, "TEXT", "label before names");
  add.text("--fonttype", draw.font_type, "FONT", "font");
  add.number("--fontsize", draw.font_size, "PIXELS", {1, 200}, "font size");
  add.number("--fontwidth", draw.font_width, "N", {0.1, 5},
             "width of a character relative to the font size");
  add.text("--search-color", draw.search_color, "COLOR",
           "color of search matches");
  add.text("--stroke-color", draw.stroke_color, "COLOR",
           "color of frame borders");
  add.text("--uicolor", draw.ui_color, "COLOR", "color of titles and buttons");
  add.flag("--truncate-text-right", draw.truncate_text_right,
           "truncate long names on the right");
  add.action(
      "--no-javascript", [&draw] { draw.script = false; }, "no script");
  add.flag("--pretty-xml", draw.pretty_xml, "indent the XML");
}

// These have no effect, but scripts written for other tools pass them: input is
// always sorted, and output is always UTF-8.
void add_ignored_options(OptionSet& app) {
  app.add_flag_callback(
         "--no-sort", [] {}, "accepted and ignored")
      ->group("");
  app.add_callback(
         "--encoding", [](const std::string&) {}, "accepted; always UTF-8")
      ->type_name("NAME")
      ->group("");
}

}  // namespace

void add_drawing_options(OptionSet& app, DrawOptions& draw, FoldOptions& fold) {
  Drawing add(app);
  add_size_options(add, draw);
  add_color_options(add, draw);
  add_shape_options(add, draw, fold);
  add_text_options(add, draw);
  add_ignored_options(app);
}

}  // namespace wick
