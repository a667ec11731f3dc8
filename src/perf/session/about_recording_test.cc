// SPDX-License-Identifier: Apache-2.0
#include "perf/session/about_recording.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "perf/file/header.h"
#include "profile/profile.h"

namespace wick {
namespace {

PerfEvent rated(std::string name, std::uint64_t rate, std::uint64_t flags) {
  PerfEvent event{.name = std::move(name)};
  event.attr.sample_period = rate;
  event.attr.flags = flags;
  return event;
}

TEST(AboutRecording, TheRateOfEachEventIsSaidOnce) {
  PerfHeader header;
  header.events = {
      rated("cpu-clock", 997, attr_flag::kFreq), rated("page-faults", 1000, 0),
      rated("sched:sched_switch", 1, 0), rated("sched:sched_switch", 1, 0)};
  Profile profile;
  describe_recording(header, profile);
  ASSERT_EQ(profile.about.size(), 1);
  EXPECT_EQ(profile.strings[profile.about[0].key], "rate");
  EXPECT_EQ(profile.strings[profile.about[0].value],
            "997 Hz of cpu-clock, every 1000 of page-faults, every "
            "sched:sched_switch");
}

}  // namespace
}  // namespace wick
