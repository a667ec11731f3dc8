// SPDX-License-Identifier: Apache-2.0
// Shortens the names of functions as profilers print them: removes argument
// lists and undoes Rust's legacy mangling. The rules are inferno's or, with
// Compat::kPerl, stackcollapse-perf.pl's; docs/flame-graphs.md lists them.
#pragma once

#include <string>
#include <string_view>

namespace wick {

// Without the argument list. Brackets are balanced:
// "std::function<void (int)>::operator()(int) const" keeps its template part.
std::string_view without_arguments(std::string_view function);

// By stackcollapse-perf.pl's rule: cut at the first "(" unless the name looks
// like a Go method or has "(anonymous namespace)".
std::string_view without_arguments_perl(std::string_view function);

// With "$LT$" and the like decoded and "::h0123456789abcdef" removed if
// `function` ends with such a hash; otherwise unchanged.
std::string rust_demangled(std::string_view function);

}  // namespace wick
