// SPDX-License-Identifier: Apache-2.0
// Parses a mangled name: a function for each rule of the grammar of the Itanium
// C++ ABI. cxx_grammar.cc explains why.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "object/demangle/cxx_grammar.h"

namespace wick {

class CxxWalk {
 public:
  explicit CxxWalk(std::string_view text) : text_(text) {}

  std::optional<CxxShape> run();

 private:
  static constexpr int kMaxDepth = 200;
  // The most that one construct prints besides its parts: "unsigned __int128",
  // "std::basic_iostream<char, std::char_traits<char> >".
  static constexpr std::size_t kWord = 24, kStandard = 100;
  // A reference to template arguments that come later, as in a conversion
  // operator.
  static constexpr std::size_t kUnknownArgument = 4096;

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
  static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

  // Counts the depth during its lifetime.
  struct Level {
    explicit Level(CxxWalk& walk) : walk(walk) {
      if (++walk.depth_ > kMaxDepth) walk.fail();
    }
    ~Level() { --walk.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    CxxWalk& walk;
  };

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool take(std::string_view part) {
    if (text_.substr(at_, part.size()) != part) return false;
    at_ += part.size();
    return true;
  }
  void want(std::string_view part) {
    if (!take(part)) fail();
  }
  // Empties the rest of the text, so that loops end.
  void fail() {
    failed_ = true;
    at_ = text_.size();
  }
  void print(std::size_t size) {
    out_ += size;
    if (out_ > kMaxCxxOutput) fail();
  }
  void remember(std::size_t from) { known_.push_back(out_ - from); }

  std::size_t number() {
    std::size_t value = 0;
    for (; is_digit(peek()); ++at_) {
      value = value * 10 + static_cast<std::size_t>(peek() - '0');
      if (value > kMaxCxxInput) {
        fail();
        return 0;
      }
    }
    return value;
  }
  // "_" is 0, "0_" is 1, "Z_" is 36.
  std::size_t sequence_number() {
    if (take("_")) return 0;
    std::size_t value = 0;
    for (; is_digit(peek()) || is_upper(peek()); ++at_) {
      value = value * 36 + static_cast<std::size_t>(is_digit(peek())
                                                        ? peek() - '0'
                                                        : peek() - 'A' + 10);
      if (value > kMaxCxxInput) {
        fail();
        return 0;
      }
    }
    want("_");
    return value + 1;
  }
  void discriminator() {
    if (!take("_")) return;
    if (take("_")) {
      number();
      want("_");
    } else {
      number();
    }
  }

  // --- cxx_grammar.cc: names
  void encoding(bool top);
  void special_name();
  void call_offset();
  void name(bool entity);
  void nested_name(bool entity);
  void local_name(bool entity);
  void unqualified_name();
  void source_name();
  void operator_name();
  void abi_tags();
  void substitution();
  void template_param();
  void template_args();
  void template_arg();

  // --- cxx_types.cc
  void type();
  void type_with_d(std::size_t start);
  void function_type();
  bool type_qualifiers();

  // --- cxx_expressions.cc
  void expression();
  void expressions_to(char end);
  void literal();
  void unresolved_name();
  bool special_expression();

  std::string_view text_;
  std::size_t at_ = 0, out_ = 0;
  int depth_ = 0;
  bool failed_ = false;
  CxxShape shape_;
  std::vector<std::size_t> known_;      // what S_, S0_ … would print
  std::vector<std::size_t> arguments_;  // what T_, T0_ … would print at most
  std::size_t longest_pack_ = 1;
};

}  // namespace wick
