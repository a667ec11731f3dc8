// SPDX-License-Identifier: Apache-2.0
// Threads exist only inside a pass: each worker has its own result, and the
// caller merges them. This header is the only user of TBB.
#pragma once

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>

namespace wick {

// 0 means all cores that this process may use.
inline int worker_count(int wanted) {
  return wanted > 0 ? wanted : std::max(tbb::info::default_concurrency(), 1);
}

namespace parallel_detail {
// Arenas are kept: a reader needs one for every block of its input.
inline tbb::task_arena& arena(int workers) {
  static std::mutex mutex;
  static std::map<int, tbb::task_arena> arenas;
  const std::scoped_lock lock(mutex);
  return arenas.try_emplace(workers, workers).first->second;
}
}  // namespace parallel_detail

// Calls body(0) … body(count - 1) on up to `workers` threads. Rethrows an
// exception of any of them.
template <class Body>
void parallel_for(std::size_t count, int workers, Body&& body) {
  if (workers <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  // TBB warns about more threads than cores.
  parallel_detail::arena(std::min(workers, worker_count(0))).execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, 1),
        [&](const auto& range) {
          for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
        },
        tbb::simple_partitioner());
  });
}

}  // namespace wick
