// SPDX-License-Identifier: Apache-2.0
#include "object/demangle/demangle.h"

#include <algorithm>
#include <optional>

#include "object/demangle/demangle_parts.h"

namespace wick {
namespace {

bool is_escape_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}
int digit_value(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

// "camlStdlib__List__map_456" is Stdlib.List.map_456; other characters are
// encoded as $ and two digits.
std::optional<std::string> demangle_ocaml(std::string_view name) {
  if (!name.starts_with("caml") || name.size() < 5 || name[4] < 'A' ||
      name[4] > 'Z' || name.find("__") == name.npos)
    return {};
  std::string out;
  for (std::size_t i = 4; i < name.size(); ++i) {
    if (name.substr(i).starts_with("__")) {
      out += '.';
      ++i;
    } else if (name[i] == '$' && i + 2 < name.size() &&
               is_escape_digit(name[i + 1]) && is_escape_digit(name[i + 2])) {
      out += static_cast<char>(digit_value(name[i + 1]) * 16 +
                               digit_value(name[i + 2]));
      i += 2;
    } else {
      out += name[i];
    }
  }
  return out;
}

std::optional<std::string> demangled(std::string_view name, Demangle how) {
  if (name.starts_with("_Z")) {
    if (auto rust = demangle_rust_legacy(name)) return rust;
    return demangle_cxx(name, how);
  }
  if (name.starts_with("_R")) return demangle_rust_v0(name);
  return demangle_ocaml(name);
}

}  // namespace

std::string demangle(std::string_view name, Demangle how) {
  // Most C names begin differently.
  if (how == Demangle::kNone || name.size() < 4 ||
      (name[0] != '_' && name[0] != 'c'))
    return std::string(name);
  // A stub has its function's name.
  constexpr std::string_view kStub = "@plt";
  if (name.ends_with(kStub)) {
    auto function = demangled(name.substr(0, name.size() - kStub.size()), how);
    return function ? *function + std::string(kStub) : std::string(name);
  }
  auto made = demangled(name, how);
  return made ? *std::move(made) : std::string(name);
}

}  // namespace wick
