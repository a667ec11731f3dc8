// SPDX-License-Identifier: Apache-2.0
// Parses a mangled name by the grammar of the Itanium C++ ABI
// (itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling) without demangling it,
// for two reasons.
//
// A function's parameters follow its name without a separator, so its short
// form can only be found by parsing.
//
// Names refer back to parts of themselves (S_, T_), and those to others: a name
// of 100 bytes can expand to 2^30. abi::__cxa_demangle writes them all, and it
// recurses. So the parser bounds both: each step adds the most it would print,
// and a reference adds what its target added.
#include "object/demangle/cxx_grammar.h"

#include <algorithm>

#include "object/demangle/cxx_walk.h"

namespace wick {

std::optional<CxxShape> CxxWalk::run() {
  if (!take("_Z")) return {};
  CxxShape& shape = shape_;
  encoding(true);
  if (failed_) return {};
  shape.end = at_;
  shape.size_bound = out_;
  // Only a suffix may follow.
  if (at_ < text_.size() && text_[at_] != '.' && text_[at_] != '@') return {};
  return shape;
}

void CxxWalk::encoding(bool top) {
  const Level level(*this);
  if (peek() == 'G' || peek() == 'T') {
    special_name();
    if (top) shape_.name_end = at_;
    return;
  }
  name(top);
  if (top) shape_.name_end = at_;
  take("J");
  // The parameters, preceded by the return type if it is a template.
  while (!failed_ && peek() != '\0' && peek() != 'E' && peek() != '.' &&
         peek() != '@')
    type();
  print(kWord);
}

void CxxWalk::special_name() {
  print(2 * kWord);  // "construction vtable for …-in-"
  if (take("TV") || take("TT") || take("TI") || take("TS") || take("TF") ||
      take("TJ"))
    return type();
  if (take("TH") || take("TW") || take("GV")) return name(false);
  if (take("TA")) return template_arg();
  if (take("Th") || take("Tv")) {
    --at_;
    call_offset();
    return encoding(false);
  }
  if (take("Tc")) {
    call_offset();
    call_offset();
    return encoding(false);
  }
  if (take("TC")) {
    type();
    number();
    want("_");
    return type();
  }
  if (take("GA")) return encoding(false);
  if (take("GTt") || take("GTn")) return encoding(false);
  if (take("GR")) {
    name(false);
    if (peek() != '\0' && peek() != '.') sequence_number();
    return;
  }
  fail();
}

void CxxWalk::call_offset() {
  const bool is_virtual = take("v");
  if (!is_virtual) want("h");
  take("n");
  number();
  want("_");
  if (!is_virtual) return;
  take("n");
  number();
  want("_");
}

void CxxWalk::name(bool entity) {
  const Level level(*this);
  const std::size_t start = out_;
  if (peek() == 'N') return nested_name(entity);
  if (peek() == 'Z') return local_name(entity);
  bool known = false;
  if (peek() == 'S' && peek(1) != 't') {
    substitution();
    known = true;
  } else {
    if (take("St")) print(5);
    unqualified_name();
  }
  if (peek() != 'I') return;
  if (!known) remember(start);
  template_args();
}

void CxxWalk::nested_name(bool entity) {
  const std::size_t start = out_;
  want("N");
  const std::size_t qualifiers = at_;
  while (take("r") || take("V") || take("K")) print(kWord);
  if (take("R") || take("O")) print(4);
  if (entity) {
    shape_.qualifiers_begin = qualifiers;
    shape_.qualifiers_end = at_;
  }
  while (!failed_ && !take("E")) {
    const char c = peek();
    const std::size_t before = out_;
    if (c == 'D' && (peek(1) == 'T' || peek(1) == 't')) {
      type();
    } else if (c == 'C' || (c == 'D' && is_digit(peek(1)))) {
      // A constructor has the name of its class, which may be long.
      print(before - start);
      unqualified_name();
    } else if (is_digit(c) || is_lower(c) || c == 'U' || c == 'L' || c == 'D') {
      unqualified_name();
    } else if (c == 'S') {
      if (take("St"))
        print(5);
      else
        substitution();
    } else if (c == 'I') {
      template_args();
    } else if (c == 'T') {
      template_param();
    } else if (c == 'M') {
      ++at_;
      continue;
    } else {
      return fail();
    }
    print(2);
    if (c != 'S' && peek() != 'E') remember(start);
  }
}

void CxxWalk::local_name(bool entity) {
  want("Z");
  encoding(false);
  want("E");
  print(2);
  if (take("s")) {
    print(kWord);
    return discriminator();
  }
  if (take("d")) {
    number();
    want("_");
    print(2 * kWord);
  }
  name(entity);
  discriminator();
}

void CxxWalk::unqualified_name() {
  const char c = peek();
  if (is_digit(c)) {
    source_name();
  } else if (is_lower(c)) {
    operator_name();
  } else if (take("DC")) {
    print(4);
    while (!failed_ && !take("E")) source_name();
  } else if (c == 'D' && is_digit(peek(1))) {
    at_ += 2;
    print(1);
  } else if (take("CI")) {
    if (!is_digit(peek())) return fail();
    ++at_;
    type();
  } else if (c == 'C' && is_digit(peek(1))) {
    at_ += 2;
  } else if (take("L")) {
    source_name();
    discriminator();
  } else if (take("Ut")) {
    print(kWord + 8);
    number();
    want("_");
  } else if (take("Ul")) {
    print(kWord + 8);
    while (!failed_ && !take("E")) type();
    number();
    want("_");
  } else {
    return fail();
  }
  abi_tags();
}

void CxxWalk::source_name() {
  if (!is_digit(peek())) return fail();
  const std::size_t size = number();
  if (size == 0 || size > text_.size() - at_) return fail();
  at_ += size;
  print(std::max(size, kWord));  // "(anonymous namespace)"
}

void CxxWalk::abi_tags() {
  while (!failed_ && take("B")) {
    print(6);
    source_name();
  }
}

void CxxWalk::operator_name() {
  take("on");
  print(kWord);
  if (take("cv")) return type();
  if (take("li")) return source_name();
  if (peek() == 'v' && is_digit(peek(1))) {
    ++at_;
    ++at_;
    return source_name();
  }
  if (!is_lower(peek()) || peek(1) == '\0') return fail();
  at_ += 2;
}

void CxxWalk::substitution() {
  want("S");
  if (peek() == '_' || is_digit(peek()) || is_upper(peek())) {
    const std::size_t index = sequence_number();
    if (index >= known_.size()) return fail();
    return print(known_[index]);
  }
  if (std::string_view("tabsiod").find(peek()) == std::string_view::npos ||
      peek() == '\0')
    return fail();
  ++at_;
  print(kStandard);
  abi_tags();
}

void CxxWalk::template_param() {
  want("T");
  std::size_t index = 0;
  if (!take("_")) {
    if (!is_digit(peek())) return fail();
    index = number() + 1;
    want("_");
  }
  print(index < arguments_.size() ? arguments_[index] : kUnknownArgument);
}

void CxxWalk::template_args() {
  const Level level(*this);
  if (!take("I")) want("J");
  print(4);
  for (std::size_t index = 0; !failed_ && !take("E"); ++index) {
    const std::size_t start = out_;
    template_arg();
    print(2);
    if (index >= arguments_.size()) arguments_.push_back(0);
    arguments_[index] = std::max(arguments_[index], out_ - start);
  }
}

void CxxWalk::template_arg() {
  if (peek() == 'I' || peek() == 'J') {
    ++at_;
    const Level level(*this);
    std::size_t count = 0;
    for (; !failed_ && !take("E"); ++count) {
      template_arg();
      print(2);
    }
    longest_pack_ = std::max(longest_pack_, count);
    return;
  }
  if (peek() == 'L') return literal();
  if (take("X")) {
    expression();
    return want("E");
  }
  type();
}

std::optional<CxxShape> shape_of_cxx(std::string_view mangled) {
  if (mangled.size() > kMaxCxxInput) return {};
  return CxxWalk(mangled).run();
}

}  // namespace wick
