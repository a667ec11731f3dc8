// SPDX-License-Identifier: Apache-2.0
#include "itrace/merged_trace.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"

namespace wick {
namespace {

struct Input {
  NamedTrace trace;
  TraceBlock block;  // the next one
  bool is_over = false;

  void advance() {
    in_context(trace.name, [&] {
      do {
        is_over = !trace.reader->next(block);
      } while (!is_over && block.instructions.empty());
    });
  }
};

class MergedTrace final : public TraceReader {
 public:
  explicit MergedTrace(std::vector<Input> inputs) : inputs_(std::move(inputs)) {
    bool is_first = true;
    for (const Input& input : inputs_) {
      const TraceInfo& one = input.trace.reader->info();
      if (std::exchange(is_first, false)) {
        info_ = one;
        continue;
      }
      info_.pc_bits = std::min(info_.pc_bits, one.pc_bits);
      info_.has_bits &= one.has_bits;
      info_.has_privilege &= one.has_privilege;
      info_.has_satp &= one.has_satp;
      info_.has_traps &= one.has_traps;
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      owners_.try_emplace(inputs_[i].block.hart, i);
  }

  bool next(TraceBlock& block) override {
    const auto first =
        std::ranges::min_element(inputs_, {}, [](const Input& i) {
          return i.is_over ? UINT64_MAX : i.block.instructions.front().cycle;
        });
    if (first->is_over) {
      block.clear();
      diagnostics_ = {};
      for (const Input& input : inputs_)
        diagnostics_.merge(input.trace.reader->diagnostics());
      return false;
    }
    std::swap(block, first->block);
    block.hart =
        number(static_cast<std::size_t>(first - inputs_.begin()), block.hart);
    first->advance();
    return true;
  }

 private:
  // A hart of this number may be in another input as well.
  std::uint32_t number(std::size_t input, std::uint32_t hart) {
    const auto [owner, is_new] = owners_.try_emplace(hart, input);
    if (owner->second == input) return hart;
    const auto [other, is_other_new] = renamed_.try_emplace(
        std::pair(input, hart),
        kMaxHarts + static_cast<std::uint32_t>(renamed_.size()));
    return other->second;
  }

  std::vector<Input> inputs_;
  std::map<std::uint32_t, std::size_t> owners_;  // of harts
  std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> renamed_;
};

bool have_one_clock(const TraceInfo& a, const TraceInfo& b) {
  return a.unit == b.unit && a.clock_domain == b.clock_domain &&
         a.unit != "instructions";
}

}  // namespace

std::unique_ptr<TraceReader> merge_traces(std::vector<NamedTrace> traces) {
  std::vector<Input> inputs;
  for (NamedTrace& trace : traces) {
    inputs.push_back({.trace = std::move(trace)});
    inputs.back().advance();
  }
  std::erase_if(inputs, [](const Input& input) { return input.is_over; });
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (inputs[i].block.hart == inputs[k].block.hart ||
          !have_one_clock(inputs[i].trace.reader->info(),
                          inputs[k].trace.reader->info()))
        return nullptr;
  if (inputs.size() < 2) return nullptr;
  return std::make_unique<MergedTrace>(std::move(inputs));
}

}  // namespace wick
