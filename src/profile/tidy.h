// SPDX-License-Identifier: Apache-2.0
// The names of functions as profilers print them, made short enough to read:
// argument lists removed, `;` (the separator of folded stacks) replaced, Rust's
// legacy mangling undone. The rules are inferno's or, with Compat::kPerl,
// stackcollapse-perf.pl's; docs/flame-graphs.md lists them.
#pragma once

#include <string>
#include <string_view>

namespace wick {

// Without its argument list, brackets respected:
// "std::function<void (int)>::operator()(int) const" keeps its template part.
std::string_view without_arguments(std::string_view function);

// As stackcollapse-perf.pl does it: cut at the first "(" unless the name has
// the shape of a Go method or "(anonymous namespace)".
std::string_view without_arguments_perl(std::string_view function);

// "$LT$" and the like decoded and "::h0123456789abcdef" removed, if `function`
// has that hash at its end; else unchanged.
std::string rust_demangled(std::string_view function);

}  // namespace wick
