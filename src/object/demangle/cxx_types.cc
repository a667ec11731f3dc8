// SPDX-License-Identifier: Apache-2.0
// Types in mangled names.
#include "object/demangle/cxx_walk.h"

namespace wick {

// Qualifiers of a type, and exception specifications.
bool CxxWalk::type_qualifiers() {
  bool any = false;
  while (!failed_) {
    if (take("r") || take("V") || take("K") || take("Dx") || take("Do")) {
      print(kWord);
    } else if (take("DO")) {
      print(kWord);
      expression();
      want("E");
    } else if (take("Dw")) {
      print(kWord);
      while (!failed_ && !take("E")) type();
    } else {
      break;
    }
    any = true;
  }
  return any;
}

void CxxWalk::function_type() {
  want("F");
  take("Y");
  print(8);
  while (!failed_ && !take("E")) {
    if ((peek() == 'R' || peek() == 'O') && peek(1) == 'E') {
      ++at_;
      print(4);
      continue;
    }
    type();
    print(2);
  }
}

void CxxWalk::type() {
  const Level level(*this);
  const std::size_t start = out_;
  if (type_qualifiers()) {
    if (peek() == 'F')
      function_type();
    else
      type();
    return remember(start);
  }
  const char c = peek();
  if (c == 'u') {
    ++at_;
    source_name();
    if (peek() == 'I') template_args();
    return remember(start);
  }
  if (is_lower(c)) {
    ++at_;
    return print(kWord);
  }
  if (is_digit(c) || c == 'N' || c == 'Z') {
    name(false);
    return remember(start);
  }
  switch (c) {
    case 'F':
      function_type();
      break;
    case 'A':
      ++at_;
      print(kWord);
      if (is_digit(peek()))
        number();
      else if (peek() != '_')
        expression();
      want("_");
      type();
      break;
    case 'M':
      ++at_;
      print(kWord);
      type();
      type();
      break;
    case 'T':
      template_param();
      if (peek() == 'I') {
        remember(start);
        template_args();
      }
      break;
    case 'S':
      if (peek(1) == '_' || is_digit(peek(1)) || is_upper(peek(1))) {
        substitution();
        if (peek() != 'I') return;
        template_args();
      } else {
        const bool plain = peek(1) != 't';
        name(false);
        if (plain && text_[at_ - 1] != 'E') return;  // "Ss" alone
      }
      break;
    case 'O':
    case 'R':
    case 'P':
    case 'C':
    case 'G':
      ++at_;
      print(12);
      type();
      break;
    case 'U':
      ++at_;
      source_name();
      print(4);
      if (peek() == 'I') template_args();
      type();
      break;
    case 'D':
      return type_with_d(start);
    default:
      return fail();
  }
  remember(start);
}

void CxxWalk::type_with_d(std::size_t start) {
  if (take("DT") || take("Dt")) {
    print(kWord);
    expression();
    want("E");
  } else if (take("Dp")) {
    type();
    // Once for each argument of the pack.
    const std::size_t size = out_ - start + 2;
    if (size > kMaxCxxOutput / longest_pack_) return fail();
    print(size * longest_pack_);
  } else if (take("Dv")) {
    print(kWord);
    if (take("_"))
      expression();
    else
      number();
    want("_");
    type();
  } else if (take("DF")) {
    print(kWord);
    number();
    if (!take("_") && !take("b") && !take("x")) fail();
    return;
  } else {
    ++at_;
    if (std::string_view("acdefhinsu").find(peek()) == std::string_view::npos ||
        peek() == '\0')
      return fail();
    ++at_;
    return print(kWord);
  }
  remember(start);
}

}  // namespace wick
