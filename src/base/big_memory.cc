// SPDX-License-Identifier: Apache-2.0
// Large blocks of memory in huge pages. The columns of a wide profile are tens
// of megabytes each, written once from front to back; in pages of 4 kB a fifth
// of the time of reading one goes into page faults. Replacing operator new
// reaches every container; what it returns is freed by free() as usual.
//
// Sanitizers replace operator new themselves.
#include <sys/mman.h>

#include <cstdlib>
#include <new>

// (g++ names them by macros; clang++ builds the fuzzers, always with them.)
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)

void* operator new(std::size_t size) {
  constexpr std::size_t kHugePage = 2 << 20;
  void* block = nullptr;
  if (size < 2 * kHugePage) {
    block = std::malloc(size == 0 ? 1 : size);
  } else {
    const std::size_t whole = (size + kHugePage - 1) / kHugePage * kHugePage;
    block = whole < size ? nullptr : std::aligned_alloc(kHugePage, whole);
    if (block != nullptr) madvise(block, whole, MADV_HUGEPAGE);
  }
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

#endif
