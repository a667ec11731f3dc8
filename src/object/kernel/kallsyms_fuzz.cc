// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "base/fuzz_target.h"
#include "object/kernel/kallsyms.h"

namespace wick {
namespace {

void fuzz_kallsyms(std::string_view bytes) {
  const Kallsyms list = Kallsyms::from_text(std::string(bytes));
  for (const Kallsyms::Module& module : list.modules())
    if (list.module(module.name) != &module.symbols) std::abort();
  for (const Symbol& symbol : list.kernel())
    if (symbol.size > 0 && list.kernel().find(symbol.start) != &symbol)
      std::abort();
}

}  // namespace

extern const FuzzTarget kallsyms_fuzz = {.name = "kallsyms",
                                         .run = fuzz_kallsyms};

}  // namespace wick
