// SPDX-License-Identifier: Apache-2.0
#include "format/tables/xml.h"

#include <array>
#include <utility>

#include "base/text.h"

namespace wick {
namespace {

// Where the tag that begins `text` ends: the first ">" outside of quotes.
std::size_t end_of_tag(std::string_view text) {
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i;
    }
  }
  return text.npos;
}

// Takes "name" from "name attributes…".
std::string_view take_name(std::string_view& tag) {
  std::size_t end = 0;
  while (end < tag.size() && !is_space(tag[end])) ++end;
  const std::string_view name = tag.substr(0, end);
  tag.remove_prefix(end);
  return name;
}

// Takes ` name="value"` from the front; the name is empty at the end.
std::pair<std::string_view, std::string_view> take_attribute(
    std::string_view& text) {
  text = trim_left(text);
  const std::size_t equals = text.find('=');
  if (equals == text.npos) return {};
  const std::string_view name = trim(text.substr(0, equals));
  text = trim_left(text.substr(equals + 1));
  if (text.empty()) return {};
  const std::size_t end = text.find(text.front(), 1);
  if (end == text.npos) return {};
  const std::string_view value = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  return {name, value};
}

// The character of an entity, the text between "&" and ";".
std::optional<char32_t> character_of(std::string_view entity) {
  static constexpr std::array<std::pair<std::string_view, char32_t>, 5>
      kEntities = {{{"amp", '&'},
                    {"lt", '<'},
                    {"gt", '>'},
                    {"quot", '"'},
                    {"apos", '\''}}};
  for (const auto& [name, c] : kEntities)
    if (entity == name) return c;
  if (!entity.starts_with('#')) return {};
  entity.remove_prefix(1);
  const bool hex = entity.starts_with('x');
  if (hex) entity.remove_prefix(1);
  const auto code = to_number<std::uint32_t>(entity, hex ? 16 : 10);
  if (!code || *code == 0 || *code > 0x10ffff ||
      (*code >= 0xd800 && *code < 0xe000))
    return {};
  return static_cast<char32_t>(*code);
}

}  // namespace

std::string xml_unescaped(std::string_view text) {
  constexpr std::size_t kLongest = 10;  // "&#x10ffff;"
  std::string out;
  while (true) {
    const std::size_t amp = text.find('&');
    out += text.substr(0, amp);
    if (amp == text.npos) return out;
    text.remove_prefix(amp);
    const std::size_t end = text.substr(0, kLongest).find(';');
    const auto c =
        end == text.npos ? std::nullopt : character_of(text.substr(1, end - 1));
    if (c) {
      append_utf8(out, *c);
      text.remove_prefix(end + 1);
    } else {
      out += '&';
      text.remove_prefix(1);
    }
  }
}

XmlReader::Token XmlReader::next() {
  if (std::exchange(closes_, false)) return Token::kClose;
  while (!rest_.empty()) {
    if (!rest_.starts_with('<')) {
      text_ = rest_.substr(0, rest_.find('<'));
      rest_.remove_prefix(text_.size());
      is_cdata_ = false;
      return Token::kText;
    }
    if (rest_.starts_with("<!--")) {
      skip_past("-->");
    } else if (rest_.starts_with("<![CDATA[")) {
      constexpr std::size_t kBegin = 9, kEnd = 3;
      const std::string_view all = rest_;
      if (!skip_past("]]>")) continue;
      text_ = all.substr(kBegin, all.size() - rest_.size() - kBegin - kEnd);
      is_cdata_ = true;
      return Token::kText;
    } else if (rest_.starts_with("<?")) {
      skip_past("?>");
    } else if (rest_.starts_with("<!")) {
      skip_past(">");
    } else {
      const Token token = read_tag();
      if (token != Token::kEnd) return token;
    }
  }
  return Token::kEnd;
}

bool XmlReader::skip_past(std::string_view end) {
  const std::size_t at = rest_.find(end);
  cut_off_ = at == rest_.npos;
  rest_.remove_prefix(cut_off_ ? rest_.size() : at + end.size());
  return !cut_off_;
}

XmlReader::Token XmlReader::read_tag() {
  const std::size_t end = end_of_tag(rest_);
  if (end == rest_.npos) {
    cut_off_ = true;
    rest_ = {};
    return Token::kEnd;
  }
  std::string_view tag = rest_.substr(1, end - 1);
  rest_.remove_prefix(end + 1);
  if (tag.starts_with('/')) {
    tag.remove_prefix(1);
    name_ = take_name(tag);
    return Token::kClose;
  }
  if (tag.ends_with('/')) {
    closes_ = true;
    tag.remove_suffix(1);
  }
  name_ = take_name(tag);
  attributes_ = tag;
  return Token::kOpen;
}

std::optional<std::string> XmlReader::attribute(std::string_view name) const {
  std::string_view rest = attributes_;
  while (true) {
    const auto [key, value] = take_attribute(rest);
    if (key.empty()) return {};
    if (key == name) return xml_unescaped(value);
  }
}

std::string XmlReader::text() const {
  return is_cdata_ ? std::string(text_) : xml_unescaped(text_);
}

}  // namespace wick
