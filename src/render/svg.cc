// SPDX-License-Identifier: Apache-2.0
// The SVG file. From top to bottom: title, frames, facts about the profile and
// what it lacks, script.
//
//   <svg>
//     <title> <style> <text id="title">
//     <svg id="frames">
//       <g><title>main (12
//       samples, 3.40%)</title><rect…/><text…>main</text></g> … in preorder,
//       which the script relies on …
//     </svg>
//     <g id="footer"> <script>
//   </svg>
//
// Horizontal positions are percentages of #frames, so that a new width changes
// no number; vertical ones are pixels. A frame takes about 150 bytes: colours
// are hexadecimal, narrow frames have no <text>, and what all frames share is
// in the style sheet.
//
// Everything from the profile or the user passes through xml_escaped() or
// consists of checked characters; the script takes names from the document's
// text and never builds markup.
#include "render/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "base/append.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/metrics.h"
#include "base/text.h"
#include "io/input_file.h"
#include "profile/format.h"
#include "render/label.h"
#include "render/layout.h"
#include "render/name_attributes.h"
#include "render/palette.h"
#include "render/svg_assets.h"
#include "render/svg_text.h"
#include "render/tooltip.h"
#include "transform/diff.h"
#include "transform/recording.h"

namespace wick {
namespace {

constexpr int kMargin = 10;             // pixels beside the frames
constexpr int kDefaultWidth = 1200;     // pixels
constexpr int kLabelPadding = 3;        // pixels beside a label
constexpr std::size_t kMaxName = 4096;  // bytes of a name in its tooltip
constexpr std::size_t kMaxTitle = 120;  // characters of a command

std::string kind_of_picture(const FlameGraph& graph,
                            const DrawOptions& options) {
  std::string kind = graph.is_difference ? "Differential " : "";
  if (graph.is_chart) return kind + "Flame Chart";
  if (graph.is_reversed) kind += "Reversed ";
  return kind + (options.inverted ? "Icicle Graph" : "Flame Graph");
}

// The command that was recorded, behind the kind of picture unless that is the
// usual one. A command line may be long: its end is cut.
std::string title_of(std::string_view command, const std::string& kind) {
  const std::size_t length = characters_in(command);
  const std::string shown = length <= kMaxTitle
                                ? std::string(command)
                                : cut_label(command, kMaxTitle, LabelCut::kEnd);
  return kind == "Flame Graph" ? shown : kind + " · " + shown;
}

// How a name is drawn, computed once for all frames that have it.
struct Name {
  std::string_view shown;
  std::string escaped;     // for the tooltip
  std::size_t length = 0;  // characters
  bool has_qualifiers = false;
  const NameAttributes* attributes = nullptr;
};

std::string svg_style(const DrawOptions& options) {
  std::string style = fmt::format("\n{}", kSvgStyleCss);
  // A chosen background is kept in dark mode, too.
  if (options.bg_colors.empty()) style += kSvgDarkCss;
  append(style,
         "#frames text{{font:{0:.3g}px {1}}}\n"
         "#title{{font-size:{2:.3g}px}}\n"
         "#subtitle,#footer,.panel{{font-size:{0:.3g}px}}\n"
         ":root{{--search:{3}}}\n",
         options.font_size, font_family(options.font_type),
         options.font_size + 4, checked_color(options.search_color));
  if (!options.ui_color.empty())
    append(style, ":root{{--ink:{0};--faint:{0}}}\n",
           checked_color(options.ui_color));
  if (options.stroke_color != "none")
    append(style, "#frames rect{{stroke:{}}}\n",
           checked_color(options.stroke_color));
  return style;
}

std::string svg_script() {
  return fmt::format("\n{{\n{}{}}}\n", kLabelsJs, kSvgScriptJs);
}

// Of a difference: what the side before weighs, and how both are compared.
struct Sides {
  std::int64_t before = 0;
  bool are_normalised = false;
  std::int64_t unit = 1;  // what scaling multiplied all weights by
};

class SvgWriter {
 public:
  SvgWriter(const FlameGraph& graph, const WriteOptions& options,
            const Layout& layout, const Sides& sides, PaletteMap* map,
            std::ostream& out)
      : graph_(graph),
        options_(options.draw),
        setting_names_(options.setting_names),
        layout_(layout),
        sides_(sides),
        palette_(options_, map),
        count_name_(xml_escaped(
            options_.count_name.empty() ? graph.unit : options_.count_name)),
        tooltips_(graph, options_, count_name_, sides.are_normalised),
        out_(out),
        names_(graph.strings.size()) {
    if (!options_.name_attributes.empty()) {
      InputFile file = InputFile::open(options_.name_attributes);
      in_context(options_.name_attributes,
                 [&] { attributes_ = parse_name_attributes(file.bytes()); });
    }
    measure();
  }

