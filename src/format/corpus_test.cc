// SPDX-License-Identifier: Apache-2.0
// Runs the fuzz target on the inputs that are kept, without libFuzzer.
#include <gtest/gtest.h>

#include "builders/stored_inputs.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);

namespace wick {
namespace {

void run(const StoredInput& input) {
  std::string program = "fuzz_" + input.format;
  char* arguments[] = {program.data(), nullptr};
  char** argv = arguments;
  int argc = 1;
  LLVMFuzzerInitialize(&argc, &argv);
  const std::string bytes = input.bytes();
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                         bytes.size());
}

class Corpus : public testing::TestWithParam<StoredInput> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Corpus);
INSTANTIATE_TEST_SUITE_P(Golden, Corpus, testing::ValuesIn(golden_inputs()),
                         [](const auto& info) {
                           return test_name(info.param);
                         });
INSTANTIATE_TEST_SUITE_P(Kept, Corpus, testing::ValuesIn(corpus_inputs()),
                         [](const auto& info) {
                           return test_name(info.param);
                         });

TEST_P(Corpus, IsReadAndWritten) { run(GetParam()); }

}  // namespace
}  // namespace wick
