// SPDX-License-Identifier: Apache-2.0
// The code that the samples of a recording are in, collected while it runs, and
// its names, looked up when it ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "base/memory_budget.h"
#include "perf/recording/sampled_files.h"
#include "perf/recording/sampled_jits.h"
#include "perf/session/side_band.h"

namespace wick {

class SampledCode {
 public:
  // Addresses take from `memory`, and maps of compiled functions from
  // `reading` while they are read. `images` outlives it.
  SampledCode(Images& images, std::shared_ptr<MemoryBudget> memory,
              std::shared_ptr<MemoryBudget> reading)
      : images_(images),
        memory_(std::move(memory), MemoryBudget::kNoLimit),
        jits_(memory_, std::move(reading)) {}

  // A stack of the process `pid` at `time`, as its maps are now.
  void add_user(const Space& space, std::uint32_t pid, std::uint64_t time,
                std::span<const std::uint64_t> addresses);
  void add_kernel(SideBand& side_band,
                  std::span<const std::uint64_t> addresses);

  SampledFiles& files() { return files_; }
  SampledJits& jits() { return jits_; }
  // Distinct ones, in files.
  std::uint64_t addresses() const { return files_.addresses(); }
  // Times that an address was not added for lack of memory.
  std::uint64_t omitted() const { return files_.omitted() + jits_.omitted(); }

 private:
  Images& images_;
  MemoryAccount memory_;
  SampledFiles files_{images_, memory_};
  SampledJits jits_;
};

}  // namespace wick