  void write() {
    write_head();
    write_frames();
    write_footer();
    if (options_.script) put("<script><![CDATA[{}]]></script>\n", svg_script());
    text_ += "</svg>\n";
    flush();
  }

 private:
  void measure() {
    const double font = options_.font_size;
    width_ = std::max(options_.width.value_or(kDefaultWidth), 2 * kMargin + 40);
    top_ = static_cast<int>(font * 3);
    if (!options_.subtitle.empty()) top_ += static_cast<int>(font * 1.5);
    row_ = std::max(options_.frame_height, 2);
    frames_height_ = static_cast<int>(layout_.max_depth + 1) * row_;
    describe_footer();
    details_ = static_cast<int>(font * 2);
    line_ = static_cast<int>(font * 1.5);
    height_ = top_ + frames_height_ + details_ + kMargin +
              static_cast<int>(footer_.size()) * line_ + kMargin / 2;

    // Digits of a percentage: enough to place the callees of the narrowest
    // frame in a thousand steps when it is zoomed.
    std::int64_t narrowest = layout_.whole;
    for (const std::int64_t extent : layout_.extent)
      if (extent > 0) narrowest = std::min(narrowest, extent);
    const double share = 100.0 * static_cast<double>(narrowest) /
                         static_cast<double>(layout_.whole);
    decimals_ =
        std::clamp(static_cast<int>(std::ceil(3 - std::log10(share))), 3, 9);
    scale_ = power_of_ten(decimals_);

    change_scale_ = 0;
    if (graph_.is_difference)
      for (const NodeId id : graph_.ids())
        if (id != NodeId::kRoot || options_.as_inferno)
          change_scale_ =
              std::max(change_scale_,
                       std::abs(static_cast<double>(tooltips_.change(id))));
    change_scale_ = std::max(change_scale_, 1.0);
  }

  void describe_footer() {
    std::string about;
    if (!graph_.event.empty() && graph_.event != graph_.unit)
      about = xml_escaped(graph_.event) + " · ";
    if (graph_.is_difference) {
      about += "before: ";
      tooltips_.append_count(about, sides_.before);
      about += " · after: ";
    }
    tooltips_.append_count(about, graph_.total[NodeId::kRoot]);
    if (graph_.is_difference)
      about += sides_.are_normalised
                   ? " · normalised: shares of each side are compared"
                   : " · absolute: weights are compared";
    footer_.push_back({about, false});
    Diagnostics diagnostics = graph_.diagnostics;
    diagnostics.note(Problem::kHiddenNarrow, layout_.too_narrow);
    const std::int64_t whole =
        saturating_add(graph_.total[NodeId::kRoot] / sides_.unit,
                       diagnostics.missing_weight());
    for (const Diagnostics::Entry& entry : diagnostics.entries())
      footer_.push_back({xml_escaped(describe(entry, whole, setting_names_)),
                         info(entry.problem).is_loss});
    if (is_hard_to_read())
      footer_.push_back(
          {xml_escaped(with_hint(
               "most of this picture is frames too narrow for their names; the "
               "viewer's page lists and searches all of them",
               Setting::kViewerPage, setting_names_)),
           false});
  }

