// SPDX-License-Identifier: Apache-2.0
// Names that the reader and the writers of traces and Firefox profiles share.
#pragma once

#include <array>
#include <string_view>

#include "profile/profile.h"

namespace wick {

inline constexpr std::array<std::string_view, 5> kFrameKindNames = {
    "user", "kernel", "inlined", "jit", "label"};

constexpr std::string_view name_of(FrameKind kind) {
  return kFrameKindNames[static_cast<std::size_t>(kind)];
}
constexpr FrameKind frame_kind(std::string_view name) {
  for (std::size_t i = 0; i < kFrameKindNames.size(); ++i)
    if (kFrameKindNames[i] == name) return static_cast<FrameKind>(i);
  return FrameKind::kUser;
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
