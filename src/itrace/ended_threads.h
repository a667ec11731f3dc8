// SPDX-License-Identifier: Apache-2.0
// Every thread has a tree of accounts. A machine that runs for long starts any
// number of short processes, which do the same again and again: once they have
// ended, those that look alike to the user share a tree, so memory grows with
// the number of distinct stacks and not with that of processes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "itrace/code/code_map.h"
#include "itrace/stacks/accounts.h"
#include "itrace/stacks/contexts.h"

namespace wick {

class EndedThreads {
 public:
  // Without `by_id`, threads of one name look alike even if their ids differ.
  EndedThreads(Accounts& accounts, Contexts& contexts, const CodeMap& map,
               bool by_id)
      : accounts_(accounts), contexts_(contexts), map_(map), by_id_(by_id) {}

  // Merges trees if there are many new nodes. Call it between blocks.
  void merge_if_worthwhile() {
    if (accounts_.in_use() > limit_) merge();
  }
  // The trace is over, and so are all threads. Call Accounts::settle_rest()
  // before.
  void merge_all();

 private:
  using Identity = std::tuple<std::string, std::int32_t, std::int32_t>;
  Identity identity_of(const ThreadFacts& facts) const;
  void merge();
  void add_threads();
  void add_ended(std::span<const std::uint32_t> threads);

  // Merging looks at every node, so there must be many more than the last time.
  static constexpr std::size_t kFirstMerge = 1 << 14;
  static std::size_t next_merge(std::size_t nodes) {
    return nodes + std::max(kFirstMerge, nodes / 8);
  }

  Accounts& accounts_;
  Contexts& contexts_;
  const CodeMap& map_;
  bool by_id_;
  std::size_t limit_ = kFirstMerge;
  std::vector<std::uint32_t> heirs_;  // see Accounts::merge_threads()
  absl::flat_hash_map<Identity, std::uint32_t> heir_of_;
};

}  // namespace wick
