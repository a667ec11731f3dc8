// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/profile.h"

namespace wick {

// Adds all of `other` to `profile`: equal threads and events become one.
void merge(Profile& profile, const Profile& other);

}  // namespace wick
