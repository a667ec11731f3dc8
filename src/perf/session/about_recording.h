// SPDX-License-Identifier: Apache-2.0
// What a perf.data file says about its recording as a whole.
#pragma once

#include "perf/file/data_file.h"
#include "profile/profile.h"

namespace wick {

// Sets host, kernel, command, rate and so on in profile.about.
void describe_recording(const PerfHeader& header, Profile& profile);

// What the kernel, the recorder or the reader lost. Once all records were read.
void note_losses(const PerfData& data, Diagnostics& diagnostics);

}  // namespace wick
