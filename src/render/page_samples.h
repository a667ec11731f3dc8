// SPDX-License-Identifier: Apache-2.0
// The samples of a profile for the viewer's page, ordered by thread, event and
// time, in ticks that are as fine as is useful.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "render/page_data.h"

namespace wick {

struct PageSample {
  std::uint64_t tick = 0;  // from the first sample
  std::uint32_t node = 0, thread = 0, event = 0;
  std::int64_t weight = 0;
};

struct PageSamples {
  std::vector<PageSample> rows;
  // The unknown thread, then those with samples, each under its last name.
  std::vector<ThreadId> threads;
  std::uint64_t tick_ns = 1;
  std::uint64_t start_ns = 0;  // of the input's clock
  // Samples of equal stack, thread and event within a tick share a row.
  bool summed = false;
};

PageSamples page_samples(const Profile& profile,
                         const std::vector<std::uint32_t>& node_of_sample,
                         const PageLimits& limits);

// The columns of the page: differences of ticks, nodes, threads and events from
// the row before, and weights.
struct PageSampleColumns {
  std::string ticks, nodes, threads, events, weights;
};
PageSampleColumns columns_of(const PageSamples& samples);

}  // namespace wick
