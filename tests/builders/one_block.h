// SPDX-License-Identifier: Apache-2.0
// For tests: a trace that is one block of instructions.
#pragma once

#include <algorithm>

#include "itrace/formats/trace_reader.h"

namespace wick {

class OneBlock : public TraceReader {
 public:
  explicit OneBlock(TraceBlock block, TraceInfo info = {})
      : block_(std::move(block)) {
    info_ = std::move(info);
  }
  bool next(TraceBlock& block) override {
    block.clear();
    std::swap(block, block_);
    return !block.instructions.empty();
  }

 private:
  TraceBlock block_;
};

}  // namespace wick