  // Of a profile of gzip, 2 % of the area is too narrow; of a python program,
  // 28; of a make, 42; of a C++ compiler, 58, and its picture is mostly hair.
  // Of frames that are not drawn, only the weight is known.
  bool is_hard_to_read() const {
    constexpr double kLeastLetters = 5;
    const double least = kLeastLetters * letter_width() + 2 * kLabelPadding;
    const double pixels =
        (width_ - 2 * kMargin) / static_cast<double>(layout_.whole);
    double area = 0, narrow = 0, drawn_self = 0;
    for (const NodeId id : graph_.ids()) {
      const auto extent = static_cast<double>(layout_.extent[id]);
      area += extent;
      if (extent * pixels < least) narrow += extent;
      if (extent > 0) drawn_self += static_cast<double>(graph_.self[id]);
    }
    const auto whole = static_cast<double>(graph_.total[NodeId::kRoot]);
    const double hidden =
        graph_.is_difference ? 0 : std::max(whole - drawn_self, 0.0);
    return narrow + hidden > (area + hidden) / 2 || hidden > whole / 2;
  }

  // Labels must stay inside even if letters are wider than estimated.
  double letter_width() const {
    return options_.font_size * options_.font_width * 1.03;
  }

  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    append(text_, format, std::forward<Args>(args)...);
  }

  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  // With pretty_xml, begins a new line at `depth`.
  void pretty(int depth) {
    if (!options_.pretty_xml) return;
    text_ += '\n';
    text_.append(4 * static_cast<std::size_t>(depth), ' ');
  }

  void write_head() {
    const std::string title =
        xml_escaped(options_.title.empty() ? kind_of_picture(graph_, options_)
                                           : options_.title);
    put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
        "height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n",
        width_, height_);
    if (!options_.notes.empty())
      put("<!-- {} -->\n", comment_text(options_.notes));
    put("<title>{}</title>\n", title);
    write_style();
    const double font = options_.font_size;
    put("<rect id=\"back\" width=\"100%\" height=\"100%\" "
        "fill=\"url(#paper)\"/>\n"
        "<text id=\"title\" x=\"{}\" y=\"{:.0f}\">{}</text>\n",
        kMargin, font * 1.9, title);
    if (!options_.subtitle.empty())
      put("<text id=\"subtitle\" x=\"{}\" y=\"{:.0f}\">{}</text>\n", kMargin,
          font * 3.3, xml_escaped(options_.subtitle));
  }

  void write_style() {
    const auto [from, to] = background(options_);
    put("<style>{}</style>\n"
        "<defs><linearGradient id=\"paper\" x2=\"0\" y2=\"1\">"
        "<stop stop-color=\"{}\"/><stop offset=\"1\" stop-color=\"{}\"/>"
        "</linearGradient></defs>\n",
        svg_style(options_), from, to);
  }

  void write_frames() {
    put("<svg id=\"frames\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
        "data-row=\"{}\" data-letter=\"{:.4g}\" data-type=\"{}\"{}{}{}{}>",
        kMargin, top_, width_ - 2 * kMargin, frames_height_, row_,
        options_.font_size * options_.font_width,
        xml_escaped(options_.name_type),
        graph_.is_difference ? " class=\"difference\"" : "",
        options_.truncate_text_right ? " data-cut=\"right\"" : "",
        options_.inverted ? " data-inverted=\"\"" : "",
        options_.width ? "" : " data-fluid=\"\"");
    if (!options_.pretty_xml) text_ += '\n';
    Column<NodeId, bool> separated(graph_.size());
    auto thread = graph_.threads.begin();
    for (const NodeId id : graph_.ids()) {
      const NodeId parent = graph_.parent[id];
      separated[id] = separated[parent] || graph_.name_of(parent) == "--";
      if (!layout_.is_drawn(id)) continue;
      while (thread != graph_.threads.end() && *thread < id) ++thread;
      write_frame(id, separated[id],
                  thread != graph_.threads.end() && *thread == id);
      if (text_.size() > (1 << 16)) flush();
    }
    pretty(0);
    text_ += "</svg>\n";
  }

