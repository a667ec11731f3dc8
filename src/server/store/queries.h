// SPDX-License-Identifier: Apache-2.0
// What can be asked of a database, each in one transaction that the caller
// began.
#pragma once

#include <vector>

#include "base/siphash.h"
#include "server/store/sqlite.h"
#include "server/store/store.h"

namespace wick {

std::vector<StoredHost> stored_hosts(Database& database);
// `key` is that of the dictionary.
Profile stored_profile(Database& database, const SipKey& key,
                       const ProfileQuery& query);
MetricColumns stored_metrics(Database& database, const MetricQuery& query);
std::vector<StoredProcess> stored_processes(Database& database,
                                            const HostQuery& query);
std::vector<StoredLoss> stored_losses(Database& database,
                                      const HostQuery& query);

}  // namespace wick
