// SPDX-License-Identifier: Apache-2.0
// Which profile a request asks for.
#pragma once

#include <string>

#include "server/api/parameters.h"
#include "server/history/history.h"
#include "server/store/store.h"

namespace wick {

ProfileQuery profile_query(const Parameters& parameters);
// What `after` is compared with: the same, with what the parameters that begin
// with "base_" change; by default, of as much time right before it.
ProfileQuery base_query(const Parameters& parameters,
                        const ProfileQuery& after);

// The profile; a RequestError if there are no samples.
Profile profile_for(const History& history, const ProfileQuery& query);

// "box, pid 12, 2026-11-19 20:09:02 UTC, 60 s".
std::string title_of(const ProfileQuery& query);

}  // namespace wick