  Name& name_of(NodeId id) {
    // The root's name is empty, but so may be that of another frame.
    std::optional<Name>& name =
        id == NodeId::kRoot ? root_name_ : names_[index(graph_.name[id])];
    if (name) return *name;
    name.emplace();
    name->shown = shown_name(graph_, id);
    name->length = characters_in(name->shown);
    name->has_qualifiers = has_qualifiers(name->shown);
    if (name->shown.size() <= kMaxName) {
      name->escaped = xml_escaped(name->shown);
    } else {
      std::size_t end = kMaxName;
      while (end > kMaxName - 4 && (name->shown[end] & 0xc0) == 0x80) --end;
      name->escaped = xml_escaped(name->shown.substr(0, end)) + "…";
    }
    const auto given = attributes_.find(name->shown);
    if (given != attributes_.end()) name->attributes = &given->second;
    return *name;
  }

  // A position in units of the last digit of a percentage.
  std::int64_t position(std::int64_t weight) const {
    return std::llround(static_cast<double>(weight) * 100 *
                        static_cast<double>(scale_) /
                        static_cast<double>(layout_.whole));
  }

  void put_percent(std::int64_t position) {
    const fmt::format_int whole(position / scale_);
    text_.append(whole.data(), whole.size());
    std::int64_t fraction = position % scale_;
    if (fraction != 0) {
      char digits[9];
      for (int i = decimals_; i-- > 0; fraction /= 10)
        digits[i] = static_cast<char>('0' + fraction % 10);
      int size = decimals_;
      while (digits[size - 1] == '0') --size;
      text_ += '.';
      text_.append(digits, static_cast<std::size_t>(size));
    }
    text_ += '%';
  }

  void put_number(std::int64_t number) {
    const fmt::format_int digits(number);
    text_.append(digits.data(), digits.size());
  }

