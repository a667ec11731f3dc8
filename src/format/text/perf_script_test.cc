// SPDX-License-Identifier: Apache-2.0
// The text of perf script. The cases marked "peers" are those in which
// stackcollapse-perf.pl or inferno-collapse-perf lose or corrupt samples.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "builders/read.h"
#include "format/registry.h"
#include "format/text/perf_line.h"
#include "profile/kind_names.h"

namespace wick {
namespace {

std::string fold_perf(std::string_view text, const FoldOptions& fold = {},
                      const ReadOptions& read = {}) {
  return folded(select(read_text("perf-script", text, read), {}), fold);
}

constexpr FoldOptions kPid{.root = ThreadRoot::kCommPid};
constexpr FoldOptions kTid{.root = ThreadRoot::kCommPidTid};
constexpr FoldOptions kAll{.annotate_kernel = true, .annotate_jit = true};

TEST(PerfScript, FoldsAStackFromRootToLeaf) {
  EXPECT_EQ(fold_perf("bash 10 [001] 1.5: cycles:\n"
                      "\t 4005 leaf+0x12 (/bin/bash)\n"
                      "\t 4001 main+0x1 (/bin/bash)\n\n"),
            "bash;main;leaf 1\n");
}

TEST(PerfScript, WeighsASampleByItsPeriod) {
  EXPECT_EQ(fold_perf("a 1 1.5: 1001 cycles:\n\t1 f (/x)\n\n"
                      "a 1 1.6: 2002 cycles:\n\t1 f (/x)\n\n"),
            "a;f 3003\n");
}

TEST(PerfScript, KnowsWebAssemblyInAPerfMap) {
  const Profile profile =
      read_text("perf-script",
                "node 1 1.5: cycles:\n"
                "\t 3 JS:add-0-liftoff+0x1 (/tmp/perf-1.map)\n"
                "\t 2 JS:*run a.js:1+0x1 (/tmp/perf-1.map)\n\n");
  std::string kinds;
  for (const FrameId id : profile.frames.ids())
    kinds += std::string(profile.function(id)) + ": " +
             std::string(name_of(profile.frames[id].kind)) + "\n";
  EXPECT_EQ(kinds, "JS:add-0-liftoff: wasm\nJS:*run a.js:1: jit\n");
}

// Layouts.

TEST(PerfScript, ReadsPidAndTid) {
  EXPECT_EQ(fold_perf("a 10/11 1.5: cycles:\n\t1 f (/x)\n\n", kTid),
            "a-10/11;f 1\n");
}

TEST(PerfScript, WritesAQuestionMarkForThePidThatIsNotPrinted) {
  EXPECT_EQ(fold_perf("a 11 1.5: cycles:\n\t1 f (/x)\n\n", kTid),
            "a-?/11;f 1\n");
}

TEST(PerfScript, ReadsSamplesWithoutTime) {
  EXPECT_EQ(fold_perf("a 10 cycles:\n\t1 f (/x)\n\n"), "a;f 1\n");
}

TEST(PerfScript, ReadsSamplesWithoutPidAndTid) {
  EXPECT_EQ(fold_perf("my prog 1431.01: cycles:\n\t1 f (/x)\n\n"),
            "my_prog;f 1\n");
}

TEST(PerfScript, ReadsSamplesWithACommandOnly) {
  EXPECT_EQ(fold_perf("t x \n\t1 f (/x)\n\n"), "t_x;f 1\n");
}

TEST(PerfScript, ReadsFramesWithoutModule) {
  EXPECT_EQ(fold_perf("a 1 1.5: cycles:\n\t1 f+0x7\n\t2 main\n\n"),
            "a;main;f 1\n");
}

TEST(PerfScript, ReadsFramesWithoutBlanksInFront) {
  const std::string text =
      "java 19983 cycles:\nffffffff81 k ([kernel.kallsyms])\n7f72 f (/x)\n\n";
  EXPECT_EQ(fold_perf(text), "java;f;k 1\n");
  EXPECT_EQ(detect(text)->name, "perf-script");
}

TEST(PerfScript, ContinuesAfterALineThatIsNotAFrame) {
  const Profile profile =
      read_text("perf-script",
                "a 10 1.0: 5 c:\n\t1 f (/x)\nwhat is this\n\t2 g (/x)\n\n"
                "nonsense\n\t3 orphan (/x)\n\n");
  EXPECT_EQ(folded(profile), "a;g;f 5\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 3u);
}

TEST(PerfScript, ReadsAFrameOnTheLineOfTheEvent) {
  EXPECT_EQ(fold_perf("   a 1 1.5: 9 cycles:u:  7fa6 f+0x4 (/x)\n"), "a;f 9\n");
}

TEST(PerfScript, ReadsCarriageReturns) {  // peers: Perl folds nothing
  EXPECT_EQ(fold_perf("a 1 1.5: cycles:\r\n\t1 f (/x)\r\n\r\n"), "a;f 1\n");
}

TEST(PerfScript, ReadsTheLastSampleWithoutABlankLine) {  // peers: Perl loses it
  EXPECT_EQ(fold_perf("a 1 1.5: cycles:\n\t1 f (/x)"), "a;f 1\n");
}

TEST(PerfScript, ReadsAFileThatBeginsWithABlankLine) {  // peers: inferno aborts
  EXPECT_EQ(fold_perf("\n\na 1 1.5: cycles:\n\t1 f (/x)\n"), "a;f 1\n");
}

TEST(PerfScript, ContinuesAfterALineOfBlanks) {  // peers: inferno loses frames
  EXPECT_EQ(fold_perf("a 1 1.5: cycles:\n\t1 f (/x)\n   \n\t2 main (/x)\n\n"),
            "a;main;f 1\n");
}

TEST(PerfScript, SkipsComments) {
  EXPECT_EQ(fold_perf("# header\na 1 1.5: cycles:\n# x\n\t1 f (/x)\n\n"),
            "a;f 1\n");
}

TEST(PerfScript, ReadsSourceLinesBelowFrames) {
  const Profile profile =
      read_text("perf-script",
                "a 1 1.5: cycles:\n\t1 f (/x)\n  t.c:12\n\t2 main (/x)\n"
                "  libc.so[29d90]\n\n");
  EXPECT_TRUE(profile.diagnostics.empty());
  EXPECT_EQ(folded(profile, {.detail = NameDetail::kLine}),
            "a;main;f:t.c:12 1\n");
}

TEST(PerfScript, AppendsSourceLinesToNamesWhenAsked) {
  EXPECT_EQ(fold_perf("a 1 1.5: cycles:\n\t1 f (/x)\n  t.c:12\n\n", {},
                      {.srcline = true}),
            "a;f:t.c:12 1\n");
}

// Commands and threads.

TEST(PerfScript, ReplacesBlanksInCommands) {
  EXPECT_EQ(fold_perf("my prog 7 1.5: cycles:\n\t1 f (/x)\n\n"),
            "my_prog;f 1\n");
}

TEST(PerfScript, ReadsACommandOfOneLetter) {  // peers: Perl says t_99_10.5:
  EXPECT_EQ(fold_perf("t 99 10.5: cycles:\n\t1 f (/x)\n\n", kPid), "t-?;f 1\n");
}

TEST(PerfScript, ReadsANumberInsideACommand) {  // peers: inferno says a-?/7
  EXPECT_EQ(fold_perf("a 7 b 10/11 1.5: cycles:\n\t1 f (/x)\n\n", kTid),
            "a_7_b-10/11;f 1\n");
  EXPECT_EQ(fold_perf("my proc 3 x 10/11 [002] 1.5: c:\n\t1 f (/x)\n\n", kTid),
            "my_proc_3_x-10/11;f 1\n");
}

TEST(PerfScript, ReadsTheNegativeIdsOfVanishedThreads) {
  EXPECT_EQ(fold_perf(":-1 -1/-1 [002] 1.5: c:\n\t1 f (/x)\n\n"), ":-1;f 1\n");
}

// Events.

TEST(PerfScript, FoldsTheFirstEventAndCountsTheOthers) {
  const std::string text =
      "a 1 1.5: cycles:\n\t1 f (/x)\n\na 1 1.6: faults:\n\t1 g (/x)\n\n";
  const Profile profile = select(read_text("perf-script", text), {});
  EXPECT_EQ(folded(profile), "a;f 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kOtherEvent), 1u);
}

TEST(PerfScript, TakesTheEventThatIsAskedFor) {
  const std::string text =
      "a 1 1.5: cycles:\n\t1 f (/x)\n\na 1 1.6: faults:\n\t1 g (/x)\n\n";
  EXPECT_EQ(folded(select(read_text("perf-script", text), {.event = "faults"})),
            "a;g 1\n");
}

TEST(PerfScript, AddsUserAndKernelModeOfOneEvent) {  // peers: Perl drops one
  EXPECT_EQ(fold_perf("a 1 1.5: cycles:u:\n\t1 f (/x)\n\n"
                      "a 1 1.6: cycles:k:\n\t1 g (/x)\n\n"),
            "a;f 1\na;g 1\n");
}

TEST(PerfScript, AddsBothKindsOfCoreOfAHybridCpu) {  // peers: one vanishes
  EXPECT_EQ(fold_perf("a 1 1.5: cpu_core/cycles/:\n\t1 f (/x)\n\n"
                      "a 1 1.6: cpu_atom/cycles/P:\n\t1 g (/x)\n\n"),
            "a;f 1\na;g 1\n");
}

TEST(PerfScript, KeepsTheFramesOfTracepoints) {  // peers: inferno loses them
  EXPECT_EQ(fold_perf("a 1 [001] 1.5: sched:sched_switch: prev_comm=a "
                      "prev_pid=1 ==> next_comm=b next_pid=2\n"
                      "\tff1 __schedule+0x1 ([kernel.kallsyms])\n\n"),
            "a;__schedule 1\n");
}

TEST(PerfScript, TellsTracepointsOfOneSubsystemApart) {  // peers: both "sched"
  const Profile profile =
      read_text("perf-script",
                "a 1 1.5: sched:sched_switch: x=1\n\t1 f (/x)\n\n"
                "a 1 1.6: sched:sched_waking: x=1\n\t1 g (/x)\n\n");
  EXPECT_EQ(profile.events.size(), 2u);
}

std::string unit_of_first_event(std::string_view text, Compat compat = {}) {
  const Profile profile = read_text("perf-script", text, {.compat = compat});
  return std::string(profile.strings[profile.events[EventId{0}].unit]);
}

TEST(PerfScript, PeriodsHaveTheUnitOfTheirEvent) {
  EXPECT_EQ(unit_of_first_event("a 1 1.5: 5 cpu-clock:u:\n\t1 f (/x)\n"),
            "nanoseconds");
  EXPECT_EQ(unit_of_first_event("a 1 1.5: 5 cycles:P:\n\t1 f (/x)\n"),
            "cycles");
  EXPECT_EQ(unit_of_first_event("a 1 1.5: 5 page-faults:\n\t1 f (/x)\n"),
            "events");
}

TEST(PerfScript, CountsSamplesWhereThereAreNoPeriods) {
  EXPECT_EQ(unit_of_first_event("a 1 1.5: cycles:\n\t1 f (/x)\n"), "");
}

TEST(PerfScript, CountsSamplesAsThePeersDo) {
  EXPECT_EQ(
      unit_of_first_event("a 1 1.5: 5 cycles:\n\t1 f (/x)\n", Compat::kInferno),
      "");
}

TEST(PerfScript, CountsASampleOfPeriodZero) {  // peers: inferno counts 0
  const Profile profile =
      read_text("perf-script", "a 1 1.5: 0 cycles:\n\t1 f (/x)\n\n");
  EXPECT_EQ(folded(profile), "a;f 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kZeroWeight), 1u);
}

TEST(PerfScript, KeepsASampleWithoutFrames) {  // peers: inferno drops it
  const Profile profile = read_text(
      "perf-script", "a 1 1.5: 5 cycles:\n\nb 1 1.6: 3 cycles:\n\t1 f (/x)\n");
  EXPECT_EQ(folded(profile), "a 5\nb;f 3\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kNoStack), 1u);
}

TEST(PerfScript, CountsWhatPerfLost) {
  const Profile profile = read_text(
      "perf-script",
      "a 1 1.5: c:\n\t1 f (/x)\n\n"
      "t x  80  82.1: PERF_RECORD_LOST lost 12\n"
      "a 1 1.6: PERF_RECORD_MMAP2 1/1: [0x55(0x1) @ 0 08:01 5 0]: r-xp /x\n"
      "a 1 1.7: c:\n\t1 f (/x)\n\n");
  EXPECT_EQ(folded(profile), "a;f 2\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kLostSamples), 12u);
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 0u);
}

// Frames.

TEST(PerfScript, NamesUnknownFunctionsAfterTheirModule) {
  EXPECT_EQ(fold_perf("a 1 1.5: c:\n\t1 [unknown] (/lib/libc.so)\n"
                      "\t2 [unknown] ([unknown])\n\t3 [unknown] ([vdso])\n\n"),
            "a;[[vdso]];[unknown];[libc.so] 1\n");
}

TEST(PerfScript, CallsAnEmptyNameABlankAsThePeersDo) {
  EXPECT_EQ(fold_perf("a 1 1.5: c:\n\t1  (/lib/libc.so)\n\t2 f (/x)\n\n"),
            "a;f;  1\n");
}

TEST(PerfScript, ShowsTheAddressOfUnknownFunctionsWhenAsked) {
  EXPECT_EQ(fold_perf("a 1 1.5: c:\n\t7f1 [unknown] (/lib/libc.so)\n"
                      "\t7f2 [unknown] ([unknown])\n\t7f3 f (/x)\n\n",
                      {.addresses = true}, {.keep_addresses = true}),
            "a;f;[unknown <7f2>];[libc.so <7f1>] 1\n");
}

TEST(PerfScript, KeepsFunctionsOfTheUnnamedNamespace) {  // peers: they vanish
  EXPECT_EQ(
      fold_perf("a 1 1.5: c:\n\t1 (anonymous namespace)::f(int) (/x)\n\n"),
      "a;(anonymous namespace)::f 1\n");
}

TEST(PerfScript, SplitsInlinedJitFunctions) {
  EXPECT_EQ(fold_perf("java 1 1.5: c:\n\t1 La/B;::f->La/C;::g "
                      "(/tmp/perf-1.map)\n\n"),
            "java;a/B:::f;a/C:::g_[i] 1\n");
}

TEST(PerfScript, DoesNotSplitOperatorArrow) {  // peers: "operator;_[i]"
  EXPECT_EQ(fold_perf("a 1 1.5: c:\n"
                      "\t1 std::x::operator->() const (/x)\n\n"),
            "a;std::x::operator-> 1\n");
}

TEST(PerfScript, ReadsModulesWithBlanks) {  // peers: inferno loses the frame
  EXPECT_EQ(fold_perf("a 1 1.5: c:\n\t1 [unknown] (/opt/my app/x)\n\n"),
            "a;[x] 1\n");
}

TEST(PerfScript, ReadsDeletedModules) {  // peers: a blank behind the name
  EXPECT_EQ(fold_perf("a 1 1.5: c:\n\t1 d (/x (deleted))\n\n"), "a;d 1\n");
}

TEST(PerfScript,
     TakesAnOffsetAloneForAnUnknownFunction) {  // peers: empty frame
  EXPECT_EQ(fold_perf("a 1 1.5: c:\n\t1 +0x12 (/lib/y)\n\n"), "a;[y] 1\n");
}

TEST(PerfScript, RemovesArgumentsOutsideBrackets) {
  EXPECT_EQ(fold_perf("a 1 1.5: c:\n"
                      "\t1 std::function<void (int)>::call(int) const (/x)\n"
                      "\t2 f(char*, int) (/x)\n\n"),
            "a;f;std::function<void (int)>::call 1\n");
}

TEST(PerfScript, KeepsArgumentsWhenFullNamesAreAskedFor) {
  EXPECT_EQ(fold_perf("a 1 1.5: c:\n\t1 f(char*, int) (/x)\n\n", {},
                      {.full_names = true}),
            "a;f(char*, int) 1\n");
}

TEST(PerfScript, ReplacesSemicolonsInNames) {
  EXPECT_EQ(fold_perf("a 1 1.5: c:\n\t1 x;y (/x)\n\n"), "a;x:y 1\n");
}

TEST(PerfScript, RemovesTheLOfJavaClassesOnly) {  // peers: LAZY becomes AZY
  EXPECT_EQ(fold_perf("java 1 1.5: c:\n\t1 LAZY:~foo/x (/x)\n"
                      "\t2 Lorg/a/B:::c (/x)\n\n"),
            "java;org/a/B:::c;LAZY:~foo/x 1\n");
}

TEST(PerfScript, MarksKernelAndJitFrames) {
  EXPECT_EQ(fold_perf("a 1 1.5: c:\n\t1 j (/tmp/perf-7.map)\n"
                      "\t2 k ([kernel.kallsyms])\n\t3 m (/lib/modules/x.ko)\n"
                      "\t4 v (/boot/vmlinux-5.4.14)\n\t5 u (/x)\n\n",
                      kAll),
            "a;u;v_[k];m_[k];k_[k];j_[j] 1\n");
}

TEST(PerfScript, KeepsFramesThatPerfExpandedAsInlined) {
  EXPECT_EQ(fold_perf("a 1 1.5: c:\n\t1 g (inlined)\n\t1 f (/x)\n\n"),
            "a;f;g 1\n");
  EXPECT_EQ(fold_perf("a 1 1.5: c:\n\t1 g (inlined)\n\t1 f (/x)\n\n",
                      {.annotate_inlined = true}),
            "a;f;g_[i] 1\n");
}

TEST(PerfScript, DecodesRustNames) {
  EXPECT_EQ(fold_perf("a 1 1.5: c:\n"
                      "\t1 _$LT$T$u20$as$u20$x..Y$GT$::f::h0123456789abcdef "
                      "(/x)\n\n"),
            "a;<T as x::Y>::f 1\n");
}

// Time.

TEST(PerfScript, KeepsTheTimeOfEverySample) {
  const Profile profile = read_text(
      "perf-script",
      "a 1 10.000002: c:\n\t1 f (/x)\n\na 1 10.000001: c:\n\t1 g (/x)\n\n");
  ASSERT_TRUE(profile.has_time);
  EXPECT_EQ(profile.samples[0].time, 10'000'001'000u);
  EXPECT_EQ(profile.samples[1].time, 10'000'002'000u);
}

TEST(PerfScript, DrawsAChartInTheOrderOfTime) {  // peers: order is lost
  const Profile profile =
      read_text("perf-script",
                "a 1 3.0: c:\n\t1 f (/x)\n\na 1 1.0: c:\n\t1 f (/x)\n\n"
                "a 1 2.0: c:\n\t1 b (/x)\n\n");
  const FlameGraph graph = fold(profile, {.flamechart = true});
  std::string names;
  for (const NodeId id : graph.ids())
    names += std::string(graph.name_of(id)) + " ";
  EXPECT_EQ(names, " a f b f ");
}

TEST(PerfScript, CutsByTime) {
  Profile profile = read_text(
      "perf-script", "a 1 5.0: c:\n\t1 f (/x)\n\na 1 6.5: c:\n\t1 g (/x)\n\n");
  EXPECT_EQ(
      folded(select(std::move(profile), {.time = parse_time_range("1..2")})),
      "a;g 1\n");
}

TEST(PerfScript, AddsUpSamplesWhenTimeIsNotNeeded) {
  const Profile profile = read_text(
      "perf-script", "a 1 1.0: c:\n\t1 f (/x)\n\na 1 2.0: c:\n\t1 f (/x)\n\n",
      {.keep_time = false});
  EXPECT_EQ(profile.samples.size(), 1u);
  EXPECT_FALSE(profile.has_time);
}

// Damage and detection.

TEST(PerfScript, CountsLinesThatItCannotRead) {
  const Profile profile =
      read_text("perf-script", "a 1 1.5: c:\n\t1 f (/x)\n\nwhat is this\n\n");
  ASSERT_EQ(profile.diagnostics.count(Problem::kBadLine), 1u);
  EXPECT_EQ(profile.diagnostics.entries()[0].line, 4u);
}

TEST(PerfScript, GivesTheSameResultWithSeveralThreads) {
  std::string text;
  for (int i = 0; i < 400'000; ++i)
    text += "a " + std::to_string(i % 7) + " 1.5: 3 c:\n\t1 f" +
            std::to_string(i % 100) + " (/x)\n\t2 main (/x)\n\n";
  const Profile one = read_text("perf-script", text, {.threads = 1});
  const Profile three = read_text("perf-script", text, {.threads = 3});
  EXPECT_EQ(one.samples.size(), three.samples.size());
  EXPECT_EQ(folded(one, kTid), folded(three, kTid));
}

TEST(PerfScript, IsDetectedAfterCommentsAndBlankLines) {
  EXPECT_EQ(detect("# x\n\nbash 10 [001] 1.5: cycles:\n\t1 f (/x)\n")->name,
            "perf-script");
}

TEST(PerfScript, IsNotSeenInFoldedText) {
  EXPECT_EQ(detect("bash;main 10\nbash;f 2\n")->name, "folded");
}

TEST(PerfLine, FindsTheModuleWithNestedBrackets) {
  const auto frame = parse_perf_frame("  7f1 operator()(int) (/a b (deleted))");
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->symbol, "operator()(int)");
  EXPECT_EQ(frame->module, "/a b (deleted)");
}

TEST(PerfLine, ReadsNanoseconds) {
  EXPECT_EQ(parse_perf_event("a 1 12.000000345: c:")->time_ns, 12'000'000'345u);
}

TEST(PerfScript, NoticesALineThatIsCut) {
  const std::string whole = "a 1 1.0: 1 cycles:\n\t1 function (/bin/a)\n\n";
  EXPECT_TRUE(read_text("perf-script", whole).diagnostics.empty());
  const Profile cut =
      read_text("perf-script", whole.substr(0, whole.size() - 8));
  EXPECT_EQ(cut.diagnostics.count(Problem::kTruncated), 1u);
}

}  // namespace
}  // namespace wick
