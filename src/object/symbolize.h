// SPDX-License-Identifier: Apache-2.0
// Names frames that are only addresses: Profile → Profile. Each distinct
// address is resolved once; a frame with inlined calls becomes several.
#pragma once

#include "base/id.h"
#include "object/images.h"
#include "profile/format.h"
#include "profile/profile.h"

namespace wick {

struct CodeLocations {
  Column<ModuleId, ImageId> images;  // of each module; kNone: no file
  // Where each module of the kernel began in memory; addresses of its frames
  // are relative to that.
  Column<ModuleId, std::uint64_t> kernel_starts;
};

Profile symbolize(Profile profile, const CodeLocations& code, Images& images,
                  DebugFiles& files, const ReadOptions& options);

}  // namespace wick
