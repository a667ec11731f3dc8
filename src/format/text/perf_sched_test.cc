// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"
#include "format/registry.h"

namespace wick {
namespace {

constexpr std::string_view kOut =
    "my prog  100/101 [000] 10.000100: sched:sched_switch: prev_comm=my prog "
    "prev_pid=101 prev_prio=120 prev_state=S ==> next_comm=swapper/0 "
    "next_pid=0 next_prio=120\n"
    "\tffffffff81 schedule+0x1 ([kernel.kallsyms])\n"
    "\t401000 main+0x2 (/bin/worker)\n\n";
constexpr std::string_view kIn =
    "swapper     0/0 [000] 10.000360: sched:sched_switch: prev_comm=swapper/0 "
    "prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=my prog "
    "next_pid=101 next_prio=120\n"
    "\tffffffff81 schedule+0x1 ([kernel.kallsyms])\n\n";
constexpr std::string_view kStat =
    "swapper     0/0 [000] 10.000350: sched:sched_stat_sleep: comm=my prog "
    "pid=101 delay=250999 [ns]\n\n";

std::string all(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

TEST(PerfSched, GivesSleepToTheStackThatWentToSleep) {
  const Profile profile = read_text("perf-sched", all({kOut, kStat, kIn}));
  EXPECT_EQ(folded(profile), "my prog;main;schedule 250.999\n");
  EXPECT_EQ(profile.strings[profile.events[EventId{0}].unit], "microseconds");
  EXPECT_TRUE(profile.has_time);
}

TEST(PerfSched, TakesTheTimeBetweenSwitchesWithoutStatistics) {
  EXPECT_EQ(folded(read_text("perf-sched", all({kOut, kIn}))),
            "my prog;main;schedule 260\n");
}

TEST(PerfSched, ReadsTheShortFormOfArguments) {
  EXPECT_EQ(folded(read_text("perf-sched",
                             "a  1/1 [000] 10.000100: sched:sched_switch: a:1 "
                             "[120] S ==> b:2 [120]\n\t401000 f (/bin/a)\n\n"
                             "b  2/2 [000] 10.000300: sched:sched_switch: b:2 "
                             "[120] S ==> a:1 [120]\n\t401000 g (/bin/b)\n\n")),
            "a;f 200\n");
}

TEST(PerfSched, KeepsSleepWhoseBeginningWasNotRecorded) {
  const Profile profile = read_text("perf-sched", kStat);
  EXPECT_EQ(folded(profile), "my prog 250.999\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kNoStack), 1u);
}

TEST(PerfSched, CountsOtherEvents) {
  const Profile profile = read_text(
      "perf-sched",
      all({kOut, kStat,
           "a  1/1 [000] 10.1: sched:sched_stat_runtime: comm=a pid=1 "
           "runtime=5 [ns]\n\n"}));
  EXPECT_EQ(profile.diagnostics.count(Problem::kOtherEvent), 1u);
}

TEST(PerfSched, IsNeverGuessed) {
  EXPECT_FALSE(input_format("perf-sched").sniff(kOut));
}

}  // namespace
}  // namespace wick
