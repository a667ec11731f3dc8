// SPDX-License-Identifier: Apache-2.0
#include "itrace/ended_threads.h"

#include <utility>

#include "itrace/process_names.h"

namespace wick {

EndedThreads::Identity EndedThreads::identity_of(
    const ThreadFacts& facts) const {
  // Threads with ids and without any are shown in different ways.
  const bool has_id = facts.pid != -1 || facts.tid != -1;
  return {facts.process->name, by_id_ ? facts.pid : std::int32_t{has_id},
          by_id_ ? facts.tid : std::int32_t{0}};
}

void EndedThreads::add_threads() {
  while (heirs_.size() < contexts_.threads().size())
    heirs_.push_back(static_cast<std::uint32_t>(heirs_.size()));
}

// They are named before what tells their program is added to another thread.
void EndedThreads::add_ended(std::span<const std::uint32_t> threads) {
  if (threads.empty()) return;
  ProcessNames names = name_processes(contexts_, accounts_, map_);
  for (const std::uint32_t thread : threads) {
    ThreadFacts& facts = contexts_.threads()[thread];
    facts.process = std::move(names.of_thread[thread]);
    heirs_[thread] =
        heir_of_.try_emplace(identity_of(facts), thread).first->second;
  }
}

void EndedThreads::merge() {
  add_threads();
  add_ended(contexts_.take_ended());
  accounts_.merge_threads(heirs_);
  limit_ = next_merge(accounts_.in_use());
}

void EndedThreads::merge_all() {
  add_threads();
  std::vector<std::uint32_t> rest;
  for (std::uint32_t thread = 0; thread < heirs_.size(); ++thread)
    if (!contexts_.threads()[thread].process) rest.push_back(thread);
  add_ended(rest);
  accounts_.merge_threads(heirs_);
}

}  // namespace wick
