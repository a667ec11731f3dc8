// SPDX-License-Identifier: Apache-2.0
// simulate_day DATABASE BEGIN: a store with a day of a busy host, which begins
// BEGIN seconds after 1970.
#include <fmt/format.h>

#include <cstdlib>

#include "base/error.h"
#include "builders/simulated_day.h"
#include "server/store/sqlite_store.h"

int main(int argc, char** argv) {
  using namespace wick;
  if (argc != 3) return 2;
  try {
    const auto store = open_sqlite_store(argv[1]);
    SimulatedDay day(std::atoll(argv[2]) * SimulatedDay::kSecond);
    for (int i = 0; i < SimulatedDay::kBatches; ++i) store->put(day.batch(i));
    fmt::print("{}\n", store->size());
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
