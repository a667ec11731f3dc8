// SPDX-License-Identifier: Apache-2.0
// Frames for the reasons why a thread is off the CPU.
#pragma once

#include <string_view>

#include "profile/profile.h"

namespace wick {

// "[blocked]"; "" for kNone.
std::string_view label_of(OffCpuReason reason);

// The reason with this label; kNone if there is none. For formats that hold
// nothing but names.
OffCpuReason off_cpu_reason(std::string_view label);

// The frame of a reason other than kNone.
FrameId off_cpu_frame(Profile& profile, OffCpuReason reason);

}  // namespace wick
