// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/profile.h"

namespace wick {

// The program that most of the profile is about, kUnknown if nothing tells:
// pprof's tools take the first mapping of a profile for it. A process is called
// after its program; where threads have other names, it is the file that stacks
// begin in, if that is no library.
ModuleId main_module(const Profile& profile);

}  // namespace wick
