// SPDX-License-Identifier: Apache-2.0
#include "itrace/trigger/runtime_config.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "io/input_file.h"

namespace wick {
namespace {

constexpr std::size_t kMaxSize = 1 << 20;

// Up to a '#' or ';' outside quotes that begins the line or follows a blank.
std::string_view without_comment(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if ((c == '#' || c == ';') && (i == 0 || is_blank(line[i - 1]))) {
      return line.substr(0, i);
    }
  }
  return line;
}

std::string_view unquoted(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && (text[0] == '"' || text[0] == '\'') &&
      text.back() == text[0])
    return text.substr(1, text.size() - 2);
  return text;
}

bool is_yes(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return lower == "yes" || lower == "true" || lower == "on" || lower == "1";
}

int small_number(std::string_view key, std::string_view text) {
  const auto number = to_number<int>(text);
  if (!number)
    fail("the tracing setting '{}' is '{}', not a number", key, excerpt(text));
  return *number;
}

void set(RuntimeConfig& config, std::string_view section, std::string_view key,
         std::string_view value) {
  if (section == "workload") {
    if (key == "workload_name" || key == "workloadname")
      config.workload = value;
    return;
  }
  if (section != "tracing") return;
  config.has_tracing = true;
  if (key == "enable") {
    config.enabled = is_yes(value);
  } else if (key == "output_format") {
    config.output_format = small_number(key, value);
  } else if (key == "selector") {
    config.selector = small_number(key, value);
  } else if (key == "start") {
    config.start = value;
  } else if (key == "end") {
    config.end = value;
  } else if (key == "startcycle" || key == "endcycle") {
    // FireSim up to 1.7, which had no other trigger.
    config.selector = 1;
    (key == "startcycle" ? config.start : config.end) = value;
  }
}

// A line of the file, in terms common to both languages.
struct Line {
  bool begins_section = false, is_pair = false;
  std::string_view section, key, value;
};

Line look_at(std::string_view text, bool ini) {
  text = trim_right(without_comment(text));
  if (trim(text).empty()) return {};
  const bool indented = is_blank(text[0]);
  text = trim(text);
  if (ini && text[0] == '[') {
    const std::size_t end = text.find(']');
    return {.begins_section = true,
            .section = trim(text.substr(1, end == text.npos ? end : end - 1))};
  }
  const std::size_t separator = text.find_first_of(ini ? "=:" : ":");
  if (separator == text.npos) return {};
  const std::string_view key = unquoted(text.substr(0, separator));
  const std::string_view value = unquoted(text.substr(separator + 1));
  if (!ini && !indented) return {.begins_section = true, .section = key};
  return {.is_pair = true, .key = key, .value = value};
}

bool is_ini(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = trim(without_comment(take_line(text)));
    if (!line.empty()) return line[0] == '[';
  }
  return false;
}

}  // namespace

RuntimeConfig parse_runtime_config(std::string_view text) {
  RuntimeConfig config;
  const bool ini = is_ini(text);
  std::string_view section;
  while (!text.empty()) {
    const Line line = look_at(take_line(text), ini);
    if (line.begins_section) section = line.section;
    if (line.begins_section && section == "tracing") config.has_tracing = true;
    if (line.is_pair) set(config, section, line.key, line.value);
  }
  return config;
}

RuntimeConfig read_runtime_config(InputFile file) {
  return in_context(file.name(), [&] {
    const std::string_view text = file.peek(kMaxSize);
    if (text.size() >= kMaxSize)
      fail("too large for a FireSim runtime configuration");
    RuntimeConfig config = parse_runtime_config(text);
    if (!config.has_tracing)
      fail(
          "has no tracing section; expected FireSim's config_runtime.ini or "
          "config_runtime.yaml");
    return config;
  });
}

}  // namespace wick
