// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "itrace/code/code_map.h"

namespace wick {

// An instruction and the code it is in.
struct CodePoint {
  std::uint64_t pc = 0;
  Flow flow;  // how control leaves it
  CodePage* page = nullptr;
  FunctionId function = FunctionId::kNone;
  Layer layer = Layer::kUnknown;

  std::size_t slot() const { return CodePage::slot(pc); }
  // A function begins here.
  bool is_entry() const { return page->flow[slot()].is_entry(); }
};

}  // namespace wick
