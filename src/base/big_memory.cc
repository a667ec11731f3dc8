// SPDX-License-Identifier: Apache-2.0
// Puts large blocks of memory into huge pages. The columns of a large profile
// are tens of megabytes each and written once, front to back; with 4 kB pages,
// a fifth of the time to read a profile goes into page faults. Replacing
// operator new reaches every container; free() frees its blocks as usual.
//
// Sanitizers replace operator new themselves.
#include <sys/mman.h>

#include <cstdlib>
#include <new>

// (g++ defines these macros; clang++ is used for the fuzzers alone, which
// always have sanitizers.)
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