  void put_color(const Rgb& color) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text_ += '#';
    for (const std::uint8_t c : {color.r, color.g, color.b}) {
      text_ += kDigits[c >> 4];
      text_ += kDigits[c & 15];
    }
  }

  Rgb color_of(NodeId id, bool separated) {
    Painted frame{.name = graph_.name_of(id),
                  .kind = graph_.kind[id],
                  .unnamed = graph_.unnamed[id],
                  .module = graph_.strings[graph_.module[id]],
                  .after_separator = separated,
                  .share = static_cast<double>(layout_.extent[id]) /
                           static_cast<double>(layout_.whole)};
    if (graph_.is_difference) {
      const double change = std::clamp(
          static_cast<double>(tooltips_.change(id)) / change_scale_, -1.0, 1.0);
      // Changes of callers are sums, next to which those of single functions
      // would be invisible on a linear scale.
      frame.change = options_.as_inferno
                         ? change
                         : std::copysign(std::sqrt(std::abs(change)), change);
      if (change == 0) frame.change = 0;
    }
    return palette_.color(frame);
  }

  void write_frame(NodeId id, bool separated, bool is_thread) {
    const Name& name = name_of(id);
    const NameAttributes* given = name.attributes;
    const bool is_link = given != nullptr && !given->href.empty();
    pretty(1);
    if (is_link)
      put("<a href=\"{}\"{}>", xml_escaped(given->href), given->link_tag);
    text_ += "<g";
    if (given != nullptr) text_ += given->frame_tag;
    if (is_thread) text_ += " data-thread=\"\"";
    const LabelCut cut = cut_of(id, name);
    if (cut == LabelCut::kEnd && !options_.truncate_text_right)
      text_ += " data-cut=\"right\"";
    text_ += '>';
    pretty(2);
    text_ += "<title>";
    if (given != nullptr && !given->title.empty()) {
      text_ += xml_escaped(given->title);
    } else {
      text_ += name.escaped;
      tooltips_.append_counts(text_, id);
    }
    text_ += "</title>";
    // Neighbours share the rounded edge between them, so no gap opens.
    const std::int64_t left = position(layout_.start[id]);
    const std::int64_t right =
        position(saturating_add(layout_.start[id], layout_.extent[id]));
    const std::int64_t depth = layout_.depth[id];
    const std::int64_t y =
        row_ * (options_.inverted ? depth : layout_.max_depth - depth);
    pretty(2);
    text_ += "<rect x=\"";
    put_percent(left);
    text_ += "\" y=\"";
    put_number(y);
    text_ += "\" width=\"";
    put_percent(right - left);
    text_ += "\" height=\"";
    put_number(row_ - 1);
    const Rgb color = color_of(id, separated);
    if (has_white_label(color)) text_ += "\" class=\"dark";
    text_ += "\" fill=\"";
    put_color(color);
    text_ += "\"/>";
    write_label(name, cut, left, right, y);
    pretty(1);
    text_ += is_link ? "</g></a>" : "</g>";
    if (!options_.pretty_xml) text_ += '\n';
  }

  // What is not code has no qualifiers, even if it looks so: "[in I/O]".
  LabelCut cut_of(NodeId id, const Name& name) const {
    const FrameKind kind = graph_.kind[id];
    const bool is_code =
        kind != FrameKind::kLabel && kind != FrameKind::kOffCpu;
    return options_.truncate_text_right || (!is_code && name.has_qualifiers)
               ? LabelCut::kEnd
               : LabelCut::kQualifiers;
  }

  void write_label(const Name& name, LabelCut cut, std::int64_t left,
                   std::int64_t right, std::int64_t y) {
    const double pixels = static_cast<double>(right - left) *
                              (width_ - 2 * kMargin) /
                              (100.0 * static_cast<double>(scale_)) -
                          2 * kLabelPadding;
    const double letter = letter_width();
    if (pixels < letter || name.length == 0) return;
    const auto room = static_cast<std::size_t>(pixels / letter);
    if (room < std::min<std::size_t>(name.length, 5)) return;
    pretty(2);
    text_ += "<text x=\"";
    put_percent(left);
    text_ += "\" dx=\"3\" y=\"";
    put_number(y + static_cast<std::int64_t>(std::lround(
                       (row_ - 1) / 2.0 + options_.font_size * .34)));
    text_ += "\">";
    if (name.length <= room) {
      text_ += name.escaped;
    } else {
      text_ += xml_escaped(cut_label(name.shown, room, cut));
    }
    text_ += "</text>";
  }

  void write_footer() {
    put("<g id=\"footer\">\n");
    int y = top_ + frames_height_ + details_ + line_;
    for (const auto& [line, is_loss] : footer_) {
      put("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", kMargin, y,
          is_loss ? " class=\"loss\"" : "", line);
      y += line_;
    }
    put("</g>\n");
  }

  struct FooterLine {
    std::string text;  // escaped
    bool is_loss;
  };

  const FlameGraph& graph_;
  const DrawOptions& options_;
  SettingNames setting_names_;
  const Layout& layout_;
  Sides sides_;
  Palette palette_;
  std::string count_name_;  // escaped
  Tooltips tooltips_;
  std::ostream& out_;
  std::vector<std::optional<Name>> names_;
  std::optional<Name> root_name_;
  NameAttributeMap attributes_;
  std::vector<FooterLine> footer_;
  int width_ = 0, height_ = 0, top_ = 0, row_ = 0, frames_height_ = 0;
  int details_ = 0, line_ = 0;  // heights of the details' and a footer line
  int decimals_ = 0;
  std::int64_t scale_ = 1;  // 10^decimals_
  double change_scale_ = 1;
  std::string text_;  // not yet written
};

