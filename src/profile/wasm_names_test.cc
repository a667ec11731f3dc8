// SPDX-License-Identifier: Apache-2.0
#include "profile/wasm_names.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(WasmNames, AreTellingInEveryRuntime) {
  for (const char* name :
       {"JS:leaf_mul-0-liftoff", "JS:leaf-mul-12-turbofan",
        "JS:wasm-function[0]-0-liftoff", "wasm-function[12]",
        "JS:wasm-to-js:ii:i-now-3-turbofan", "wasm[0]::function[3]",
        "wasm[0]::array_to_wasm_trampoline[1]",
        "signatures[2]::wasm_to_array_trampoline", "aot_func#1",
        "[hot]#aot_func#7", "<wasm-unnamed>", "<wasm-unknown>-4"})
    EXPECT_EQ(generated_kind(name), FrameKind::kWasm) << name;
}

TEST(WasmNames, AreNotThoseOfOtherGeneratedCode) {
  for (const char* name :
       {"JS:*hot app.js:1:2", "LazyCompile:*hot app.js:1", "Builtin:Call",
        "Interpreter", "java.util.HashMap.get", "to-liftoff", "-7-", "",
        "py::work:/app/wasm.py"})
    EXPECT_EQ(generated_kind(name), FrameKind::kJit) << name;
}

}  // namespace
}  // namespace wick
