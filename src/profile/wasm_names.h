// SPDX-License-Identifier: Apache-2.0
// Runtimes of WebAssembly name the code that they compile in ways that nothing
// else does.
#pragma once

#include <string_view>

#include "profile/tables.h"

namespace wick {

// Whether a runtime names functions of WebAssembly so: V8 ("JS:add-7-liftoff",
// "JS:wasm-function[7]-7-turbofan"), wasmtime ("wasm[0]::function[7]"), WAMR
// ("aot_func#7").
bool is_wasm_name(std::string_view name);

// Of code that was made at run time.
inline FrameKind generated_kind(std::string_view name) {
  return is_wasm_name(name) ? FrameKind::kWasm : FrameKind::kJit;
}

}  // namespace wick
