// SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls to change an input. A third of the changes are its own:
// it learns from comparisons what a mutator does not know. With WICK_FUZZ_BLIND
// in the environment all of them are, which shows what the mutators are worth.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/fuzz_target.h"
#include "mutators/mutation.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                        std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t max_size,
                                               unsigned seed) {
  static const wick::Mutator mutator =
      std::getenv("WICK_FUZZ_BLIND") != nullptr
          ? nullptr
          : wick::mutator_of(wick::fuzzed_reader());
  wick::Mutation mutation(seed, LLVMFuzzerMutate);
  if (mutator == nullptr || mutation.one_in(3))
    return LLVMFuzzerMutate(data, size, max_size);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  for (std::size_t i = 0; i <= mutation.below(3); ++i) mutator(bytes, mutation);
  size = std::min(bytes.size(), max_size);
  std::memcpy(data, bytes.data(), size);
  return size;
}
