// SPDX-License-Identifier: Apache-2.0
// Batches that are not stored yet, as a store would give them back.
#pragma once

#include "server/batch/batch.h"
#include "server/store/store.h"

namespace wick {

// Adds samples of equal stack, thread and event up.
void sum_equal_rows(Profile& profile);

// Keeps the samples of `batch` that `query` selects, and has a row for what
// their threads stand for. Host and span are not looked at.
Profile selected_profile(Batch batch, const ProfileQuery& query);

}  // namespace wick
