// SPDX-License-Identifier: Apache-2.0
// Rust's second mangling, RFC 2603 ("v0"): a path with its generic arguments in
// prefix notation, where "B" and a number refer back to an offset of the name.
// References can double the text at each step, so the output is bounded, as is
// the depth.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "object/demangle/demangle_parts.h"

namespace wick {
namespace {

constexpr std::size_t kMaxInput = 1 << 16, kMaxOutput = 1 << 16;
constexpr int kMaxDepth = 128;
constexpr std::uint64_t kMaxLifetimes = 1024;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

std::string_view basic_type(char tag) {
  switch (tag) {
    // clang-format off
    case 'a': return "i8";
    case 'b': return "bool";
    case 'c': return "char";
    case 'd': return "f64";
    case 'e': return "str";
    case 'f': return "f32";
    case 'h': return "u8";
    case 'i': return "isize";
    case 'j': return "usize";
    case 'l': return "i32";
    case 'm': return "u32";
    case 'n': return "i128";
    case 'o': return "u128";
    case 'p': return "_";
    case 's': return "i16";
    case 't': return "u16";
    case 'u': return "()";
    case 'v': return "...";
    case 'x': return "i64";
    case 'y': return "u64";
    case 'z': return "!";
    default: return {};
      // clang-format on
  }
}

// RFC 3492, with "_" instead of "-". Names are short: inserting is cheap.
std::optional<std::string> from_punycode(std::string_view text) {
  constexpr std::size_t kMaxLetters = 512;
  const std::size_t last = text.rfind('_');
  std::u32string letters;
  if (last != text.npos) {
    for (const char c : text.substr(0, last))
      letters += static_cast<unsigned char>(c);
    text.remove_prefix(last + 1);
  }
  std::uint64_t n = 128, i = 0, bias = 72;
  bool first = true;
  while (!text.empty()) {
    const std::uint64_t before = i;
    std::uint64_t weight = 1;
    for (std::uint64_t k = 36;; k += 36) {
      if (text.empty()) return {};
      const char c = text[0];
      text.remove_prefix(1);
      if (!is_digit(c) && !is_lower(c)) return {};
      const auto digit =
          static_cast<std::uint64_t>(is_lower(c) ? c - 'a' : c - '0' + 26);
      i += digit * weight;
      const std::uint64_t least =
          k <= bias ? 1 : std::min<std::uint64_t>(k - bias, 26);
      if (digit < least) break;
      weight *= 36 - least;
      if (weight > UINT32_MAX || i > UINT32_MAX) return {};
    }
    const std::uint64_t count = letters.size() + 1;
    if (count > kMaxLetters) return {};
    std::uint64_t delta = (i - before) / (first ? 700 : 2);
    first = false;
    delta += delta / count;
    std::uint64_t k = 0;
    for (; delta > 455; k += 36) delta /= 35;
    bias = k + 36 * delta / (delta + 38);
    n += i / count;
    i %= count;
    if (n > 0x10ffff || (n >= 0xd800 && n < 0xe000)) return {};
    letters.insert(letters.begin() + static_cast<std::ptrdiff_t>(i),
                   static_cast<char32_t>(n));
    ++i;
  }
  std::string out;
  for (const char32_t c : letters) append_utf8(out, c);
  return out;
}

class Demangler {
 public:
  explicit Demangler(std::string_view text) : text_(text) {}

  std::optional<std::string> run() {
    path(true);
    if (failed_) return {};
    std::string out = std::move(out_);
    if (is_upper(peek())) {  // the crate that the code was made for
      silent_ = true;
      path(false);
    }
    if (failed_ || (at_ < text_.size() && text_[at_] != '.')) return {};
    return out;
  }

 private:
  struct Identifier {
    std::string_view text;
    bool punycode = false;
    std::uint64_t disambiguator = 0;
  };
  struct Level {
    explicit Level(Demangler& d) : d(d) {
      if (++d.depth_ > kMaxDepth) d.fail();
    }
    ~Level() { --d.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    Demangler& d;
  };

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char next() {
    if (at_ >= text_.size()) {
      fail();
      return '\0';
    }
    return text_[at_++];
  }
  bool take(char c) {
    if (peek() != c || failed_) return false;
    ++at_;
    return true;
  }
  void fail() {
    failed_ = true;
    at_ = text_.size();
  }
  void print(std::string_view text) {
    if (silent_) return;
    if (text.size() > kMaxOutput - std::min(out_.size(), kMaxOutput))
      return fail();
    out_ += text;
  }

  // "_" is 0, "0_" is 1.
  std::uint64_t base_62() {
    if (take('_')) return 0;
    std::uint64_t value = 0;
    while (!failed_ && !take('_')) {
      const char c = next();
      const int digit = is_digit(c)   ? c - '0'
                        : is_lower(c) ? c - 'a' + 10
                        : is_upper(c) ? c - 'A' + 36
                                      : -1;
      // The numbers of crates have 64 bits.
      if (digit < 0 || __builtin_mul_overflow(value, 62, &value) ||
          __builtin_add_overflow(value, digit, &value)) {
        fail();
        return 0;
      }
    }
    return value + 1;
  }
  std::uint64_t tagged_base_62(char tag) {
    return take(tag) ? base_62() + 1 : 0;
  }

