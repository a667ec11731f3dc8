// SPDX-License-Identifier: Apache-2.0
#include "render/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "io/input_file.h"
#include "io/output_file.h"

namespace wick {
namespace {

// One hue: for each channel its least value, its range, and which of v1, v2 and
// v3 chooses from that.
struct Hue {
  struct Channel {
    int least, range, value;  // value: 1, 2 or 3
  };
  std::string_view name;
  Channel r, g, b;
};

// Thousands of boxes may share one name of 64 kB; its beginning is enough.
constexpr std::size_t kMostBytes = 1024;

constexpr Hue kHues[] = {
    {"hot", {205, 50, 3}, {0, 230, 1}, {0, 55, 2}},
    {"mem", {0, 0, 1}, {190, 50, 2}, {0, 210, 1}},
    {"io", {80, 60, 1}, {80, 60, 1}, {190, 55, 2}},
    {"red", {200, 55, 1}, {50, 80, 1}, {50, 80, 1}},
    {"green", {50, 60, 1}, {200, 55, 1}, {50, 60, 1}},
    {"blue", {80, 60, 1}, {80, 60, 1}, {205, 50, 1}},
    {"yellow", {175, 55, 1}, {175, 55, 1}, {50, 20, 1}},
    {"purple", {190, 65, 1}, {80, 60, 1}, {190, 65, 1}},
    {"aqua", {50, 60, 1}, {165, 55, 1}, {165, 55, 1}},
    {"orange", {190, 65, 1}, {90, 65, 1}, {0, 0, 1}},
};

// The hues of "kind". Any two differ visibly, also for people with a colour
// vision deficiency, and so do the colours of a search and of a mark;
// tests/browser/palette_test.mjs measures it.
constexpr Hue kUserHue = {"", {241, 7, 1}, {182, 20, 1}, {54, 34, 1}};
constexpr Hue kKernelHue = {"", {228, 10, 1}, {94, 20, 1}, {46, 22, 1}};
constexpr Hue kInlinedHue = {"", {254, 0, 1}, {232, 5, 1}, {175, 12, 1}};
constexpr Hue kJitHue = {"", {116, 18, 1}, {178, 12, 1}, {116, 18, 1}};
constexpr Hue kWasmHue = {"", {162, 14, 1}, {123, 18, 1}, {178, 12, 1}};
constexpr Hue kOffCpuHue = {"", {120, 14, 1}, {183, 12, 1}, {255, 0, 1}};
constexpr Hue kUnnamedHue = {"", {152, 12, 1}, {152, 12, 1}, {152, 12, 1}};
constexpr Hue kLabelHue = {"", {209, 6, 1}, {209, 6, 1}, {205, 6, 1}};

// The hues of "module" and "name", 0xrrggbb: twelve around the circle, light
// and less light. Each channel varies by kMixedRange.
constexpr std::uint32_t kMixed[] = {
    0xf8acb7, 0xdd817a, 0xf7b198, 0xd58a55, 0xeaba83, 0xbf9840,
    0xd1c681, 0x9ca74d, 0xb1d092, 0x6fb171, 0x8fd7b0, 0x3ab59a,
    0x7ad7d1, 0x1db2c0, 0x7ed2ed, 0x4ba9db, 0x97c9fd, 0x7b9de6,
    0xb8befe, 0xa48fde, 0xd6b4f0, 0xc385c6, 0xecaed7, 0xd67fa2};
constexpr int kMixedRange = 12;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// 'k', 'w', 'i' or 'j': from the name's annotation, else from the kind.
char letter_of(const Painted& frame) {
  const std::string_view name = frame.name;
  if (name.size() >= 4 && name.ends_with(']') &&
      name.substr(name.size() - 4, 2) == "_[")
    return name[name.size() - 2];
  switch (frame.kind) {
    case FrameKind::kKernel:
      return 'k';
    case FrameKind::kInlined:
      return 'i';
    case FrameKind::kJit:
      return 'j';
    default:
      return ' ';
  }
}

std::string_view java_hue(const Painted& frame) {
  const std::string_view name = frame.name;
  switch (letter_of(frame)) {
    case 'k':
      return "orange";
    case 'i':
      return "aqua";
    case 'j':
      return "green";
    default:
      break;
  }
  if (has(name, "::") || name.starts_with("-[") || name.starts_with("+["))
    return "yellow";
  if (has(name, "/") || (has(name, ".") && !name.starts_with('[')) ||
      (!name.empty() && name[0] >= 'A' && name[0] <= 'Z'))
    return "green";
  return "red";
}

std::string_view js_hue(const Painted& frame) {
  const std::string_view name = frame.name;
  const char letter = letter_of(frame);
  if (letter == 'k') return "orange";
  if (letter == 'j') return has(name, "/") ? "green" : "aqua";
  if (has(name, "node_modules/")) return "purple";
  if (has(name, "::")) return "yellow";
  if (has(name, ":")) return "aqua";
  const std::size_t slash = name.find('/');
  if (slash != name.npos && has(name.substr(slash), ".js")) return "green";
  return name == " " ? "green" : "red";
}

std::string_view perl_hue(const Painted& frame) {
  if (letter_of(frame) == 'k') return "orange";
  if (has(frame.name, "Perl") || has(frame.name, ".pl")) return "green";
  if (has(frame.name, "::")) return "yellow";
  return "red";
}

// Whether `name` has a directory like "python3.11/".
bool in_python_library(std::string_view name) {
  constexpr std::string_view kWord = "python";
  for (std::size_t at = name.find(kWord); at != name.npos;
       at = name.find(kWord, at + 1)) {
    std::size_t i = at + kWord.size();
    const std::size_t digits = i;
    while (i < name.size() && (is_digit(name[i]) || name[i] == '.')) ++i;
    if (i > digits && i < name.size() && (name[i] == '/' || name[i] == '\\'))
      return true;
  }
  return false;
}

std::string_view python_hue(const Painted& frame) {
  const std::string_view name = frame.name;
  if (has(name, "site-packages")) return "aqua";
  if (in_python_library(name) || name.starts_with("<built-in") ||
      name.starts_with("<method") || name.starts_with("<frozen"))
    return "yellow";
  return "red";
}

std::string_view rust_hue(const Painted& frame) {
  std::string_view name = frame.name;
  const std::size_t tick = name.find('`');
  if (tick != name.npos) name.remove_prefix(tick + 1);
  for (const std::string_view library : {"core::", "std::", "alloc::"})
    if (name.starts_with(library) ||
        (name.starts_with('<') && name.substr(1).starts_with(library)))
      return "orange";
  return has(name, "::") ? "aqua" : "yellow";
}

std::string_view wakeup_hue(const Painted&) { return "aqua"; }

std::string_view chain_hue(const Painted& frame) {
  return frame.after_separator || letter_of(frame) == 'w' ? "aqua" : "blue";
}

// Palettes that choose a hue by the kind of code.
struct Family {
  std::string_view name;
  std::string_view (*hue)(const Painted&);
};

constexpr Family kFamilies[] = {
    {"java", java_hue},     {"js", js_hue},     {"perl", perl_hue},
    {"python", python_hue}, {"rust", rust_hue}, {"wakeup", wakeup_hue},
    {"chain", chain_hue},
};

Hue kind_hue(const Painted& frame) {
  if (frame.unnamed) return kUnnamedHue;
  switch (frame.kind) {
    case FrameKind::kUser:
      break;
    case FrameKind::kKernel:
      return kKernelHue;
    case FrameKind::kInlined:
      return kInlinedHue;
    case FrameKind::kJit:
      return kJitHue;
    case FrameKind::kWasm:
      return kWasmHue;
    case FrameKind::kOffCpu:
      return kOffCpuHue;
    case FrameKind::kLabel:
      return kLabelHue;
  }
  return kUserHue;
}

// FNV-1a.
constexpr std::uint64_t kFnvPrime = 0x100000001b3;
std::uint64_t fnv(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * kFnvPrime;
  return h;
}

Hue mixed_hue(std::string_view text) {
  const std::uint32_t color = kMixed[fnv(text) % std::size(kMixed)];
  const auto channel = [&](int shift) {
    return Hue::Channel{static_cast<int>(color >> shift & 255), kMixedRange, 1};
  };
  return {"", channel(16), channel(8), channel(0)};
}

Hue module_hue(const Painted& frame) {
  if (!frame.module.empty()) return mixed_hue(frame.module);
  return frame.kind == FrameKind::kLabel || frame.kind == FrameKind::kOffCpu
             ? kLabelHue
             : kUnnamedHue;
}

Hue name_hue(const Painted& frame) {
  if (frame.kind == FrameKind::kLabel) return kLabelHue;
  if (frame.unnamed) return kUnnamedHue;
  return mixed_hue(frame.name.substr(0, kMostBytes));
}

// Palettes of wick.
struct OwnPalette {
  std::string_view name;
  Hue (*hue)(const Painted&);
};

constexpr OwnPalette kOwnPalettes[] = {
    {"kind", kind_hue}, {"module", module_hue}, {"name", name_hue}};

const Hue* find_hue(std::string_view name) {
  const auto* at = std::ranges::find(kHues, name, &Hue::name);
  return at == std::end(kHues) ? nullptr : at;
}

Hue hue_of(std::string_view palette, const Painted& frame) {
  const auto* own = std::ranges::find(kOwnPalettes, palette, &OwnPalette::name);
  if (own != std::end(kOwnPalettes)) return own->hue(frame);
  const Hue* hue = find_hue(palette);
  if (hue == nullptr)
    hue = find_hue(
        std::ranges::find(kFamilies, palette, &Family::name)->hue(frame));
  return *hue;
}

std::string palette_names() {
  std::string names;
  for (const OwnPalette& own : kOwnPalettes)
    names += fmt::format("{}, ", own.name);
  for (const Hue& hue : kHues) names += fmt::format("{}, ", hue.name);
  for (const Family& family : kFamilies)
    names += fmt::format("{}, ", family.name);
  names.resize(names.size() - 2);
  return names;
}

// flamegraph.pl's hash of a name: the first three characters, with falling
// weights.
double letters_hash(std::span<const char32_t> name) {
  double sum = 0, most = 1, weight = 1;
  for (std::size_t i = 0; i < name.size() && i < 3; ++i) {
    const auto mod = static_cast<char32_t>(10 + i);
    sum += static_cast<double>(name[i] % mod) / static_cast<double>(mod - 1) *
           weight;
    most += weight;
    weight *= 0.7;
  }
  return 1 - sum / most;
}

std::vector<char32_t> characters(std::string_view text) {
  std::vector<char32_t> out;
  while (!text.empty()) out.push_back(take_utf8(text));
  return out;
}

// One step of drand48 from the sum of the characters: what srand and rand give
// in every version of Perl.
double seeded_by_name(std::string_view name) {
  std::uint32_t seed = 0;
  while (!name.empty()) seed += take_utf8(name);
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;
  const std::uint64_t start = std::uint64_t{seed} << 16 | 0x330e;
  return std::ldexp(static_cast<double>((start * 0x5deece66d + 0xb) & kMask),
                    -48);
}

std::uint8_t channel(double value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
}

// White fades into red where a frame grew and into blue where it shrank.
Rgb change_color(double change) {
  if (change == 0) return {250, 250, 250};
  const std::uint8_t fading = channel(100 + 150 * (1 - std::abs(change)));
  if (change > 0) return {255, fading, fading};
  return {fading, fading, 255};
}

std::optional<Rgb> parse_rgb(std::string_view text) {
  if (!text.starts_with("rgb(") || !text.ends_with(')')) return {};
  text.remove_prefix(4);
  text.remove_suffix(1);
  std::array<std::uint8_t, 3> channels = {};
  for (std::uint8_t& c : channels) {
    const auto number = to_number<std::uint8_t>(trim(take_until(text, ',')));
    if (!number) return {};
    c = *number;
  }
  return Rgb{channels[0], channels[1], channels[2]};
}

}  // namespace

Palette::Palette(const DrawOptions& options, PaletteMap* map)
    : colors_(options.colors.empty() ? "hot" : options.colors),
      hash_(options.hash),
      deterministic_(options.deterministic),
      random_(options.random),
      diffusion_(options.color_diffusion),
      negate_(options.negate),
      map_(map) {
  check_palette(colors_);
  if (random_) generator_.seed(std::random_device()());
}

void check_palette(std::string_view name) {
  const auto is_one_of = [&](const auto& palettes) {
    return std::ranges::any_of(
        palettes, [&](const auto& palette) { return palette.name == name; });
  };
  if (!is_one_of(kHues) && !is_one_of(kFamilies) && !is_one_of(kOwnPalettes))
    fail_usage("there is no palette '{}'; palettes are {}", excerpt(name),
               palette_names());
}

bool has_white_label(const Rgb& color) {
  const auto light = [](std::uint8_t channel) {
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * light(color.r) + 0.7152 * light(color.g) +
             0.0722 * light(color.b) <
         0.179;
}

Palette::Values Palette::values(std::string_view name) {
  name = name.substr(0, kMostBytes);
  if (random_) {
    std::uniform_real_distribution<double> unit(0, 1);
    const double v1 = unit(generator_), v2 = unit(generator_);
    return {v1, v2, unit(generator_)};
  }
  if (hash_) {
    std::vector<char32_t> letters = characters(name);
    const auto without_module = [&] {
      const auto tick = std::ranges::find(letters, U'`');
      const auto skip = tick == letters.end() || tick == letters.begin()
                            ? 0
                            : tick - letters.begin() + 1;
      return std::span(letters).subspan(static_cast<std::size_t>(skip));
    };
    const double forward = letters_hash(without_module());
    std::ranges::reverse(letters);
    const double backward = letters_hash(without_module());
    return {forward, backward, backward};
  }
  if (deterministic_) {
    std::uint64_t h = fnv(name);
    const auto next = [&] {
      const double v = std::ldexp(static_cast<double>(h), -64);
      h *= kFnvPrime;
      return v;
    };
    const double v1 = next(), v2 = next();
    return {v1, v2, next()};
  }
  const double v = seeded_by_name(name);
  return {v, v, v};
}

Rgb Palette::plain_color(const Painted& frame) {
  const Hue hue = hue_of(colors_, frame);
  // flamegraph.pl annotates the names of a waker before it colours them.
  const bool annotate = colors_ == "chain" && frame.after_separator;
  const Values v =
      annotate ? values(std::string(frame.name) + "_[w]") : values(frame.name);
  const auto mixed = [&](const Hue::Channel& c) {
    const double value = c.value == 1 ? v.v1 : c.value == 2 ? v.v2 : v.v3;
    return channel(c.least + c.range * value);
  };
  return {mixed(hue.r), mixed(hue.g), mixed(hue.b)};
}

Rgb Palette::color(const Painted& frame) {
  if (frame.name == "--") return {160, 160, 160};
  if (frame.name == "-") return {200, 200, 200};
  if (diffusion_) return change_color(std::sqrt(frame.share));
  if (frame.change)
    return change_color(negate_ ? -*frame.change : *frame.change);
  if (map_ == nullptr) return plain_color(frame);
  const auto known = map_->find(frame.name);
  if (known != map_->end()) return known->second;
  return map_->emplace(frame.name, plain_color(frame)).first->second;
}

std::pair<std::string, std::string> background(const DrawOptions& options) {
  std::string name = options.bg_colors;
  if (name.empty()) {
    const std::string_view colors = options.colors;
    if (colors == "mem")
      name = "green";
    else if (colors == "io" || colors == "wakeup" || colors == "chain")
      name = "blue";
    else if (colors == "kind" || colors == "module" || colors == "name" ||
             (find_hue(colors) != nullptr && colors != "hot"))
      name = "grey";
    else
      name = "yellow";
  }
  if (name == "yellow") return {"#eeeeee", "#eeeeb0"};
  if (name == "blue") return {"#eeeeee", "#e0e0ff"};
  if (name == "green") return {"#eef2ee", "#e0ffe0"};
  if (name == "grey" || name == "gray") return {"#f8f8f8", "#e8e8e8"};
  if (name.size() == 7 && name[0] == '#' && all_hex_digits(name.substr(1)))
    return {name, name};
  fail_usage(
      "there is no background '{}'; backgrounds are yellow, blue, green, grey "
      "and #rrggbb",
      excerpt(name));
}

PaletteMap read_palette_map(const std::string& path) {
  PaletteMap map;
  if (!std::filesystem::exists(path)) return map;
  InputFile file = InputFile::open_regular(path);
  std::string_view text = file.bytes();
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const std::size_t arrow = line.find("->");
    if (arrow == line.npos || arrow != line.rfind("->")) continue;
    const auto color = parse_rgb(trim(line.substr(arrow + 2)));
    if (color) map.insert_or_assign(std::string(line.substr(0, arrow)), *color);
  }
  return map;
}

void write_palette_map(const PaletteMap& map, const OutputName& output) {
  OutputFile file(output);
  for (const auto& [name, c] : map) {
    // These would be read back as another name.
    if (has(name, "->") || has(name, "\n")) continue;
    file.stream() << fmt::format("{}->rgb({},{},{})\n", name, c.r, c.g, c.b);
  }
  file.commit();
}

}  // namespace wick
