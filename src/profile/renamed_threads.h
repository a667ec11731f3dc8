// SPDX-License-Identifier: Apache-2.0
// A thread has a row in Profile::threads for each name that it had: a program
// names its workers once they run, and exec() names a process after its new
// program.
#pragma once

#include "profile/profile.h"

namespace wick {

// For each row the one with the same ids that has the thread's last name: that
// of its last sample. A row without a tid is a thread of its own.
Column<ThreadId, ThreadId> last_names(const Profile& profile);

}  // namespace wick