  Identifier identifier() {
    Identifier id;
    id.disambiguator = tagged_base_62('s');
    id.punycode = take('u');
    std::size_t size = 0;
    if (!is_digit(peek())) fail();
    if (!take('0'))
      while (is_digit(peek())) {
        size = size * 10 + static_cast<std::size_t>(next() - '0');
        if (size > kMaxInput) fail();
      }
    take('_');
    if (failed_ || size > text_.size() - at_) {
      fail();
      return {};
    }
    id.text = text_.substr(at_, size);
    at_ += size;
    return id;
  }
  void print(const Identifier& id) {
    if (!id.punycode) return print(id.text);
    const std::optional<std::string> plain = from_punycode(id.text);
    if (plain) return print(*plain);
    print("punycode{");
    print(id.text);
    print("}");
  }

  // Runs `body` at the target of a back reference.
  template <class Body>
  void back_reference(Body body) {
    const std::size_t tag_at = at_ - 1;
    const std::uint64_t target = base_62();
    if (target >= tag_at) return fail();
    if (silent_) return;
    const std::size_t here = at_;
    at_ = target;
    body();
    if (!failed_) at_ = here;
  }

  void path(bool value);
  void impl_path();
  void generic_args();
  void generic_arg();
  void lifetime();
  void type();
  void pointer(char tag);
  void tuple();
  void function();
  void dynamic_type();
  bool path_with_open_generics();
  void constant();
  void integer(bool is_signed);
  std::string_view hexadecimal();
  template <class Body>
  void in_binder(Body body);
  void print_lifetime(std::uint64_t index);

