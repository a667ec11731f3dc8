// SPDX-License-Identifier: Apache-2.0
// Threads that work, wait and call the kernel and the vDSO.
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "work.h"

namespace {

std::mutex mutex;

[[gnu::noinline]] void compute(double end) {
  while (now_ms() < end) {
    for (int i = 0; i < 100; ++i) {
      const std::scoped_lock lock(mutex);
      spin(100);
    }
  }
}

[[gnu::noinline]] void ask_for_time(double end) {
  while (now_ms() < end) {
  }
}

[[gnu::noinline]] void call_the_kernel(double end) {
  const int file = open("/dev/zero", O_RDONLY);
  std::vector<char> buffer(1 << 16);
  while (now_ms() < end)
    if (read(file, buffer.data(), buffer.size()) < 0) abort();
  close(file);
}

void* old_style(void* end) {
  pthread_setname_np(pthread_self(), "old style");
  compute(*static_cast<double*>(end));
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  double end = now_ms() + (argc > 1 ? atof(argv[1]) : 300);
  pthread_t old;
  pthread_create(&old, nullptr, old_style, &end);
  std::vector<std::thread> threads;
  threads.emplace_back(compute, end);
  threads.emplace_back(ask_for_time, end);
  threads.emplace_back([&] { call_the_kernel(end); });
  threads.emplace_back([](double until) { compute(until); }, end);
  for (std::thread& thread : threads) thread.join();
  pthread_join(old, nullptr);
}
