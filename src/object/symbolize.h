// SPDX-License-Identifier: Apache-2.0
// Gives names to frames that are only addresses: Profile → Profile. Every
// distinct address is resolved once; a frame with inlined calls becomes
// several.
#pragma once

#include "base/id.h"
#include "object/images.h"
#include "profile/format.h"
#include "profile/profile.h"

namespace wick {

struct CodeLocations {
  Column<ModuleId, ImageId> images;  // of each module; kNone: not a file
  // Where each module of the kernel began in memory; its frames are counted
  // from there.
  Column<ModuleId, std::uint64_t> kernel_starts;
};

Profile symbolize(Profile profile, const CodeLocations& code, Images& images,
                  DebugFiles& files, const ReadOptions& options);

}  // namespace wick
