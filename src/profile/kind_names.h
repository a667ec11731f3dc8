// SPDX-License-Identifier: Apache-2.0
// Names of the model's enumerators, as JSON formats spell them.
#pragma once

#include <array>
#include <string_view>

#include "profile/off_cpu_reason.h"
#include "profile/profile.h"

namespace wick {

inline constexpr std::array<std::string_view, 7> kFrameKindNames = {
    "user", "kernel", "inlined", "jit", "label", "off-cpu", "wasm"};
static_assert(static_cast<std::size_t>(FrameKind::kWasm) + 1 ==
              kFrameKindNames.size());

constexpr std::string_view name_of(FrameKind kind) {
  return kFrameKindNames[static_cast<std::size_t>(kind)];
}
constexpr FrameKind frame_kind(std::string_view name) {
  for (std::size_t i = 0; i < kFrameKindNames.size(); ++i)
    if (kFrameKindNames[i] == name) return static_cast<FrameKind>(i);
  return FrameKind::kUser;
}
// The reason of an off-CPU frame, which these formats hold as its name.
inline OffCpuReason off_cpu_of(FrameKind kind, std::string_view name) {
  return kind == FrameKind::kOffCpu ? off_cpu_reason(name)
                                    : OffCpuReason::kNone;
}

inline constexpr std::array<std::string_view, 5> kTimeKindNames = {
    "", "on-cpu", "off-cpu", "wall", "trace-clock"};
static_assert(static_cast<std::size_t>(TimeKind::kTraceClock) + 1 ==
              kTimeKindNames.size());

constexpr std::string_view name_of(TimeKind kind) {
  return kTimeKindNames[static_cast<std::size_t>(kind)];
}
constexpr TimeKind time_kind(std::string_view name) {
  for (std::size_t i = 0; i < kTimeKindNames.size(); ++i)
    if (kTimeKindNames[i] == name) return static_cast<TimeKind>(i);
  return TimeKind::kNone;
}

constexpr std::string_view name_of(EventRole role) {
  switch (role) {
    case EventRole::kBefore:
      return "before";
    case EventRole::kAfter:
      return "after";
    case EventRole::kPlain:
      break;
  }
  return "plain";
}
constexpr EventRole event_role(std::string_view name) {
  if (name == "before") return EventRole::kBefore;
  if (name == "after") return EventRole::kAfter;
  return EventRole::kPlain;
}

}  // namespace wick
