// SPDX-License-Identifier: Apache-2.0
// What every writer must keep, tried with every golden input and with random
// profiles: read back, the weight of the whole is the same, or the difference
// is said.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "builders/read.h"
#include "builders/stored_inputs.h"
#include "format/common/event_label.h"
#include "format/registry.h"
#include "profile/off_cpu_reason.h"
#include "transform/select.h"

namespace wick {
namespace {

const InputFormat* reader_of(const OutputFormat& output) {
  for (const InputFormat* input : input_formats())
    if (input->name == output.name) return input;
  return nullptr;
}

double noted_weight(const Profile& profile) {
  double sum = 0;
  for (const auto& entry : profile.diagnostics.entries())
    sum += static_cast<double>(entry.weight);
  return sum;
}

// Formats without decimals write milliseconds as microseconds.
double whole_in_seconds(const Profile& profile) {
  if (profile.events.empty()) return 0;
  const int decimals =
      time_unit_decimals(profile.strings[profile.events[EventId{0}].unit]);
  return whole_value(profile) / std::pow(10, std::max(decimals, 0));
}

bool about_equal(double whole, double other, double tolerance) {
  return std::abs(whole - other) <= std::abs(whole) * tolerance;
}

// Whether `after` has the weight of `before`, or notes the rest.
bool is_accounted_for(const Profile& before, const Profile& after) {
  const double whole = whole_value(before);
  const double noted = noted_weight(after) - noted_weight(before);
  const bool rounded = after.diagnostics.count(Problem::kRounded) > 0;
  const double tolerance = rounded ? 1e-6 : 1e-9;
  return about_equal(whole, whole_value(after), tolerance) ||
         about_equal(whole, whole_value(after) + noted, tolerance) ||
         about_equal(whole_in_seconds(before), whole_in_seconds(after),
                     tolerance);
}

void expect_kept_by_every_writer(const Profile& profile) {
  for (const OutputFormat* output : output_formats()) {
    SCOPED_TRACE(testing::Message() << "written as " << output->name);
    const std::string text = written(output->name, profile);
    EXPECT_FALSE(text.empty());
    if (reader_of(*output) == nullptr) continue;
    const Profile back = read_text(output->name, text);
    EXPECT_TRUE(is_accounted_for(profile, back))
        << whole_value(profile) << " became " << whole_value(back);
  }
}

class Conversion : public testing::TestWithParam<StoredInput> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Conversion);
INSTANTIATE_TEST_SUITE_P(, Conversion, testing::ValuesIn(golden_inputs()),
                         [](const auto& info) {
                           return test_name(info.param);
                         });

TEST_P(Conversion, KeepsTheWeightThroughEveryWriter) {
  const Profile profile =
      select(read_text(GetParam().format, GetParam().bytes()), {});
  expect_kept_by_every_writer(profile);
}

TEST_P(Conversion, FindsTheFormatByTheContent) {
  const InputFormat* found = detect(GetParam().bytes());
  ASSERT_NE(found, nullptr);
  // Scheduler events are perf script's text, read in another way if asked.
  EXPECT_EQ(found->name, GetParam().format == "perf-sched" ? "perf-script"
                                                           : GetParam().format);
}

TEST(ConversionOfRandomProfiles, KeepsTheWeightThroughEveryWriter) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    expect_kept_by_every_writer(select(random_profile(seed), {}));
  }
}

TEST(ConversionOfRandomProfiles, CountsTheSamplesOfOtherEvents) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::size_t all = random_profile(seed).samples.size();
    const Profile selected = select(random_profile(seed), {});
    EXPECT_EQ(selected.samples.size() +
                  selected.diagnostics.count(Problem::kOtherEvent),
              all);
  }
}

TEST(ConversionOfRandomProfiles, FoldsTheWholeWeight) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Profile profile = random_profile(seed);
    EXPECT_EQ(fold(profile, {}).total[NodeId::kRoot], whole_weight(profile));
  }
}

// A thread that runs and waits, in the events that wick makes of it.
Profile waiting_thread() {
  Profile profile;
  profile.has_time = true;
  const StackId main =
      profile.stacks.push(StackId::kRoot, profile.named_frame("main"));
  const StackId waits =
      profile.stacks.push(main, off_cpu_frame(profile, OffCpuReason::kInIo));
  const auto add = [&](std::string_view name, TimeKind time, StackId stack) {
    const EventId event = profile.event_id(name, "nanoseconds");
    profile.events[event].time = time;
    profile.samples.push_back(
        {.time = 1000, .weight = 10, .stack = stack, .event = event});
  };
  add("cpu-clock", TimeKind::kOnCpu, main);
  add(kOffCpuEventName, TimeKind::kOffCpu, waits);
  add(kWallEventName, TimeKind::kWall, waits);
  return profile;
}

class FormatsWithEvents : public testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(, FormatsWithEvents,
                         testing::Values("wick", "speedscope", "firefox",
                                         "chrome-trace", "pprof"),
                         [](const auto& info) {
                           return std::string(
                               info.param.substr(0, info.param.find('-')));
                         });

TEST_P(FormatsWithEvents, KeepWhichTimeAnEventIs) {
  const Profile back =
      read_text(GetParam(), written(GetParam(), waiting_thread()));
  std::map<std::string_view, TimeKind> times;
  for (const Event& event : back.events)
    times[back.strings[event.name]] = event.time;
  EXPECT_EQ(times, (std::map<std::string_view, TimeKind>{
                       {"cpu-clock", TimeKind::kOnCpu},
                       {"offcpu-time", TimeKind::kOffCpu},
                       {"wall-time", TimeKind::kWall}}));
}

TEST_P(FormatsWithEvents, KeepWhyAThreadIsOffTheCpu) {
  const Profile back =
      read_text(GetParam(), written(GetParam(), waiting_thread()));
  const auto is_off_cpu = [&](FrameId id) {
    return back.frames[id].kind == FrameKind::kOffCpu;
  };
  const auto ids = back.frames.ids();
  const auto at = std::ranges::find_if(ids, is_off_cpu);
  ASSERT_NE(at, ids.end());
  EXPECT_EQ(back.function(*at), "[in I/O]");
  EXPECT_EQ(back.frames[*at].off_cpu, OffCpuReason::kInIo);
  EXPECT_EQ(std::ranges::count_if(ids, is_off_cpu), 1);
}

TEST_P(FormatsWithEvents, KeepThatAProfileIsATrace) {
  Profile profile = waiting_thread();
  profile.is_trace = true;
  EXPECT_TRUE(read_text(GetParam(), written(GetParam(), profile)).is_trace);
}

TEST(KindsOfCode, WebAssemblyIsKept) {
  for (const std::string_view format : {"wick", "speedscope", "firefox"}) {
    Profile profile;
    const StackId stack = profile.stacks.push(
        StackId::kRoot, profile.named_frame("add", FrameKind::kWasm));
    profile.samples.push_back(
        {.weight = 1, .stack = stack, .event = profile.event_id("samples")});
    const Profile back = read_text(format, written(format, profile));
    const StackId same = back.samples.at(0).stack;
    EXPECT_EQ(back.frames[back.stacks.frame(same)].kind, FrameKind::kWasm)
        << format;
  }
}

}  // namespace
}  // namespace wick
