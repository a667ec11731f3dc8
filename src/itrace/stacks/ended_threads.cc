// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/ended_threads.h"

namespace wick {

EndedThreads::Identity EndedThreads::identity_of(
    const ThreadFacts& facts) const {
  // A process without a name is called by its address space. Threads with ids
  // and without any are shown in different ways.
  const bool has_id = facts.pid != -1 || facts.tid != -1;
  return {facts.name, facts.name.empty() ? facts.space : SpaceId::kNone,
          by_id_ ? facts.pid : std::int32_t{has_id},
          by_id_ ? facts.tid : std::int32_t{0}};
}

void EndedThreads::add_threads() {
  while (heirs_.size() < contexts_.threads().size())
    heirs_.push_back(static_cast<std::uint32_t>(heirs_.size()));
}

void EndedThreads::add_ended(std::uint32_t thread) {
  const Identity identity = identity_of(contexts_.threads()[thread]);
  heirs_[thread] = heir_of_.try_emplace(identity, thread).first->second;
}

void EndedThreads::merge() {
  add_threads();
  for (const std::uint32_t thread : contexts_.take_ended()) add_ended(thread);
  accounts_.merge_threads(heirs_);
  limit_ = next_merge(accounts_.in_use());
}

void EndedThreads::merge_all() {
  add_threads();
  for (std::uint32_t thread = 0; thread < heirs_.size(); ++thread)
    if (heirs_[thread] == thread) add_ended(thread);
  accounts_.merge_threads(heirs_);
}

}  // namespace wick
