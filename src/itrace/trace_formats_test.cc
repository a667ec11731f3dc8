// SPDX-License-Identifier: Apache-2.0
// One program in every layout and format gives the same result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/error.h"
#include "builders/stored_inputs.h"
#include "builders/trace_builder.h"
#include "io/compress.h"
#include "itrace/formats/trace_reader.h"

namespace wick {
namespace {

using Kind = TracervLayout::Kind;
using Streams = TracervLayout::Streams;

// A syscall: user code, the kernel, back. One instruction for each cycle, as
// formats without a clock have it.
const Steps kProgram = {
    {.cycle = 0, .pc = 0x10040, .bits = 0x4501, .satp = 0x8000000000080123},
    {.cycle = 1, .pc = 0x10042, .bits = 0x73, .satp = 0x8000000000080123},
    {.cycle = 2,
     .pc = 0xffe0000040,
     .bits = 0x14011173,
     .privilege = 1,
     .satp = 0x8000000000080123},
    {.cycle = 3,
     .pc = 0xffe0000044,
     .bits = 0x10200073,
     .privilege = 1,
     .satp = 0x8000000000080123},
    {.cycle = 4, .pc = 0x10046, .bits = 0x8082, .satp = 0x8000000000080123}};
constexpr std::string_view kProgramText =
    "0:10040 1:10042 2:ffe0000040 3:ffe0000044 4:10046";

struct Way {
  std::string name;    // of the way
  std::string format;  // that must be recognised
  std::string bytes;
  bool has_bits = false, has_privilege = false, has_satp = false;
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

std::vector<Way> ways() {
  std::vector<Way> ways;
  const auto add_layout = [&](const std::string& name,
                              const TracervLayout& layout) {
    const std::string records = tracerv_records(kProgram, layout);
    const bool more = layout.kind != Kind::kSlots;
    const bool satp = layout.kind == Kind::kTokens;
    ways.push_back({name, "tracerv", records, more, more, satp});
    ways.push_back({name + "_with_header", "tracerv",
                    std::string(kClockHeader) + records, more, more, satp});
    if (layout.words == 8)
      ways.push_back({name + "_in_digits", "tracerv-text",
                      as_beat_lines(records), more, more, satp});
  };
  for (int width = 1; width <= 7; ++width)
    for (const int valid : {40, 63})
      add_layout(fmt::format("slots{}_valid{}", width, valid),
                 {.words = width + 1, .slots = width, .valid_bit = valid});
  for (const int words : {5, 8})
    add_layout(fmt::format("tokens{}", words),
               {.kind = Kind::kTokens, .words = words, .valid_bit = 40});
  add_layout("cycle_last", {.words = 8,
                            .slots = 7,
                            .cycle_last = true,
                            .valid_bit = 40,
                            .streams = Streams::kHarts});
  add_layout("packed", {.kind = Kind::kPacked,
                        .words = 8,
                        .slots = 1,
                        .valid_bit = 40,
                        .streams = Streams::kHarts});
  ways.push_back({"text", "tracerv-text", tracerv_text(kProgram)});
  ways.push_back({"text_19", "tracerv-text", tracerv_text_19(kProgram)});
  ways.push_back({"logger", "tracerv-text", tracerv_logger(kProgram)});
  ways.push_back({"user_text", "tracerv-text", tracerv_user_text(kProgram),
                  true, true, true});
  ways.push_back({"cospike", "cospike", cospike_text(kProgram)});
  ways.push_back({"tracedoctor", "tracedoctor", tracedoctor_text(kProgram)});
  ways.push_back({"spike_log", "spike", spike_log(kProgram), true});
  ways.push_back(
      {"spike_commits", "spike", spike_commits(kProgram), true, true});
  ways.push_back(
      {"commits_without_core", "spike", commit_log(kProgram), true, true});
  ways.push_back({"rocket", "rocket", rocket_log(kProgram), true});
  ways.push_back({"rvfi", "rvfi-csv", rvfi_csv(kProgram), true, true});
  ways.push_back({"execlog", "execlog", execlog_text(kProgram), true});
  ways.push_back({"csv", "riscv-csv", trace_csv(kProgram), true, true});
  return ways;
}

class EveryFormat : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(, EveryFormat, testing::ValuesIn(ways()),
                         [](const auto& info) { return info.param.name; });

TEST_P(EveryFormat, IsRecognisedByOneFormatOnly) {
  std::string names;
  for (const TraceFormat* format : trace_formats())
    if (format->sniff(GetParam().bytes)) names += format->name;
  EXPECT_EQ(names, GetParam().format);
}

TEST_P(EveryFormat, GivesTheSameInstructions) {
  const Way& way = GetParam();
  const ReadTrace read = read_trace(way.bytes);
  EXPECT_EQ(read.text(), kProgramText);
  EXPECT_TRUE(read.diagnostics.empty()) << describe(read.diagnostics)[0];
  EXPECT_EQ(read.info.has_bits, way.has_bits);
  for (std::size_t i = 0; i < kProgram.size(); ++i) {
    const Step step = read.steps().at(i);
    if (way.has_bits) {
      EXPECT_EQ(step.bits, kProgram[i].bits);
    }
    if (way.has_privilege) {
      EXPECT_EQ(step.privilege, kProgram[i].privilege);
    }
    if (way.has_satp) {
      EXPECT_EQ(step.satp, kProgram[i].satp);
    }
  }
}

TEST_P(EveryFormat, IsReadFromACompressedStream) {
  EXPECT_EQ(read_trace(gzip(GetParam().bytes)).text(), kProgramText);
}

// Yields the first instructions or fails, but adds nothing.
TEST_P(EveryFormat, YieldsNothingMoreIfCutOff) {
  const Way& way = GetParam();
  for (std::size_t size = 0; size < way.bytes.size(); ++size) {
    SCOPED_TRACE(size);
    try {
      const ReadTrace read = read_trace(way.bytes.substr(0, size), way.format);
      const Steps steps = read.steps();
      ASSERT_LE(steps.size(), kProgram.size());
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

TEST_P(EveryFormat, SurvivesChangedBytes) {
  const Way& way = GetParam();
  static constexpr char kMasks[] = {'\x01', '\x10', '\x80', '\xff'};
  for (std::size_t at = 0; at < way.bytes.size(); ++at) {
    SCOPED_TRACE(at);
    std::string bytes = way.bytes;
    bytes[at] = static_cast<char>(bytes[at] ^ kMasks[at % 4]);
    try {
      EXPECT_LE(read_trace(bytes, way.format).steps().size(),
                7 * kProgram.size());
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

// format/registry.cc places them among other formats by it.
TEST(TraceFormats, AreListedInTheOrderOfTheirEvidence) {
  EXPECT_TRUE(
      std::ranges::is_sorted(trace_formats(), {}, &TraceFormat::evidence));
}

std::string error_of(std::string bytes, std::string_view format = "",
                     const TraceOptions& options = {}) {
  try {
    read_trace(std::move(bytes), format, options);
    return "none";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(OpenTrace, QuotesAnUnknownFileAndListsTheFormats) {
  EXPECT_THAT(error_of("main;parse 10\n"),
              testing::AllOf(testing::HasSubstr("main;parse 10"),
                             testing::HasSubstr("tracerv-text"),
                             testing::HasSubstr("execlog")));
}

TEST(OpenTrace, ReportsAnEmptyFile) { EXPECT_EQ(error_of(""), "is empty"); }

TEST(OpenTrace, RefusesAnUnknownFormatName) {
  EXPECT_THAT(error_of("", "vcd"),
              testing::HasSubstr("unknown trace format 'vcd'"));
}

TEST(OpenTrace, SuggestsToSetTheLayoutIfNoneFits) {
  try {
    read_trace(std::string(1000, '\x5a'), "tracerv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(error.advice().helps.contains(Setting::kTraceLayout));
  }
}

TEST(OpenTrace, RefusesBytesThatAreNotRecords) {
  EXPECT_THAT(error_of(std::string(4096, '\0')),
              testing::HasSubstr("not an instruction trace"));
}

// 64-byte beats of packed bundles have little that must be as it is: two valid
// instructions, and the second does not follow the first.
TEST(OpenTrace, RefusesBundlesThatDoNotFollowEachOther) {
  const TracervLayout packed{.kind = Kind::kPacked,
                             .words = 8,
                             .slots = 1,
                             .valid_bit = 40,
                             .streams = Streams::kHarts};
  const Steps steps = {{.pc = 0x10040, .bits = 0x4501},
                       {.pc = 0x20040, .bits = 0x4501},
                       {.pc = 0x30040, .bits = 0x4501}};
  EXPECT_THAT(error_of(tracerv_records(steps, packed)),
              testing::HasSubstr("not an instruction trace"));
}

// Records in the wrong order are not taken for some of another layout, in
// which nothing contradicts anything.
TEST(OpenTrace, RefusesBeatsThatGoBackInTime) {
  Steps steps;
  for (std::uint64_t i = 0; i < 50; ++i)
    steps.push_back({.cycle = 1000 - 2 * i, .pc = 0x10000 + 4 * i});
  EXPECT_THAT(error_of(tracerv_records(
                  steps, {.words = 8, .slots = 7, .valid_bit = 40})),
              testing::HasSubstr("not an instruction trace"));
}

TEST(OpenTrace, DoesNotMistakeAnMd5SumForATrace) {
  EXPECT_THAT(error_of("e9e09c5d0bea2ff3b9f0f84007f7bbf8\n"),
              testing::HasSubstr("not an instruction trace"));
}

class Foreign : public testing::TestWithParam<StoredInput> {};

std::vector<StoredInput> foreign_inputs() {
  std::vector<StoredInput> inputs = golden_inputs();
  std::ranges::copy(corpus_inputs(), std::back_inserter(inputs));
  std::erase_if(inputs, [](const StoredInput& input) {
    return input.format.starts_with("trace-") ||
           input.format == "wick-trace-chunks" ||
           input.format == "tracerv-labels" ||
           std::ranges::any_of(trace_formats(), [&](const TraceFormat* format) {
             return format->name == input.format;
           });
  });
  return inputs;
}
INSTANTIATE_TEST_SUITE_P(, Foreign, testing::ValuesIn(foreign_inputs()),
                         [](const auto& info) {
                           return test_name(info.param);
                         });

// Profiles, programs, lists of symbols: none is mistaken for a trace.
TEST_P(Foreign, IsNotATrace) {
  const std::string bytes = GetParam().bytes();
  for (const TraceFormat* format : trace_formats())
    EXPECT_FALSE(format->sniff(bytes)) << format->name;
}

TEST(OpenTrace, KeepsOnlyTheRequestedHart) {
  Steps steps = {{.cycle = 1, .pc = 0x100},
                 {.cycle = 1, .pc = 0x200, .hart = 2}};
  EXPECT_EQ(read_trace(cospike_text(steps), "", {.hart = 2}).text(), "2/1:200");
}

}  // namespace
}  // namespace wick
