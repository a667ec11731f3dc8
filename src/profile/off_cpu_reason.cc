// SPDX-License-Identifier: Apache-2.0
#include "profile/off_cpu_reason.h"

#include <array>
#include <cassert>

namespace wick {
namespace {

constexpr std::array<std::string_view, 8> kLabels = {
    "",
    "[blocked]",
    "[in I/O]",
    "[preempted]",
    "[off the CPU, near here]",
    "[off the CPU since before the recording]",
    "[waits for its first run]",
    "[off the CPU, not sampled]",
};
static_assert(static_cast<std::size_t>(OffCpuReason::kNotSampled) + 1 ==
              kLabels.size());

}  // namespace

std::string_view label_of(OffCpuReason reason) {
  return kLabels[static_cast<std::size_t>(reason)];
}

OffCpuReason off_cpu_reason(std::string_view label) {
  for (std::size_t i = 1; i < kLabels.size(); ++i)
    if (kLabels[i] == label) return static_cast<OffCpuReason>(i);
  return OffCpuReason::kNone;
}

FrameId off_cpu_frame(Profile& profile, OffCpuReason reason) {
  assert(reason != OffCpuReason::kNone);
  return profile.frames.intern(
      {.function = profile.strings.intern(label_of(reason)),
       .kind = FrameKind::kOffCpu,
       .off_cpu = reason});
}

}  // namespace wick
