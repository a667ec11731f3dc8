// SPDX-License-Identifier: Apache-2.0
#include "builders/cost.h"

#include <gtest/gtest.h>

#include <atomic>
#include <streambuf>

#include "base/metrics.h"

#ifdef __SANITIZE_ADDRESS__
// As in clang's <sanitizer/allocator_interface.h>, which gcc does not install.
extern "C" int __sanitizer_install_malloc_and_free_hooks(
    void (*allocated)(const volatile void*, std::size_t),
    void (*freed)(const volatile void*));
#endif

namespace wick {
namespace {

std::atomic<std::uint64_t> allocated_bytes = 0, allocations = 0;

void count_allocations() {
#ifdef __SANITIZE_ADDRESS__
  static const int installed = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void*, std::size_t size) {
        allocated_bytes.fetch_add(size, std::memory_order_relaxed);
        allocations.fetch_add(1, std::memory_order_relaxed);
      },
      [](const volatile void*) {});
  ASSERT_NE(installed, 0);
#endif
}

class CountingBuffer : public std::streambuf {
 public:
  std::uint64_t bytes = 0;

 protected:
  int overflow(int c) override {
    ++bytes;
    return c;
  }
  std::streamsize xsputn(const char*, std::streamsize count) override {
    bytes += static_cast<std::uint64_t>(count);
    return count;
  }
};

}  // namespace

Cost cost_of(const std::function<void(std::ostream&)>& run) {
  count_allocations();
  CountingBuffer buffer;
  std::ostream out(&buffer);
  const std::uint64_t steps = activity().steps, bytes = allocated_bytes,
                      count = allocations;
  run(out);
  return {activity().steps - steps, buffer.bytes, allocated_bytes - bytes,
          allocations - count};
}

// The noise is what tables that double in size allocate at once.
void expect_doubled_at_most(const Cost& once, const Cost& twice) {
  constexpr double kDoubled = 2.3;
  const auto check = [](const char* what, std::uint64_t a, std::uint64_t b,
                        std::uint64_t noise) {
    EXPECT_LE(static_cast<double>(b),
              kDoubled * static_cast<double>(a) + static_cast<double>(noise))
        << what << ": " << a << " for the input, " << b << " for two of it";
  };
  check("steps", once.steps, twice.steps, 1000);
  check("written bytes", once.written, twice.written, 20'000);
  check("allocated bytes", once.allocated, twice.allocated, 1 << 20);
  check("allocations", once.allocations, twice.allocations, 1000);
}

}  // namespace wick
