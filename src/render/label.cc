// SPDX-License-Identifier: Apache-2.0
#include "render/label.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.h"
#include "render/svg_text.h"

namespace wick {
namespace {

// Names can have 64 kB; labels never need more than this.
constexpr std::size_t kLongestName = 4096;

constexpr std::string_view kOpen = "(<[{", kClose = ")>]}";

// Longest first.
constexpr std::string_view kOperators[] = {
    "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=",
    "->",  "==",  "!=",  "&&",  "||", "++", "--", "+=", "-=", "*=",
    "/=",  "%=",  "^=",  "&=",  "|=", "<",  ">",  "=",  "!",  "+",
    "-",   "*",   "/",   "%",   "^",  "&",  "|",  "~",  ","};

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c == '_';
}

// Of what a name consists.
struct Parts {
  // Where a part begins that can stand without what is before it.
  std::vector<std::size_t> starts;
  // What is in brackets, with them: begin and end.
  std::vector<std::pair<std::size_t, std::size_t>> groups;
};

class PartFinder {
 public:
  explicit PartFinder(std::string_view name) : name_(name) {}

  Parts run() {
    while (at_ < name_.size()) step();
    // Blanks separate a type from a function that has parameters.
    std::erase_if(parts_.starts, [&](std::size_t start) {
      return name_[start - 1] == ' ' && start > parameters_;
    });
    return std::move(parts_);
  }

 private:
  char look(std::size_t ahead) const {
    return at_ + ahead < name_.size() ? name_[at_ + ahead] : '\0';
  }

  void step() {
    const char c = name_[at_];
    if (c == 'o' && skip_operator()) return;
    const std::size_t type = kOpen.find(c);
    if (type != kOpen.npos && skip_group(type)) return;
    is_lower_ &= is_digit(c) || (c >= 'a' && c <= 'z') || c == '_' || c == '.';
    if (!in_place_) look_for_start(c);
    ++at_;
  }

  void start_at(std::size_t at) {
    if (at >= name_.size()) return;
    parts_.starts.push_back(at);
    is_lower_ = true;
  }

  void look_for_start(char c) {
    const char next = look(1);
    if (c == ':' && next == ':') {
      ++at_;
      // "{{closure}}" says nothing by itself.
      if (look(1) != '{') start_at(at_ + 1);
    } else if ((c == ' ' || c == ':') && next == '/' && at_ > 0) {
      in_place_ = true;  // "f /app/a.js:1", "py::f:/app/a.py"
    } else if ((c == '/' && next != ' ') || (c == ' ' && next != '<') ||
               // "pkg.(*T).f" of Go
               (c == '.' && next == '(') ||
               // "java.util.Map.get"
               (c == '.' && next >= 'A' && next <= 'Z' && is_lower_)) {
      start_at(at_ + 1);
    }
  }

  // Skips "operator<", "operator()", "operator bool" and the like.
  bool skip_operator() {
    constexpr std::string_view kWord = "operator";
    if (!name_.substr(at_).starts_with(kWord) ||
        (at_ > 0 && is_word(name_[at_ - 1])) || is_word(look(kWord.size())))
      return false;
    at_ += kWord.size();
    const std::size_t symbol = at_;
    skip_symbol();
    // It is not cut within its symbol either.
    parts_.groups.emplace_back(symbol, at_);
    return true;
  }

  void skip_symbol() {
    const std::string_view rest = name_.substr(at_);
    const auto* known = std::ranges::find_if(
        kOperators, [&](std::string_view op) { return rest.starts_with(op); });
    if (known != std::end(kOperators)) {
      at_ += known->size();
      return;
    }
    // A type, "new", or a literal's suffix, up to the parameters.
    for (int depth = 0; at_ < name_.size(); ++at_) {
      const char c = name_[at_];
      if (c == '(' && depth == 0) break;
      depth += (c == '<') - (c == '>');
    }
  }

  // Skips what is in brackets. A bracket that is never closed is a letter, and
  // so are all later ones like it.
  bool skip_group(std::size_t type) {
    if (is_letter_[type]) return false;
    int depth = 0;
    for (std::size_t i = at_; i < name_.size(); ++i) {
      if (name_[i] == kOpen[type]) ++depth;
      if (name_[i] != kClose[type] || (type == 1 && name_[i - 1] == '-'))
        continue;
      if (--depth > 0) continue;
      if (type == 0 && parameters_ == 0 && at_ > 0 && name_[at_ - 1] != ' ' &&
          name_[at_ - 1] != '.')
        parameters_ = at_;
      parts_.groups.emplace_back(at_, i + 1);
      at_ = i + 1;
      is_lower_ = false;
      return true;
    }
    is_letter_[type] = true;
    return false;
  }

  std::string_view name_;
  std::size_t at_ = 0;
  Parts parts_;
  std::array<bool, 4> is_letter_ = {};
  bool is_lower_ = true;        // "java.util." since the part began
  bool in_place_ = false;       // after the name comes where it is
  std::size_t parameters_ = 0;  // where the first begin; 0: nowhere
};

std::string_view first_characters(std::string_view name, std::size_t count) {
  std::string_view rest = name;
  while (count-- > 0 && !rest.empty()) take_utf8(rest);
  return name.substr(0, name.size() - rest.size());
}

// The last part of a name, cut at its end, but not within brackets.
std::string cut_end(std::string_view name, std::size_t from, std::size_t room,
                    const Parts& parts) {
  std::size_t end = from + first_characters(name.substr(from), room - 2).size();
  for (const auto& [open, close] : parts.groups)
    if (open > from && open < end && end < close) end = open;
  while (end > from + 1 &&
         std::string_view(" .:").find(name[end - 1]) != std::string_view::npos)
    --end;
  return fmt::format("{}..", name.substr(from, end - from));
}

}  // namespace

std::string cut_label(std::string_view name, std::size_t room, LabelCut cut) {
  if (cut == LabelCut::kEnd) return cut_end(name, 0, room, {});
  if (name.size() > kLongestName) {
    std::size_t end = kLongestName;
    while ((name[end] & 0xc0) == 0x80) --end;
    name = name.substr(0, end);
  }
  const Parts parts = PartFinder(name).run();
  // From the last part on, as many as there is room for.
  std::size_t best = 0;
  for (std::size_t i = parts.starts.size(); i-- > 0;) {
    if (characters_in(name.substr(parts.starts[i])) > room - 2) break;
    best = parts.starts[i];
  }
  if (best > 0) return fmt::format("..{}", name.substr(best));
  const std::size_t last = parts.starts.empty() ? 0 : parts.starts.back();
  if (characters_in(name.substr(last)) <= room)
    return std::string(name.substr(last));
  return cut_end(name, last, room, parts);
}

bool has_qualifiers(std::string_view name) {
  const Parts parts = PartFinder(name.substr(0, kLongestName)).run();
  return !parts.starts.empty() || !parts.groups.empty();
}

}  // namespace wick
