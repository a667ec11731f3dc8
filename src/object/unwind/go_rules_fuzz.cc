// SPDX-License-Identifier: Apache-2.0
// Any bytes as an ELF file with a Go program's table of functions.
#include <algorithm>
#include <cstdlib>

#include "base/fuzz_target.h"
#include "object/elf/elf_file.h"
#include "object/unwind/go_rules.h"

namespace wick {
namespace {

void must_be(bool good) {
  if (!good) std::abort();
}

void fuzz_go_rules(std::string_view bytes) {
  const auto file = ElfFile::from_memory("input", std::string(bytes));
  const auto table = GoTable::find(*file);
  if (!table) return;
  must_be(table->size() <= bytes.size());
  const auto rules = GoRules::of(*file);
  for (std::uint64_t row = 0; row < std::min<std::uint64_t>(table->size(), 100);
       ++row) {
    const GoTable::Function function = table->function(row);
    table->name(function);
    for (const std::uint64_t at :
         {function.start, function.start + 7, function.end - 1}) {
      const auto found = table->function_at(at);
      must_be(!found || (found->start <= at && at < found->end));
      if (rules) rules->at(at);
    }
  }
}

}  // namespace

extern const FuzzTarget go_rules_fuzz = {.name = "go-rules",
                                         .run = fuzz_go_rules};

}  // namespace wick
