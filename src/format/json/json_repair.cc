// SPDX-License-Identifier: Apache-2.0
// Repairs damaged JSON. One pass copies the text token by token; `good_` is the
// size of the copy after the last token at which it could end, because a value
// ends or a bracket opens there. At the end, the copy is cut back to that size
// and the open brackets are closed:
//
//   {"name": "main", "children": [{"name": "re     is read as
//   {"name": "main", "children": [{}]}
//
// A number at the very end may lack digits, so it is dropped.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/text.h"
#include "format/json/json.h"

namespace wick {
namespace {

constexpr bool is_json_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

class Repair {
 public:
  explicit Repair(std::string_view text) : text_(text) {}
  RepairedJson run();

 private:
  // Each takes a token from the text; false means that the text ends here, for
  // the reason in `problem_`.
  bool value();
  bool string();
  bool escape();
  bool number();
  bool word();
  bool key();

  bool stop(std::string_view what);
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return text_[at_]; }
  void skip_space() {
    while (!at_end() && is_json_space(peek())) ++at_;
  }
  void mark_good() {
    good_ = out_.size();
    good_depth_ = open_.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
  std::string open_;  // the brackets that close what is open
  std::size_t good_ = 0, good_depth_ = 0;
  bool comma_ = false;  // a value precedes, in the same bracket
  std::string problem_;
  std::size_t fixes_ = 0;
};

bool Repair::stop(std::string_view what) {
  if (at_end())
    problem_ = "the JSON is truncated";
  else
    problem_ = fmt::format("the JSON is broken at byte {}: {}", at_, what);
  return false;
}

// The four hexadecimal digits of "\u", if there are four.
std::optional<std::uint32_t> code_unit(std::string_view text) {
  if (text.size() < 6 || !text.starts_with("\\u")) return {};
  return to_number<std::uint32_t>(text.substr(2, 4), 16);
}

bool Repair::escape() {
  if (at_ + 1 >= text_.size()) {
    at_ = text_.size();
    return stop("");
  }
  const char c = text_[at_ + 1];
  if (std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos) {
    out_ += text_.substr(at_, 2);
    at_ += 2;
    return true;
  }
  const auto unit = code_unit(text_.substr(at_));
  if (!unit) {
    if (c == 'u' && text_.size() - at_ < 6) {
      at_ = text_.size();
      return stop("");
    }
    ++fixes_;
    out_ += "\xef\xbf\xbd";  // for the backslash
    ++at_;
    return true;
  }
  if (*unit < 0xd800 || *unit > 0xdfff) {
    out_ += text_.substr(at_, 6);
    at_ += 6;
    return true;
  }
  const auto low = code_unit(text_.substr(at_ + 6));
  if (*unit < 0xdc00 && low && *low >= 0xdc00 && *low <= 0xdfff) {
    out_ += text_.substr(at_, 12);
    at_ += 12;
    return true;
  }
  ++fixes_;
  out_ += "\\ufffd";
  at_ += 6;
  return true;
}

bool Repair::string() {
  out_ += '"';
  for (++at_; !at_end();) {
    const char c = peek();
    if (c == '"') {
      ++at_;
      out_ += '"';
      return true;
    }
    if (c == '\\') {
      if (!escape()) return false;
      continue;
    }
    if (c >= 0x20) {  // plain ASCII (char is signed)
      out_ += c;
      ++at_;
      continue;
    }
    std::string_view rest = text_.substr(at_);
    const std::size_t before = rest.size();
    const char32_t point = take_utf8(rest);
    const std::size_t size = before - rest.size();
    if (point < 0x20) {
      ++fixes_;
      out_ += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point));
    } else {
      if (point == 0xfffd && text_.substr(at_, size) != "\xef\xbf\xbd")
        ++fixes_;
      append_utf8(out_, point);
    }
    at_ += size;
  }
  return stop("");
}

