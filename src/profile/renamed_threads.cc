// SPDX-License-Identifier: Apache-2.0
#include "profile/renamed_threads.h"

#include "base/hash_index.h"

namespace wick {

Column<ThreadId, ThreadId> last_names(const Profile& profile) {
  const Column<ThreadId, Thread>& threads = profile.threads;
  // The first row with the same ids, and by that row the last name.
  Column<ThreadId, ThreadId> first, last;
  std::vector<ThreadId> distinct;
  HashIndex seen;
  for (const ThreadId id : threads.ids()) {
    const Thread& thread = threads[id];
    last.push_back(id);
    if (thread.tid == Thread::kUnknown) {
      first.push_back(id);
      continue;
    }
    const std::uint32_t number = seen.find_or_add(
        hash_pair(static_cast<std::uint32_t>(thread.pid),
                  static_cast<std::uint32_t>(thread.tid)),
        [&](std::uint32_t i) {
          const Thread& other = threads[distinct[i]];
          return other.pid == thread.pid && other.tid == thread.tid;
        },
        [&] {
          distinct.push_back(id);
          return static_cast<std::uint32_t>(distinct.size() - 1);
        });
    first.push_back(distinct[number]);
  }
  for (const Sample& sample : profile.samples)
    last[first[sample.thread]] = sample.thread;
  for (const ThreadId id : threads.ids()) last[id] = last[first[id]];
  return last;
}

}  // namespace wick
