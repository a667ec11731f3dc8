// SPDX-License-Identifier: Apache-2.0
#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <optional>

#include "object/demangle/cxx_grammar.h"
#include "object/demangle/demangle_parts.h"

namespace wick {
namespace {

struct Free {
  void operator()(char* block) const { std::free(block); }
};

}  // namespace

std::optional<std::string> demangle_cxx(std::string_view name, Demangle how) {
  const std::optional<CxxShape> shape = shape_of_cxx(name);
  if (!shape) return {};
  std::string mangled;
  if (how == Demangle::kFull) {
    mangled = name.substr(0, name.find('@', shape->end));
  } else {
    // Without its parameters it is still a mangled name: that of a variable.
    mangled.reserve(shape->name_end);
    mangled = name.substr(0, shape->qualifiers_begin);
    mangled += name.substr(shape->qualifiers_end,
                           shape->name_end - shape->qualifiers_end);
  }
  int status = 0;
  const std::unique_ptr<char, Free> made(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status));
  if (!made) return {};
  return std::string(made.get());
}

}  // namespace wick