bool Repair::number() {
  const std::size_t begin = at_;
  const auto digits = [&] {
    const std::size_t from = at_;
    while (!at_end() && is_digit(peek())) ++at_;
    return at_ > from;
  };
  if (peek() == '-') ++at_;
  if (text_.substr(at_).starts_with("Inf")) return word();
  bool good = digits();
  bool whole = true;
  if (good && !at_end() && peek() == '.') {
    whole = false;
    ++at_;
    good = digits();
  }
  if (good && !at_end() && (peek() == 'e' || peek() == 'E')) {
    whole = false;
    ++at_;
    if (!at_end() && (peek() == '+' || peek() == '-')) ++at_;
    good = digits();
  }
  if (!good || (at_end() && !open_.empty())) return stop("not a number");
  const std::string_view token = text_.substr(begin, at_ - begin);
  const bool fits = to_number<std::int64_t>(token).has_value() ||
                    to_number<std::uint64_t>(token).has_value();
  const std::size_t first = token.starts_with('-') ? 1 : 0;
  const bool leading_zero = token.size() > first + 1 && token[first] == '0' &&
                            is_digit(token[first + 1]);
  if ((whole ? fits : true) && !leading_zero) {
    if (const auto real = to_double(token); real && std::isfinite(*real)) {
      out_ += token;
      return true;
    }
  }
  ++fixes_;
  const auto real = to_double(token);
  out_ += real && std::isfinite(*real) ? fmt::format("{:.17e}", *real) : "null";
  return true;
}

bool Repair::word() {
  const std::size_t begin = at_;
  while (!at_end() &&
         ((peek() >= 'a' && peek() <= 'z') || (peek() >= 'A' && peek() <= 'Z')))
    ++at_;
  const std::string_view token = text_.substr(begin, at_ - begin);
  if (token == "true" || token == "false" || token == "null") {
    out_ += token;
    return true;
  }
  if (token == "NaN" || token == "Infinity" || token == "undefined") {
    ++fixes_;
    out_ += "null";
    return true;
  }
  if (!at_end()) at_ = begin;
  return stop("expected a value");
}

bool Repair::value() {
  switch (peek()) {
    case '{':
    case '[':
      if (open_.size() >= JsonDocument::kMaxDepth - 1)
        return stop("it is nested too deeply");
      out_ += peek();
      open_ += peek() == '{' ? '}' : ']';
      ++at_;
      comma_ = false;
      break;
    case '"':
      if (!string()) return false;
      comma_ = true;
      break;
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
      if (!number()) return false;
      comma_ = true;
      break;
    default:
      if (!word()) return false;
      comma_ = true;
      break;
  }
  mark_good();
  return true;
}

bool Repair::key() {
  if (peek() != '"') return stop("expected a key");
  if (!string()) return false;
  skip_space();
  if (at_end() || peek() != ':') return stop("expected ':'");
  out_ += ':';
  ++at_;
  skip_space();
  return at_end() ? stop("") : true;
}

RepairedJson Repair::run() {
  skip_space();
  bool more = at_end() ? stop("") : value();
  while (more && !open_.empty()) {
    skip_space();
    if (at_end()) {
      more = stop("");
      break;
    }
    if (peek() == open_.back()) {
      out_ += open_.back();
      open_.pop_back();
      ++at_;
      comma_ = true;
      mark_good();
      continue;
    }
    if (comma_) {
      if (peek() != ',') {
        more = stop("expected ','");
        break;
      }
      ++at_;
      skip_space();
      if (at_end()) {
        more = stop("");
        break;
      }
      // A comma before a closing bracket separates nothing.
      if (peek() == open_.back()) continue;
      out_ += ',';
    }
    more = (open_.back() == ']' || key()) && value();
  }
  if (more) {
    skip_space();
    if (!at_end()) stop("there is text after its end");
  }
  out_.resize(good_);
  open_.resize(good_depth_);
  out_.append(open_.rbegin(), open_.rend());
  return {std::move(out_), std::move(problem_), fixes_};
}

}  // namespace

RepairedJson repair_json(std::string_view text) { return Repair(text).run(); }

std::vector<std::string_view> json_keys(std::string_view head) {
  std::vector<std::string_view> keys;
  head = trim(without_byte_order_mark(head));
  if (head.starts_with('[')) head = trim_left(head.substr(1));
  if (!head.starts_with('{')) return keys;
  // A string directly after "{" or "," of the outermost object is a key.
  int depth = 0;
  bool key_next = false;
  for (std::size_t i = 0; i < head.size(); ++i) {
    switch (head[i]) {
      case '{':
      case '[':
        ++depth;
        key_next = depth == 1;
        break;
      case '}':
      case ']':
        if (--depth == 0) return keys;
        break;
      case ',':
        key_next = depth == 1;
        break;
      case '"': {
        const std::size_t begin = i + 1;
        bool escaped = false;
        for (++i; i < head.size() && head[i] != '"'; ++i)
          if (head[i] == '\\') {
            escaped = true;
            ++i;
          }
        if (key_next && !escaped && i < head.size())
          keys.push_back(head.substr(begin, i - begin));
        key_next = false;
        break;
      }
      default:
        break;
    }
  }
  return keys;
}

}  // namespace wick
