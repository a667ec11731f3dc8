// SPDX-License-Identifier: Apache-2.0
#include "render/text_report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/read.h"

namespace wick {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string report(const Profile& profile, const ReportOptions& options = {}) {
  return written("text", profile, {.report = options});
}

TEST(TextReport, ListsFunctionsWithTheHottestFirst) {
  EXPECT_EQ(report(read_text("folded", "main;parse 1\nmain;read 3\nmain 1\n")),
            "events\n"
            "  total  unit     event\n"
            "      5  samples  samples\n"
            "\n"
            "functions, by self weight\n"
            "  self   self%  total   total%  functions\n"
            "     3  60.00%      3   60.00%  read\n"
            "     1  20.00%      5  100.00%  main\n"
            "     1  20.00%      1   20.00%  parse\n");
}

constexpr std::string_view kTimes =
    "perf 1 [000] 1.0: 250000 cpu-clock:\n\t1 f (x)\n\n"
    "perf 1 [000] 2.0: 12150000 cpu-clock:\n\t2 g (x)\n\n";

TEST(TextReport, ShowsTimesForPeople) {
  const std::string text = report(read_text("perf-script", kTimes));
  EXPECT_THAT(text, HasSubstr("  12.4 ms  time        2  cpu-clock\n"));
  EXPECT_THAT(text, HasSubstr("   250 µs   2.02%   250 µs   2.02%  f\n"));
}

TEST(TextReport, ShowsTimesIfOnlyEventsWithoutSamplesCountAnythingElse) {
  Profile profile = read_text("perf-script", kTimes);
  profile.event_id("dummy", "");
  EXPECT_THAT(report(profile),
              HasSubstr("   250 µs   2.02%   250 µs   2.02%  f\n"));
}

TEST(TextReport, ShowsTimesAsNumbersIfAsked) {
  const std::string text =
      report(read_text("perf-script", kTimes), {.raw = true});
  EXPECT_THAT(text, HasSubstr("  12400000  nanoseconds        2  cpu-clock\n"
                              "  from the first sample to the last: 1000000000 "
                              "nanoseconds\n"));
  EXPECT_THAT(text, HasSubstr("    250000   2.02%"));
}

TEST(TextReport, PrintsNoCommasInRawNumbers) {
  std::string input = "f 5000\nno number\n";
  for (int i = 0; i < 1500; ++i) input += fmt::format("f{} 1\n", i);
  const std::string text =
      report(read_text("folded", input), {.top = 1, .raw = true});
  EXPECT_THAT(text, HasSubstr("  6500  samples  samples\n"));
  EXPECT_THAT(text, HasSubstr("… 1500 more functions\n"));
  EXPECT_THAT(text, Not(HasSubstr(",0")));
  EXPECT_THAT(report(read_text("folded", input), {.top = 1}),
              HasSubstr("… 1,500 more functions\n"));
}

TEST(TextReport, KeepsTheLineOfALongName) {
  const std::string text = report(
      read_text("perf-script",
                "a 1 1.0: 1 cycles:\n\t1 a_function_with_a_long_name (x)\n"
                "  source_file.c:123\n\n"),
      {.by = ReportOptions::By::kLine, .name_width = 30});
  EXPECT_THAT(text, HasSubstr("  a_function_…:source_file.c:123\n"));
}

TEST(TextReport, DoesNotListCodeWithoutNamesThatHasNoWeight) {
  Profile profile = read_text("perf-script",
                              "a 1 1.0: 1 cycles:\n\t1 f (x)\n\t2 [unknown] "
                              "(lib.so)\n\n");
  const ModuleId id = profile.module_id("lib.so");
  profile.modules[id].no_names = profile.strings.intern("it is stripped");
  EXPECT_THAT(report(profile), Not(HasSubstr("code without names")));
}

TEST(TextReport, CountsEventsAndNotSamplesWhereAPeriodWasRecorded) {
  Profile profile = read_text("perf-script", kTimes);
  profile.events[EventId{0}] = {.name = profile.strings.intern("page-faults")};
  EXPECT_THAT(report(profile),
              HasSubstr("  12,400,000  events        2  page-faults\n"));
}

TEST(TextReport, SortsByTotalIfAsked) {
  const std::string text =
      report(read_text("folded", "main;parse 1\nmain;read 3\n"),
             {.sort = ReportOptions::Sort::kTotal});
  EXPECT_LT(text.find(" main\n"), text.find(" read\n"));
}

TEST(TextReport, CountsRecursionOnce) {
  EXPECT_THAT(report(read_text("folded", "f;f;f 4\n")),
              HasSubstr("     4  100.00%      4  100.00%  f\n"));
}

TEST(TextReport, ReportsHowManyRowsAreLeftOut) {
  const std::string text =
      report(read_text("folded", "a 3\nb 2\nc 1\n"), {.top = 1});
  EXPECT_THAT(text, HasSubstr("  a\n  … 2 more functions\n"));
  EXPECT_THAT(text, Not(HasSubstr(" b\n")));
}

TEST(TextReport, NamesTheSettingThatShowsTheOtherRows) {
  const auto names = +[](Setting) -> std::string_view { return "--top"; };
  EXPECT_THAT(written("text", read_text("folded", "a 3\nb 2\nc 1\n"),
                      {.report = {.top = 1}, .setting_names = names}),
              HasSubstr("  … 2 more functions; see --top\n"));
}

TEST(TextReport, ShowsAllWithTopZero) {
  std::string input;
  for (int i = 0; i < 50; ++i) input += "f" + std::to_string(i) + " 1\n";
  EXPECT_THAT(report(read_text("folded", input), {.top = 0}),
              HasSubstr(" f49\n"));
}

TEST(TextReport, KeepsDecimals) {
  EXPECT_THAT(report(read_text("folded", "a 0.5\nb 1.25\n")),
              HasSubstr("  1.25  71.43%   1.25  71.43%  b\n"));
}

TEST(TextReport, ReportsWhatWasLost) {
  EXPECT_THAT(
      report(read_text("folded", "a 1\nno number\n")),
      HasSubstr("\nlost or left out\n  1 line could not be read (first: line "
                "2: no number)\n"));
}

TEST(TextReport, GivesTheCallersOfAFunction) {
  EXPECT_EQ(report(read_text("folded", "main;a;f 3\nmain;b;f;g 1\nmain 4\n"),
                   {.callers = "f"}),
            "events\n"
            "  total  unit     event\n"
            "      8  samples  samples\n"
            "\n"
            "callers of f: 4, 50.00% of the whole\n"
            "  total  total%   part%  callers\n"
            "      3  37.50%  75.00%  a\n"
            "      1  12.50%  25.00%  b\n");
}

TEST(TextReport, GivesTheCalleesOfAllFunctionsThatMatch) {
  const std::string text =
      report(read_text("folded", "main;mf;x 3\nmain;mg;x 1\nmain;mg 4\n"),
             {.callees = "^m[fg]"});
  EXPECT_THAT(text, HasSubstr("callees of 2 functions: mf, mg: 8, 100.00%"));
  EXPECT_THAT(text, HasSubstr("      4  50.00%  50.00%  [self]\n"
                              "      4  50.00%  50.00%  x\n"));
}

TEST(TextReport, TakesAnExactNameBeforeAnExpression) {
  const std::string text =
      report(read_text("folded", "main;f 3\nmain;of;g 1\n"), {.callers = "f"});
  EXPECT_THAT(text, HasSubstr("callers of f: 3"));
}

TEST(TextReport, RefusesAFunctionThatIsNotThere) {
  EXPECT_THROW(report(read_text("folded", "a 1\n"), {.callers = "zz"}), Error);
}

Profile detailed_profile() {
  Profile p;
  p.has_time = true;
  const EventId event = p.event_id("cycles", "cycles");
  const ThreadId thread = p.thread_id({10, 11, p.strings.intern("make")});
  const auto frame = [&](std::string_view function, std::string_view module,
                         std::uint32_t line) {
    return p.frames.intern({.function = p.strings.intern(function),
                            .file = p.strings.intern("src/x.cc"),
                            .module = p.module_id(module),
                            .line = line});
  };
  const StackId main =
      p.stacks.push(StackId::kRoot, frame("main", "/bin/make", 7));
  const StackId leaf =
      p.stacks.push(main, frame("memcpy", "/lib/libc.so.6", 99));
  p.samples = {
      {.time = 1'000'000'000,
       .weight = 10,
       .stack = main,
       .thread = thread,
       .event = event},
      {.time = 1'250'000'000, .weight = 30, .stack = leaf, .event = event}};
  return p;
}

TEST(TextReport, AnEventThatOnlyTellsOfMappingsIsNotListed) {
  Profile profile = detailed_profile();
  profile.event_id("page-faults", "");
  profile.event_id("dummy", "");
  std::string names;
  for (const EventTotal& total : event_totals(profile))
    names += total.name + " ";
  EXPECT_EQ(names, "cycles page-faults ");
}

TEST(TextReport, ShowsModulesThreadsAndTimeWhereKnown) {
  EXPECT_EQ(report(detailed_profile()),
            "events\n"
            "  total  unit    samples  event\n"
            "     40  cycles        2  cycles\n"
            "  from the first sample to the last: 0.250 s\n"
            "\n"
            "functions, by self weight\n"
            "  self   self%  total   total%  functions\n"
            "    30  75.00%     30   75.00%  memcpy\n"
            "    10  25.00%     40  100.00%  main\n"
            "\n"
            "modules, by self weight\n"
            "  self   self%  total   total%  modules\n"
            "    30  75.00%     30   75.00%  libc.so.6\n"
            "    10  25.00%     40  100.00%  make\n"
            "\n"
            "threads\n"
            "  total  total%  threads\n"
            "     30  75.00%  [unknown]\n"
            "     10  25.00%  make-10/11\n");
}

TEST(TextReport, ListsLinesAndFiles) {
  EXPECT_THAT(report(detailed_profile(), {.by = ReportOptions::By::kLine}),
              HasSubstr("  memcpy:x.cc:99\n"));
  EXPECT_THAT(report(detailed_profile(), {.by = ReportOptions::By::kFile}),
              HasSubstr("    40  100.00%     40  100.00%  src/x.cc\n"));
}

TEST(TextReport, ShowsADifferenceAsOne) {
  EXPECT_EQ(report(read_text("folded", "a 900 1000\nb 100 0\nc 0 10\n")),
            "before: 1,000 samples\n"
            "after:  1,010 samples\n"
            "\n"
            "total share of each function, normalised; change in percentage "
            "points, ± with 95% confidence (* if that excludes 0)\n"
            "  before   after  change     ±           functions\n"
            "  10.00%   0.00%  -10.00  1.88  *  gone  b\n"
            "  90.00%  99.01%   +9.01  1.98  *        a\n"
            "   0.00%   0.99%   +0.99  0.71  *  new   c\n"
            "  1 new, 1 gone of 3 functions\n");
}

TEST(TextReport, ListsTheStacksOfADifference) {
  EXPECT_THAT(report(read_text("folded", "a;x 5 5\nb;x 1 0\n"),
                     {.by = ReportOptions::By::kStack}),
              HasSubstr(" gone  b;x\n"));
}

TEST(TextReport, OfNothingIsShort) {
  EXPECT_EQ(report(Profile{}),
            "events\n  total  unit  event\n\nfunctions, by self weight\n"
            "  self  self%  total  total%  functions\n");
}

TEST(DiffReport, ReportsWhatWeightsAreWorth) {
  DiffTable table;
  table.before = {.weight = 5'000'000, .samples = 811.6, .event = "cycles"};
  table.after = {.weight = 10, .samples = 10, .event = "cycles"};
  EXPECT_THAT(diff_report(table, {}, {.before = "old\x1b[2J", .after = "new"}),
              HasSubstr("before: old?[2J, 5,000,000 cycles worth 812 samples\n"
                        "after:  new, 10 samples\n"));
}

TEST(DiffReport, ShowsTheCostOfOneRun) {
  const DiffTable table = compare(read_text("folded", "f 100 300\ng 100 0\n"),
                                  {.work = DiffWork{.before = 1, .after = 2}});
  EXPECT_EQ(
      diff_report(table, {}),
      "before: 200 samples in 1 run, 200 per run\n"
      "after:  300 samples in 2 runs, 150 per run\n"
      "\n"
      "total share of each function, normalised; change in percentage points, "
      "± with 95% confidence (* if that excludes 0); cost per run\n"
      "  before    after  change     ±     before/run  after/run   ratio       "
      " "
      "   functions\n"
      "  50.00%    0.00%  -50.00  6.92  *         100          0       -  *  "
      "gone  g\n"
      "  50.00%  100.00%  +50.00  6.92  *         100        150  1.500x  *    "
      "    f\n"
      "  0 new, 1 gone of 2 functions\n");
}

TEST(DiffReport, MarksWhatIsGoneByTheColumnThatOrdersIt) {
  const DiffTable table = compare(read_text("folded", "f 8 0\nf;g 2 10\n"), {});
  const auto marked = [&](ReportOptions::Sort sort) {
    return diff_report(table, {.report = {.sort = sort}});
  };
  EXPECT_THAT(marked(ReportOptions::Sort::kTotal),
              HasSubstr("0 new, 0 gone of 2 functions\n"));
  EXPECT_THAT(marked(ReportOptions::Sort::kSelf),
              AllOf(HasSubstr(" gone  f\n"),
                    HasSubstr("0 new, 1 gone of 2 functions\n")));
}

TEST(DiffReport, RawWeightsHaveAllTheirDigits) {
  const DiffTable table = compare(read_text("folded", "f 1234.25 20000.125\n"),
                                  {.scale = Scale::kAbsolute});
  const auto row = [&](bool raw) {
    return diff_report(table, {.report = {.raw = raw}});
  };
  EXPECT_THAT(row(true), HasSubstr("  1234.25  20000.125  +18765.875  "));
  EXPECT_THAT(row(false), HasSubstr("  1,234  20,000  +18,766  "));
}

TEST(DiffReport, ShowsWeightsIfItIsAbsolute) {
  const DiffTable table = compare(read_text("folded", "f 100 300\ng 100 0\n"),
                                  {.scale = Scale::kAbsolute});
  EXPECT_EQ(
      diff_report(table, {}),
      "before: 200 samples\n"
      "after:  300 samples\n"
      "\n"
      "total weight of each function, absolute; ± with 95% confidence (* if "
      "that excludes 0)\n"
      "  before  after  change      ±           functions\n"
      "     100    300    +200  39.24  *        f\n"
      "     100      0    -100  19.69  *  gone  g\n"
      "  0 new, 1 gone of 2 functions\n");
}

TEST(DiffReport, ShowsTimesForPeople) {
  DiffTable table;
  table.before = {.weight = 4'934'000, .samples = 5, .unit = "microseconds"};
  table.after = {.weight = 5'000'000, .samples = 5, .unit = "nanoseconds"};
  EXPECT_THAT(diff_report(table, {}),
              HasSubstr("before: 4.93 s worth 5 samples\n"
                        "after:  5.00 ms worth 5 samples\n"));
}

TEST(DiffReport, SortsBySelfIfAsked) {
  const std::string text =
      report(read_text("folded", "f;g 60 30\nf 40 70\nh 1 20\n"),
             {.sort = ReportOptions::Sort::kSelf});
  EXPECT_THAT(text, HasSubstr("self share of each function"));
  EXPECT_LT(text.find(" g\n"), text.find(" f\n"));
}

}  // namespace
}  // namespace wick
