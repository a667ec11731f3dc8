// SPDX-License-Identifier: Apache-2.0
#include "profile/wasm_names.h"

#include <algorithm>

#include "base/text.h"

namespace wick {
namespace {

// "…-7-liftoff" or "…-7-turbofan": V8 adds the function's index and the tier.
bool has_tier_of_v8(std::string_view name) {
  for (const std::string_view tier : {"-liftoff", "-turbofan"}) {
    if (!name.ends_with(tier)) continue;
    name.remove_suffix(tier.size());
    const std::size_t dash = name.rfind('-');
    return dash != name.npos && dash + 1 < name.size() &&
           std::ranges::all_of(name.substr(dash + 1), is_digit);
  }
  return false;
}

}  // namespace

bool is_wasm_name(std::string_view name) {
  if (name.starts_with("wasm[") || name.starts_with("<wasm-un")) return true;
  for (const std::string_view part :
       {"wasm-function[", "wasm-to-js", "js-to-wasm", "aot_func#",
        "::wasm_to_array_trampoline", "::array_to_wasm_trampoline"})
    if (name.find(part) != name.npos) return true;
  return has_tier_of_v8(name);
}

}  // namespace wick