  std::string_view text_;  // after "_R"
  std::size_t at_ = 0;
  std::string out_;
  int depth_ = 0;
  std::uint64_t bound_lifetimes_ = 0;
  bool failed_ = false, silent_ = false;
};

void Demangler::path(bool value) {
  const Level level(*this);
  switch (next()) {
    case 'C':
      return print(identifier());
    case 'N': {
      const char space = next();
      if (!is_lower(space) && !is_upper(space)) return fail();
      path(value);
      const Identifier id = identifier();
      if (failed_) return;
      if (is_lower(space)) {
        if (id.text.empty()) return;
        print("::");
        return print(id);
      }
      print("::{");
      if (space == 'C')
        print("closure");
      else if (space == 'S')
        print("shim");
      else
        print(std::string_view(&space, 1));
      if (!id.text.empty()) {
        print(":");
        print(id);
      }
      print("#");
      print(std::to_string(id.disambiguator));
      return print("}");
    }
    case 'M':
      impl_path();
      print("<");
      type();
      return print(">");
    case 'X':
      impl_path();
      [[fallthrough]];
    case 'Y':
      print("<");
      type();
      print(" as ");
      path(false);
      return print(">");
    case 'I':
      path(value);
      if (value) print("::");
      print("<");
      generic_args();
      return print(">");
    case 'B':
      return back_reference([&] { path(value); });
    default:
      return fail();
  }
}

// The path of an impl is not shown.
void Demangler::impl_path() {
  tagged_base_62('s');
  const bool before = silent_;
  silent_ = true;
  path(false);
  silent_ = before;
}

void Demangler::generic_args() {
  for (bool first = true; !failed_ && !take('E'); first = false) {
    if (!first) print(", ");
    generic_arg();
  }
}

void Demangler::generic_arg() {
  if (take('L')) return lifetime();
  if (take('K')) return constant();
  type();
}

void Demangler::lifetime() { print_lifetime(base_62()); }

// Lifetimes are numbered from the innermost binder outwards; 0 is an erased
// one.
void Demangler::print_lifetime(std::uint64_t index) {
  if (silent_) return;
  print("'");
  if (index == 0) return print("_");
  if (index > bound_lifetimes_) return fail();
  const std::uint64_t depth = bound_lifetimes_ - index;
  if (depth < 26) {
    const char letter = static_cast<char>('a' + depth);
    return print(std::string_view(&letter, 1));
  }
  print("_");
  print(std::to_string(depth));
}

template <class Body>
void Demangler::in_binder(Body body) {
  const std::uint64_t count = tagged_base_62('G');
  if (count > kMaxLifetimes) return fail();
  const std::uint64_t before = bound_lifetimes_;
  if (count > 0 && !silent_) {
    print("for<");
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i > 0) print(", ");
      ++bound_lifetimes_;
      print_lifetime(1);
    }
    print("> ");
  }
  bound_lifetimes_ = before + count;
  body();
  bound_lifetimes_ = before;
}

void Demangler::type() {
  const Level level(*this);
  const char tag = next();
  if (const std::string_view basic = basic_type(tag); !basic.empty())
    return print(basic);
  switch (tag) {
    case 'R':
    case 'Q':
    case 'P':
    case 'O':
      return pointer(tag);
    case 'A':
      print("[");
      type();
      print("; ");
      constant();
      return print("]");
    case 'S':
      print("[");
      type();
      return print("]");
    case 'T':
      return tuple();
    case 'F':
      return in_binder([&] { function(); });
    case 'D':
      return dynamic_type();
    case 'B':
      return back_reference([&] { type(); });
    default:
      if (failed_) return;
      --at_;
      return path(false);
  }
}

void Demangler::pointer(char tag) {
  if (tag == 'P' || tag == 'O') {
    print(tag == 'P' ? "*const " : "*mut ");
    return type();
  }
  print("&");
  if (take('L'))
    if (const std::uint64_t index = base_62(); index != 0) {
      print_lifetime(index);
      print(" ");
    }
  if (tag == 'Q') print("mut ");
  type();
}

void Demangler::tuple() {
  print("(");
  std::size_t count = 0;
  for (; !failed_ && !take('E'); ++count) {
    if (count > 0) print(", ");
    type();
  }
  print(count == 1 ? ",)" : ")");
}

void Demangler::function() {
  if (take('U')) print("unsafe ");
  if (take('K')) {
    print("extern \"");
    if (take('C')) {
      print("C");
    } else {
      std::string abi(identifier().text);
      std::ranges::replace(abi, '_', '-');
      print(abi);
    }
    print("\" ");
  }
  print("fn(");
  for (bool first = true; !failed_ && !take('E'); first = false) {
    if (!first) print(", ");
    type();
  }
  print(")");
  if (take('u')) return;  // returns nothing
  print(" -> ");
  type();
}

void Demangler::dynamic_type() {
  print("dyn ");
  in_binder([&] {
    for (bool first = true; !failed_ && !take('E'); first = false) {
      if (!first) print(" + ");
      bool open = path_with_open_generics();
      while (take('p')) {
        print(open ? ", " : "<");
        open = true;
        print(identifier());
        print(" = ");
        type();
      }
      if (open) print(">");
    }
  });
  if (!take('L')) return fail();
  if (const std::uint64_t index = base_62(); index != 0) {
    print(" + ");
    print_lifetime(index);
  }
}

// A path whose "<", if it has one, is left open: more arguments follow.
bool Demangler::path_with_open_generics() {
  const Level level(*this);
  if (take('B')) {
    bool open = false;
    back_reference([&] { open = path_with_open_generics(); });
    return open;
  }
  if (!take('I')) {
    path(false);
    return false;
  }
  path(false);
  print("<");
  generic_args();
  return true;
}

std::string_view Demangler::hexadecimal() {
  const std::size_t start = at_;
  while (is_digit(peek()) || (peek() >= 'a' && peek() <= 'f')) ++at_;
  const std::string_view digits = text_.substr(start, at_ - start);
  if (!take('_')) fail();
  return digits;
}

void Demangler::integer(bool is_signed) {
  if (is_signed && take('n')) print("-");
  std::string_view digits = hexadecimal();
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.size() > 16) {
    print("0x");
    return print(digits);
  }
  std::uint64_t value = 0;
  for (const char c : digits)
    value = value * 16 +
            static_cast<std::uint64_t>(is_digit(c) ? c - '0' : c - 'a' + 10);
  print(std::to_string(value));
}

void Demangler::constant() {
  const Level level(*this);
  const char tag = next();
  switch (tag) {
    case 'B':
      return back_reference([&] { constant(); });
    case 'p':
      return print("_");
    case 'b': {
      const std::string_view digits = hexadecimal();
      if (digits != "0" && digits != "1") return fail();
      return print(digits == "1" ? "true" : "false");
    }
    case 'c': {
      const std::string_view digits = hexadecimal();
      std::uint32_t value = 0;
      if (digits.empty() || digits.size() > 6) return fail();
      for (const char c : digits)
        value = value * 16 + static_cast<std::uint32_t>(
                                 is_digit(c) ? c - '0' : c - 'a' + 10);
      if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return fail();
      std::string quoted = "'";
      if (value == '\'' || value == '\\') quoted += '\\';
      if (value < 0x20 || value == 0x7f)
        quoted += "\\u{" + std::string(digits) + "}";
      else
        append_utf8(quoted, value);
      return print(quoted + "'");
    }
    case 'a':
    case 's':
    case 'l':
    case 'x':
    case 'n':
    case 'i':
      return integer(true);
    case 'h':
    case 't':
    case 'm':
    case 'y':
    case 'o':
    case 'j':
      return integer(false);
    default:
      return fail();
  }
}

}  // namespace

std::optional<std::string> demangle_rust_v0(std::string_view name) {
  if (!name.starts_with("_R") || name.size() > kMaxInput) return {};
  // An encoding version would be here; only the first, which has none, exists.
  name.remove_prefix(2);
  if (name.empty() || !is_upper(name[0])) return {};
  for (const char c : name.substr(0, name.find('.')))
    if (!is_digit(c) && !is_lower(c) && !is_upper(c) && c != '_') return {};
  return Demangler(name).run();
}

}  // namespace wick
