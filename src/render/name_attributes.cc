// SPDX-License-Identifier: Apache-2.0
#include "render/name_attributes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace wick {
namespace {

std::string_view unquoted(std::string_view value) {
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
      value.back() == value.front())
    return value.substr(1, value.size() - 2);
  return value;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// Browsers ignore blanks and control characters before and inside a scheme, so
// they are removed before it is checked.
std::string safe_address(std::string_view text) {
  std::string address;
  for (const char c : text)
    if (static_cast<unsigned char>(c) > ' ' && c != 0x7f) address += c;
  const std::size_t colon = address.find(':');
  if (colon != address.npos && colon < address.find_first_of("/?#")) {
    const std::string scheme = lower(address.substr(0, colon));
    if (scheme != "http" && scheme != "https")
      fail_usage("href '{}' is not http, https or relative", excerpt(text));
  }
  return address;
}

bool is_attribute_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !name.empty() && letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) {
           return letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
         });
}

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, xml_escaped(value));
}

// `a="1" b='2'`, checked and rewritten.
std::string extra_attributes(std::string_view text) {
  std::string out;
  const std::string_view all = text;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    const std::string_view name = trim(take_until(text, '='));
    text = trim_left(text);
    const char quote = text.empty() ? '\0' : text.front();
    if (!is_attribute_name(name) || (quote != '"' && quote != '\''))
      fail_usage("expected attributes of the form name=\"value\", not '{}'",
                 excerpt(all));
    text.remove_prefix(1);
    const std::string lowered = lower(name);
    if (lowered.starts_with("on") || lowered == "href" || lowered == "style")
      fail_usage("attribute '{}' is not allowed in a picture", name);
    out += attribute(name, take_until(text, quote));
  }
  return out;
}

void set(NameAttributes& attributes, std::string_view key,
         std::string_view value) {
  if (key == "title") {
    attributes.title = value;
  } else if (key == "href") {
    attributes.href = safe_address(value);
  } else if (key == "target") {
    attributes.link_tag += attribute(key, value);
  } else if (key == "id" || key == "class") {
    attributes.frame_tag += attribute(key, value);
  } else if (key == "g_extra") {
    attributes.frame_tag += extra_attributes(value);
  } else if (key == "a_extra") {
    attributes.link_tag += extra_attributes(value);
  }
}

}  // namespace

NameAttributeMap parse_name_attributes(std::string_view text) {
  NameAttributeMap map;
  std::uint64_t number = 0;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    ++number;
    if (trim(line).empty()) continue;
    in_context(fmt::format("line {}", number), [&] {
      NameAttributes& attributes = map[std::string(take_until(line, '\t'))];
      while (!line.empty()) {
        std::string_view value = take_until(line, '\t');
        const std::string_view key = trim(take_until(value, '='));
        // The extras are quoted inside; the others may be quoted as a whole.
        set(attributes, key, key.ends_with("extra") ? value : unquoted(value));
      }
    });
  }
  for (auto& [name, attributes] : map)
    if (!attributes.href.empty() &&
        attributes.link_tag.find(" target=") == std::string::npos)
      attributes.link_tag += attribute("target", "_top");
  return map;
}

}  // namespace wick
