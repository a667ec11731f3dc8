// SPDX-License-Identifier: Apache-2.0
#include "perf/session/jit_rules.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "builders/cfi_builder.h"

namespace wick {
namespace {

TEST(RuleFromMemory, ComesFromTheInstructionsOfTheProcess) {
  if (own_machine() != Machine::kX86_64) GTEST_SKIP() << "for x86-64 only";
  constexpr char kCode[] = "\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3";
  // At the end of what is mapped.
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto* memory =
      static_cast<char*>(::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ::munmap(memory + page, page);
  char* code = memory + page - (sizeof kCode - 1);
  std::memcpy(code, kCode, sizeof kCode - 1);
  const auto pid = static_cast<std::uint32_t>(::getpid());
  const auto address = reinterpret_cast<std::uint64_t>(code);
  const auto rule = rule_from_memory(pid, address + 5, CodePlace::kCall);
  EXPECT_EQ(rule ? rule_text(*rule) : "-", "r7+16 r16=c-8");
  ::munmap(memory, page);
  EXPECT_FALSE(rule_from_memory(pid, address + 5, CodePlace::kCall));
}

TEST(RuleFromMemory, CodeMayBeginWhatIsMapped) {
  if (own_machine() != Machine::kX86_64) GTEST_SKIP() << "for x86-64 only";
  constexpr char kCode[] = "\xff\xd1\x48\x83\xc4\x08\xc3";
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto* memory =
      static_cast<char*>(::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ::munmap(memory, page);
  std::memcpy(memory + page, kCode, sizeof kCode);
  const auto pid = static_cast<std::uint32_t>(::getpid());
  const auto address = reinterpret_cast<std::uint64_t>(memory + page);
  EXPECT_TRUE(rule_from_memory(pid, address, CodePlace::kInstruction));
  EXPECT_TRUE(rule_from_memory(pid, address + 1, CodePlace::kCall));
  EXPECT_TRUE(is_call_in_memory(pid, address + 1));
  EXPECT_FALSE(is_call_in_memory(pid, address + 5));
  ::munmap(memory + page, page);
}

TEST(RuleFromMemory, AddressesAtTheLimitsHaveNone) {
  const auto pid = static_cast<std::uint32_t>(::getpid());
  EXPECT_FALSE(rule_from_memory(pid, 0, CodePlace::kInstruction));
  EXPECT_FALSE(rule_from_memory(pid, UINT64_MAX, CodePlace::kCall));
}

}  // namespace
}  // namespace wick
