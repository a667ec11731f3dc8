// SPDX-License-Identifier: Apache-2.0
// Literals and expressions in mangled names, from template arguments and
// decltype.
#include <algorithm>
#include <iterator>

#include "object/demangle/cxx_walk.h"

namespace wick {

void CxxWalk::literal() {
  const Level level(*this);
  want("L");
  print(kWord);
  if (take("_Z") || take("Z")) {
    encoding(false);
    return want("E");
  }
  type();
  while (peek() != 'E' && peek() != '\0') {
    ++at_;
    print(1);
  }
  want("E");
}

void CxxWalk::expressions_to(char end) {
  while (!failed_ && peek() != end) {
    if (peek() == '\0') return fail();
    expression();
    print(2);
  }
  if (!failed_) ++at_;
}

// An unresolved name and its scope: a type, or names up to an E. Older
// compilers write no E after a single name: "sr1aIiE1b" is "a<int>::b" as well
// as the beginning of "sr1aIiE1bE1c". It is the former if no name follows.
void CxxWalk::unresolved_name() {
  print(4);
  if (is_digit(peek())) {
    for (int count = 1; !failed_; ++count) {
      const std::size_t start = out_, known = known_.size();
      source_name();
      const std::size_t bare = out_ - start;
      if (peek() == 'I') template_args();
      const bool name_follows = is_digit(peek(1)) ||
                                (peek(1) == 'o' && peek(2) == 'n') ||
                                (peek(1) == 'd' && peek(2) == 'n');
      if (peek() == 'E' && (count == 1 || name_follows)) {
        ++at_;
        break;
      }
      if (!is_digit(peek())) {
        if (count != 2) fail();
        return;
      }
      if (count > 1) continue;
      // If this is a type after all, others may refer to it.
      if (known_.size() > known || out_ - start > bare)
        known_.insert(known_.begin() + static_cast<std::ptrdiff_t>(known),
                      bare);
      remember(start);
    }
  } else {
    type();
  }
  take("dn");
  unqualified_name();
  if (peek() == 'I') template_args();
}

// Those that are not an operator and its operands.
bool CxxWalk::special_expression() {
  if (peek() == 'L') {
    literal();
  } else if (peek() == 'T') {
    template_param();
  } else if (take("sr")) {
    unresolved_name();
  } else if (take("sp")) {
    const std::size_t start = out_;
    expression();
    const std::size_t size = out_ - start + 2;
    if (size > kMaxCxxOutput / longest_pack_)
      fail();
    else
      print(size * longest_pack_);
  } else if (take("fpT")) {
    print(4);
  } else if (take("fp")) {
    type_qualifiers();
    print(kWord);
    number();
    want("_");
  } else if (take("fL") && is_digit(peek())) {
    number();
    want("p");
    type_qualifiers();
    print(kWord);
    number();
    want("_");
  } else if (is_digit(peek()) || (peek() == 'o' && peek(1) == 'n')) {
    unqualified_name();
    if (peek() == 'I') template_args();
  } else if (take("tl")) {
    type();
    expressions_to('E');
  } else if (take("il")) {
    expressions_to('E');
  } else {
    return false;
  }
  return true;
}

void CxxWalk::expression() {
  const Level level(*this);
  const std::size_t place = at_;
  if (special_expression()) return;
  at_ = failed_ ? at_ : place;
  print(kWord);
  if (take("st") || take("ti") || take("at")) return type();
  if (take("sZ")) {
    // Of a pack: a number.
    return peek() == 'T' ? template_param() : expression();
  }
  if (take("sP")) return expressions_to('E');
  if (take("tr")) return;
  if (take("cv")) {
    type();
    return take("_") ? expressions_to('E') : expression();
  }
  if (take("sc") || take("dc") || take("cc") || take("rc")) {
    type();
    return expression();
  }
  if (take("cl") || take("cp")) {
    expression();
    return expressions_to('E');
  }
  if (take("dt") || take("pt")) {
    expression();
    if (is_digit(peek()) || take("on")) {
      unqualified_name();
      if (peek() == 'I') template_args();
      return;
    }
    return expression();
  }
  take("gs");
  if (take("nw") || take("na")) {
    expressions_to('_');
    type();
    if (take("pi")) return expressions_to('E');
    if (peek() == 'i') return expression();
    return want("E");
  }
  const bool left_fold = peek() == 'f' && (peek(1) == 'l' || peek(1) == 'r');
  const bool both_fold = peek() == 'f' && (peek(1) == 'L' || peek(1) == 'R');
  if (left_fold || both_fold) {
    at_ += 2;
    if (!is_lower(peek()) || peek(1) == '\0') return fail();
    at_ += 2;
    const std::size_t start = out_;
    expression();
    if (both_fold) expression();
    const std::size_t size = out_ - start + 8;
    return size > kMaxCxxOutput / longest_pack_ ? fail()
                                                : print(size * longest_pack_);
  }
  const std::string_view code = text_.substr(at_, 2);
  at_ += code.size();
  constexpr std::string_view kUnary[] = {"ps", "ng", "ad", "de", "co",
                                         "nt", "sz", "az", "nx", "te",
                                         "tw", "dl", "da", "aw"};
  constexpr std::string_view kBinary[] = {
      "pl", "mi", "ml", "dv", "rm", "an", "or", "eo", "aS", "pL", "mI",
      "mL", "dV", "rM", "aN", "oR", "eO", "ls", "rs", "lS", "rS", "eq",
      "ne", "lt", "gt", "le", "ge", "ss", "aa", "oo", "cm", "pm", "ix"};
  if (std::ranges::find(kUnary, code) != std::end(kUnary)) return expression();
  if (code == "pp" || code == "mm") {
    take("_");
    return expression();
  }
  if (code == "qu") {
    expression();
    expression();
    return expression();
  }
  if (std::ranges::find(kBinary, code) == std::end(kBinary)) return fail();
  expression();
  expression();
}

}  // namespace wick
