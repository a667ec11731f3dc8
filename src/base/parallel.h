// SPDX-License-Identifier: Apache-2.0
// Threads exist only inside a pass: each worker fills a result of its own and
// the caller merges them. This header is the only user of TBB.
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <thread>

namespace wick {

// 0 stands for all cores.
inline int worker_count(int wanted) {
  if (wanted > 0) return wanted;
  const unsigned cores = std::thread::hardware_concurrency();
  return cores == 0 ? 1 : static_cast<int>(cores);
}

// Calls body(0) … body(count - 1) on up to `workers` threads. An exception in
// one of them comes out here.
template <class Body>
void parallel_for(std::size_t count, int workers, Body&& body) {
  if (workers <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  tbb::task_arena arena(workers);
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { body(i); });
  });
}

}  // namespace wick
