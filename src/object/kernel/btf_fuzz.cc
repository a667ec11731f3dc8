// SPDX-License-Identifier: Apache-2.0
#include "base/fuzz_target.h"
#include "object/kernel/btf.h"

namespace wick {
namespace {

void fuzz_btf(std::string_view bytes) {
  // Somewhere in a kernel's file.
  if (const auto found = Btf::find(bytes, "outer"))
    found->offset("outer", "in.b");
  const auto btf = Btf::parse(bytes);
  if (!btf) return;
  btf->offset("outer", "in.b");
  btf->offset("outer", "first");
}

}  // namespace

extern const FuzzTarget btf_fuzz = {.name = "btf", .run = fuzz_btf};

}  // namespace wick
