// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/name_fitting.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "object/jit/jit_map.h"

namespace wick {
namespace {

constexpr std::uint64_t kRoom = 32 << 10;

// Of random letters, so that they do not compress.
class NameFitting : public testing::Test {
 protected:
  std::string name() {
    std::string name;
    for (int i = 0; i < 60; ++i)
      name += static_cast<char>('a' + random_() % 26);
    return name;
  }

  // Functions at 0x1000, 0x1010 …, of which the last is the most frequent.
  SampledJitFile compiled(std::uint32_t functions) {
    SampledJitFile sampled;
    sampled.file.pid = 1;
    for (std::uint32_t i = 0; i < functions; ++i) {
      const std::uint64_t start = 0x1000 + std::uint64_t{i} * 0x10;
      char line[100];
      std::snprintf(line, sizeof line, "%llx 10 ",
                    static_cast<unsigned long long>(start));
      sampled.file.content += line + name() + "\n";
      sampled.addresses.push_back({start + 4, i + 1});
    }
    return sampled;
  }

  NamedModule library(std::uint32_t functions) {
    NamedModule named{.module = {.file = {.path = "/library.so"}}};
    for (std::uint32_t i = 0; i < functions; ++i) {
      const ResolvedFrame frame{.function = named.module.names.text(name())};
      named.module.names.add(std::uint64_t{i} * 0x10, {&frame, 1});
      named.counts.push_back(1);
    }
    return named;
  }

  KeptNames fit(NamedModule module, const SampledJitFile& jit) {
    std::vector<NamedModule> modules;
    modules.push_back(std::move(module));
    const std::string bytes =
        fit_names(std::move(modules), {jit}, kRoom, diagnostics_);
    EXPECT_LE(bytes.size(), kRoom);
    return KeptNames::decode(bytes).value_or(KeptNames());
  }

  std::uint64_t not_kept() const {
    return diagnostics_.count(Problem::kNamesNotKept);
  }

  std::mt19937 random_{1};
  Diagnostics diagnostics_;
};

TEST_F(NameFitting, KeepsTheMostFrequentCompiledFunctions) {
  const SampledJitFile sampled = compiled(2000);
  const KeptNames names = fit(library(0), sampled);
  ASSERT_EQ(names.jit_files().size(), 1u);
  const JitMap map = JitMap::from_perf_map(names.jit_files()[0].content);
  EXPECT_TRUE(map.find(sampled.addresses.back().address));
  EXPECT_FALSE(map.find(sampled.addresses.front().address));
  EXPECT_GT(map.size(), 500u);
}

TEST_F(NameFitting, CountsTheAddressesOfCompiledCodeWithoutNames) {
  const SampledJitFile sampled = compiled(2000);
  const KeptNames names = fit(library(0), sampled);
  ASSERT_EQ(names.jit_files().size(), 1u);
  const JitMap map = JitMap::from_perf_map(names.jit_files()[0].content);
  EXPECT_EQ(not_kept(), 2000 - map.size());
}

TEST_F(NameFitting, CompiledFunctionsDoNotDisplaceThoseOfFiles) {
  const KeptNames names = fit(library(30), compiled(2000));
  ASSERT_EQ(names.modules().size(), 1u);
  EXPECT_EQ(names.modules()[0].names.rows().size(), 30u);
}

// Readers take the rest from the file, if it still is there.
TEST_F(NameFitting, AModuleThatLosesSomethingIsPartial) {
  EXPECT_TRUE(fit(library(5000), compiled(0)).modules().at(0).is_partial);
  EXPECT_FALSE(fit(library(5), compiled(0)).modules().at(0).is_partial);
}

TEST_F(NameFitting, FunctionsOfFilesDoNotDisplaceCompiledOnes) {
  const KeptNames names = fit(library(2000), compiled(30));
  ASSERT_EQ(names.jit_files().size(), 1u);
  EXPECT_EQ(JitMap::from_perf_map(names.jit_files()[0].content).size(), 30u);
  ASSERT_EQ(names.modules().size(), 1u);
  EXPECT_EQ(not_kept(), 2000 - names.modules()[0].names.rows().size());
}

}  // namespace
}  // namespace wick