void draw_nothing(const DrawOptions& options, std::ostream& out) {
  const int width = options.width.value_or(kDefaultWidth);
  out << fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" "
      "height=\"{:.0f}\">\n<text x=\"50%\" y=\"{:.0f}\" "
      "text-anchor=\"middle\" font-family=\"sans-serif\">"
      "ERROR: there are no samples to draw</text>\n</svg>\n",
      width, options.font_size * 5, options.font_size * 2);
}

double min_share(const DrawOptions& options) {
  const int width = options.width.value_or(kDefaultWidth) - 2 * kMargin;
  return options.min_width_px ? options.min_width / std::max(width, 1)
                              : options.min_width / 100;
}

void draw(const FlameGraph& graph, const WriteOptions& options,
          const LayoutOptions& layout_options, const Sides& sides,
          std::ostream& out) {
  const Timer timer("draw");
  const Layout layout = lay_out(graph, layout_options);
  if (layout.whole == 0) {
    draw_nothing(options.draw, out);
    fail("there are no samples to draw");
  }
  const OutputName& map_file = options.draw.palette_map;
  if (map_file.empty()) {
    SvgWriter(graph, options, layout, sides, nullptr, out).write();
    return;
  }
  PaletteMap map = read_palette_map(map_file.path);
  SvgWriter(graph, options, layout, sides, &map, out).write();
  write_palette_map(map, map_file);
}

// Makes the picture stand for more than what was measured, which leaves the
// rest of its width empty.
void widen_to_total(FlameGraph& graph, double total) {
  const double wanted =
      total * static_cast<double>(power_of_ten(graph.decimals));
  std::int64_t& whole = graph.total[NodeId::kRoot];
  if (wanted > static_cast<double>(whole) && wanted < 9e18)
    whole = static_cast<std::int64_t>(wanted);
}

void write_svg(const Profile& profile, const WriteOptions& options,
               std::ostream& out) {
  const double least = min_share(options.draw);
  // fold() prunes by both weights: inferno's widths are the weights after, and
  // wick scales those before.
  const bool late = is_difference(profile);
  FoldOptions fold_options = options.fold;
  fold_options.min_share = late ? 0 : least;
  FlameGraph graph = fold(profile, fold_options);
  Sides sides;
  if (graph.is_difference) {
    sides.before = graph.before_total[NodeId::kRoot];
    sides.are_normalised =
        !options.draw.as_inferno && scale_of(profile) == Scale::kNormalised;
    const int decimals = graph.decimals;
    if (sides.are_normalised) normalise(graph);
    sides.unit = power_of_ten(graph.decimals - decimals);
    sides.before *= sides.unit;
  }
  widen_to_total(graph, options.draw.total);
  WriteOptions titled = options;
  const std::string command = recorded_command(profile);
  if (titled.draw.title.empty() && !command.empty() && !titled.draw.as_inferno)
    titled.draw.title = title_of(command, kind_of_picture(graph, options.draw));
  draw(graph, titled,
       {.after_only = late && options.draw.as_inferno,
        .min_share = late ? least : 0},
       sides, out);
}

}  // namespace

void draw_svg(const FlameGraph& graph, const DrawOptions& options,
              std::ostream& out) {
  draw(graph, WriteOptions{.draw = options},
       {.after_only = options.as_inferno, .min_share = min_share(options)},
       {.before = graph.is_difference ? graph.before_total[NodeId::kRoot] : 0},
       out);
}

extern const OutputFormat svg_output = {
    .name = "svg",
    .extension = ".svg",
    .description = "flame graph for the browser: zoom, search, tooltips",
    .write = write_svg,
    .lacks = "times, threads, addresses, files and lines",
    .only_sums = true,
    .folds = true,
    .cost = {.repeats = Repeats::kThreads, .frame_bytes = 150, .names = true},
    .media_type = "image/svg+xml",
    .inline_code =
        [](const WriteOptions& options) {
          return std::vector<std::string>{svg_style(options.draw),
                                          svg_script()};
        },
};

}  // namespace wick
