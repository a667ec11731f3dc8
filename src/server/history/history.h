// SPDX-License-Identifier: Apache-2.0
// All that is known of all hosts: what is stored, and what came in the last
// minutes. Every moment is taken from one of the two, so nothing is counted
// twice, whatever is stored meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/history/recent.h"
#include "server/store/store.h"

namespace wick {

struct KnownHost {
  std::string name;
  std::int64_t first_ns = 0;  // where what is known of it begins
  // Everything up to here is on the disk.
  std::optional<std::int64_t> stored_until_ns;
  std::optional<std::int64_t> seen_until_ns;  // by this server
};

// Queries as those of a store, for any thread.
class History {
 public:
  History(Store& store, const Recent& recent)
      : store_(store), recent_(recent) {}

  // In alphabetical order.
  std::vector<KnownHost> hosts() const;
  Profile profile(const ProfileQuery& query) const;
  // The query has a step.
  MetricColumns metrics(const MetricQuery& query) const;
  std::vector<StoredProcess> processes(const HostQuery& query) const;
  std::vector<StoredLoss> losses(const HostQuery& query) const;
  const Recent& recent() const { return recent_; }

 private:
  std::vector<std::string> hosts_of(const std::string& wanted) const;

  Store& store_;
  const Recent& recent_;
};

}  // namespace wick
