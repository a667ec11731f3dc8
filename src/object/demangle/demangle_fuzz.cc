// SPDX-License-Identifier: Apache-2.0
// Any bytes as a mangled name.
#include <cstdlib>

#include "base/fuzz_target.h"
#include "object/demangle/cxx_grammar.h"
#include "object/demangle/demangle.h"

namespace wick {
namespace {

void require(bool good) {
  if (!good) std::abort();
}

void fuzz_demangle(std::string_view name) {
  const std::string full = demangle(name, Demangle::kFull);
  const std::string short_form = demangle(name, Demangle::kShort);
  require(full.size() <= kMaxCxxOutput + name.size() * 10);
  require(short_form.size() <= kMaxCxxOutput + name.size() * 10);
  // The bound that is computed before demangling holds.
  const auto shape = shape_of_cxx(name);
  if (shape && shape->end == name.size() && full != name)
    require(full.size() <= shape->size_bound);
}

}  // namespace

extern const FuzzTarget demangle_fuzz = {.name = "demangle",
                                         .run = fuzz_demangle};

}  // namespace wick
