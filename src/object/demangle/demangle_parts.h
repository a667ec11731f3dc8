// SPDX-License-Identifier: Apache-2.0
// The languages that demangle() knows. Each returns nothing for a name that is
// not its own, is damaged or would become too long.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "object/demangle/demangle.h"

namespace wick {

// "_Z…": the Itanium C++ ABI.
std::optional<std::string> demangle_cxx(std::string_view name, Demangle how);
// "_ZN…17h0123456789abcdefE" and "_R…".
std::optional<std::string> demangle_rust_legacy(std::string_view name);
std::optional<std::string> demangle_rust_v0(std::string_view name);

}  // namespace wick
