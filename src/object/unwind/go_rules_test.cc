// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/go_rules.h"

#include <gtest/gtest.h>

#include "builders/cfi_builder.h"
#include "builders/go_table_builder.h"
#include "object/elf/elf_file.h"
#include "object/unwind/unwind_table.h"

namespace wick {
namespace {

constexpr std::uint64_t kGoText = GoTableBuilder::kText;

// Nothing for 4 bytes, 24 for 40, and nothing for the rest of 64; then the end.
const std::string kSizes("\x02\x04\x30\x28\x2f\x14\x00", 7);

// At each offset in the function at which the rule changes.
std::string go_rules_of(const ElfFile& file) {
  const auto rules = GoRules::of(file);
  if (!rules) return "not Go";
  std::string text, last;
  for (std::uint64_t at = 0; at < 0x80; ++at) {
    const std::string rule = rule_text(rules->at(kGoText + at));
    if (rule == last) continue;
    last = rule;
    text += (text.empty() ? "+" : "; +") + std::to_string(at) + " " + rule;
  }
  return text;
}

ElfBuilder go_program(GoTableBuilder::Version version, std::string sizes,
                      int flags = 0) {
  return GoTableBuilder::program(
      GoTableBuilder{.version = version,
                     .functions = {{0, "main.main", std::move(sizes), flags}},
                     .end = 64}
          .bytes());
}

constexpr std::string_view kExpected =
    "+0 r7+8 r16=c-8; +4 r7+32 r6=c-16 r16=c-8; +44 r7+8 r16=c-8; +64 none";

TEST(GoRules, TheSizeOfTheStackLeadsToTheCaller) {
  for (const auto version : {GoTableBuilder::k12, GoTableBuilder::k116,
                             GoTableBuilder::k118, GoTableBuilder::k120})
    EXPECT_EQ(go_rules_of(*go_program(version, kSizes).file()), kExpected)
        << version;
}

TEST(GoRules, AStackBeginsWhereNothingCallsOrStacksAreSwitched) {
  for (const auto version :
       {GoTableBuilder::k116, GoTableBuilder::k118, GoTableBuilder::k120})
    for (const int flags : {1, 2})
      EXPECT_EQ(go_rules_of(*go_program(version, kSizes, flags).file()),
                "+0 root; +64 none")
          << version << " " << flags;
}

TEST(GoRules, OtherFlagsDoNotMatter) {
  EXPECT_EQ(go_rules_of(*go_program(GoTableBuilder::k118, kSizes, 4).file()),
            kExpected);
}

TEST(GoRules, AFunctionWithoutSizesHasNoRule) {
  EXPECT_EQ(go_rules_of(*go_program(GoTableBuilder::k118, "").file()),
            "+0 none");
}

TEST(GoRules, EveryPrefixOfTheSizesIsSurvived) {
  for (std::size_t size = 1; size < kSizes.size() - 1; ++size)
    EXPECT_NE(go_rules_of(*go_program(GoTableBuilder::k118,
                                      kSizes.substr(0, size) + '\0')
                               .file()),
              kExpected)
        << size;
}

TEST(GoRules, SizesOutOfAnyProportionAreNoRule) {
  for (const std::uint64_t change :
       {std::uint64_t{1} << 32, std::uint64_t{1} << 40, UINT64_MAX - 1}) {
    const std::string huge = "\x04\x01" + cfa::uleb(change) + "\x40";
    EXPECT_EQ(go_rules_of(*go_program(GoTableBuilder::k118, huge).file()),
              "+0 r7+9 r16=c-8; +1 none");
  }
}

TEST(GoRules, OtherFilesHaveNone) {
  EXPECT_EQ(go_rules_of(*ElfBuilder().file()), "not Go");
}

TEST(GoRules, AnUnwindTableUsesThemWhereThereAreNoOthers) {
  const UnwindTable table = UnwindTable::build(
      go_program(GoTableBuilder::k118, kSizes).file(), nullptr);
  EXPECT_EQ(rule_text(table.find(kGoText + 4)), "r7+32 r6=c-16 r16=c-8");
}

TEST(GoRules, ASwitchOfStacksIsOneWhateverOtherRulesSay) {
  CfiBuilder cfi(0x600000);
  cfi.add_fde(cfi.add_cie({.program = cfa::def_cfa(7, 8) + cfa::offset(16, 1)}),
              kGoText, 64, "");
  for (const int flags : {0, 2}) {
    ElfBuilder elf = go_program(GoTableBuilder::k118, kSizes, flags);
    elf.add_section({.name = ".eh_frame",
                     .flags = SHF_ALLOC,
                     .address = 0x600000,
                     .content = cfi.bytes()});
    const UnwindTable table = UnwindTable::build(elf.file(), nullptr);
    EXPECT_EQ(rule_text(table.find(kGoText + 4)),
              flags == 0 ? "r7+8 r16=c-8" : "root");
  }
}

}  // namespace
}  // namespace wick
