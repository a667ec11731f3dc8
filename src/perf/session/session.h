// SPDX-License-Identifier: Apache-2.0
// Records → Profile. The frames of the result say where the code is (module and
// address); symbolize() gives them names.
#pragma once

#include "object/symbolize.h"
#include "perf/file/data_file.h"
#include "profile/format.h"
#include "profile/profile.h"

namespace wick {

struct SessionResult {
  Profile profile;
  CodeLocations code;
};

SessionResult read_session(PerfData& data, Images& images,
                           const ReadOptions& options);

}  // namespace wick
