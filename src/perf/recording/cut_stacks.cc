// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/cut_stacks.h"

#include <algorithm>

#include "perf/session/wakers.h"

namespace wick {

void CutStacks::visit(const PerfRecord& sample) {
  const EventAttr& attr = sample.event->attr;
  if (attr.sample_max_stack == 0 || !attr.samples(sample_type::kCallchain) ||
      !decode_sample(sample, sample_))
    return;
  const auto frames = std::ranges::count_if(
      sample_.callchain,
      [](std::uint64_t address) { return address < callchain::kFirst; });
  if (frames >= attr.sample_max_stack)
    ++(Wakers::is_waking(*sample.event) ? wakers_ : others_);
}

void CutStacks::note(Diagnostics& diagnostics) const {
  diagnostics.note(Problem::kCallchainLimit, others_);
  diagnostics.note(Problem::kWakersLimit, wakers_);
}

}  // namespace wick
