// SPDX-License-Identifier: Apache-2.0
// Rows that several answers have.
#pragma once

#include "base/json_writer.h"
#include "host/process_metrics.h"

namespace wick {

// The members of an object.
void write_process(JsonWriter& json, const ProcessMetrics& process);

}  // namespace wick
