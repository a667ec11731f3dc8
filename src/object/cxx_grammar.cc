// SPDX-License-Identifier: Apache-2.0
// Walks through a mangled name by the grammar of the Itanium C++ ABI
// (itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling) without making a text
// of it. That is needed for two reasons.
//
// A function's parameters follow its name without a mark between them, so its
// short form is found only by reading the name.
//
// Names refer back to parts of themselves (S_, T_), and those to others: a name
// of 100 bytes can stand for 2^30. abi::__cxa_demangle writes them all, and it
// recurses. So the walk bounds both: each step adds what it would print at
// most, and a reference adds what its target added.
#include "object/cxx_grammar.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace wick {
namespace {

constexpr int kMaxDepth = 200;
// What one construct prints at most besides its parts: "unsigned __int128",
// "std::basic_iostream<char, std::char_traits<char> >".
constexpr std::size_t kWord = 24, kStandard = 100;
// A reference to template arguments that are yet to come, as in a conversion
// operator.
constexpr std::size_t kUnknownArgument = 4096;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  std::optional<CxxShape> run() {
    if (!take("_Z")) return {};
    CxxShape& shape = shape_;
    encoding(true);
    if (failed_) return {};
    shape.end = at_;
    shape.size_bound = out_;
    // What follows may be a suffix; anything else is no C++ name.
    if (at_ < text_.size() && text_[at_] != '.' && text_[at_] != '@') return {};
    return shape;
  }

 private:
  // Counts the depth for as long as it lives.
  struct Level {
    explicit Level(Walk& walk) : walk(walk) {
      if (++walk.depth_ > kMaxDepth) walk.fail();
    }
    ~Level() { --walk.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    Walk& walk;
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
  // Everything after this reads an empty text, so that loops end.
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
  void type();
  void type_with_d(std::size_t start);
  void function_type();
  bool type_qualifiers();
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

void Walk::encoding(bool top) {
  const Level level(*this);
  if (peek() == 'G' || peek() == 'T') {
    special_name();
    if (top) shape_.name_end = at_;
    return;
  }
  name(top);
  if (top) shape_.name_end = at_;
  take("J");
  // The parameters, and before them the type of what a template returns.
  while (!failed_ && peek() != '\0' && peek() != 'E' && peek() != '.' &&
         peek() != '@')
    type();
  print(kWord);
}

void Walk::special_name() {
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

void Walk::call_offset() {
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

void Walk::name(bool entity) {
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

void Walk::nested_name(bool entity) {
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

void Walk::local_name(bool entity) {
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

void Walk::unqualified_name() {
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

void Walk::source_name() {
  if (!is_digit(peek())) return fail();
  const std::size_t size = number();
  if (size == 0 || size > text_.size() - at_) return fail();
  at_ += size;
  print(std::max(size, kWord));  // "(anonymous namespace)"
}

void Walk::abi_tags() {
  while (!failed_ && take("B")) {
    print(6);
    source_name();
  }
}

void Walk::operator_name() {
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

void Walk::substitution() {
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

void Walk::template_param() {
  want("T");
  std::size_t index = 0;
  if (!take("_")) {
    if (!is_digit(peek())) return fail();
    index = number() + 1;
    want("_");
  }
  print(index < arguments_.size() ? arguments_[index] : kUnknownArgument);
}

void Walk::template_args() {
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

void Walk::template_arg() {
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

// Qualifiers of a type, and of a function whether it throws.
bool Walk::type_qualifiers() {
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

void Walk::function_type() {
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

void Walk::type() {
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

void Walk::type_with_d(std::size_t start) {
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

void Walk::literal() {
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

void Walk::expressions_to(char end) {
  while (!failed_ && peek() != end) {
    if (peek() == '\0') return fail();
    expression();
    print(2);
  }
  if (!failed_) ++at_;
}

// A name that could not be resolved, and what it was looked up in: a type, or
// names up to an E. Older compilers have no E behind a single name: "sr1aIiE1b"
// is "a<int>::b" as well as the beginning of "sr1aIiE1bE1c". The first is meant
// if no name follows.
void Walk::unresolved_name() {
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
      // If this is a type after all, others refer to it.
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
bool Walk::special_expression() {
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

void Walk::expression() {
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

}  // namespace

std::optional<CxxShape> shape_of_cxx(std::string_view mangled) {
  if (mangled.size() > kMaxCxxInput) return {};
  return Walk(mangled).run();
}

}  // namespace wick
