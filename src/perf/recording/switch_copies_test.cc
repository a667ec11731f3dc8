// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/switch_copies.h"

#include <gtest/gtest.h>

#include <string>

#include "perf/records/record_encoder.h"

namespace wick {
namespace {

class DoubleSwitchesTest : public testing::Test {
 protected:
  DoubleSwitchesTest() {
    for (PerfEvent* event : {&large_, &small_}) {
      event->attr.sample_type = sample_type::kIdentifier | sample_type::kTid |
                                sample_type::kTime | sample_type::kCpu;
      event->attr.flags = attr_flag::kSampleIdAll;
      event->layout = id_layout(event->attr);
    }
  }
  bool is_second(const PerfEvent& event, std::uint32_t tid, std::uint32_t cpu) {
    PerfSample sample;
    sample.tid = tid;
    sample.cpu = cpu;
    RecordEncoder encoder(event.attr, 1, 0);
    const std::string whole(encoder.sample(sample, misc::kUser));
    return doubles_.is_second({.type = RecordType::kSample,
                               .body = std::string_view(whole).substr(8),
                               .event = &event});
  }
  // Any thread comes or goes on CPU 0, as the trailer of the record tells.
  void switch_record() {
    RecordEncoder encoder(large_.attr, 1, 0);
    const std::string whole(encoder.lost_samples(0));
    doubles_.is_second({.type = RecordType::kSwitch,
                        .body = std::string_view(whole).substr(8),
                        .event = &large_});
  }

  PerfEvent large_, small_;
  DoubleSwitches doubles_{large_, small_};
};

TEST_F(DoubleSwitchesTest, TheSecondSampleOfASwitchIsRecognised) {
  EXPECT_FALSE(is_second(large_, 7, 0));
  EXPECT_TRUE(is_second(small_, 7, 0));
}

TEST_F(DoubleSwitchesTest, EitherEventMayComeFirst) {
  EXPECT_FALSE(is_second(small_, 7, 0));
  EXPECT_TRUE(is_second(large_, 7, 0));
}

TEST_F(DoubleSwitchesTest, AThreadThatLeavesAgainHasAnotherSwitch) {
  EXPECT_FALSE(is_second(large_, 7, 0));
  switch_record();
  EXPECT_FALSE(is_second(small_, 7, 0));
}

TEST_F(DoubleSwitchesTest, OtherThreadsAndCpusHaveOtherSwitches) {
  EXPECT_FALSE(is_second(large_, 7, 0));
  EXPECT_FALSE(is_second(small_, 7, 1));
  EXPECT_FALSE(is_second(small_, 8, 0));
}

TEST_F(DoubleSwitchesTest, OneEventHasNoDoubles) {
  EXPECT_FALSE(is_second(small_, 7, 0));
  EXPECT_FALSE(is_second(small_, 7, 0));
}

TEST_F(DoubleSwitchesTest, OtherEventsDoNotCount) {
  const PerfEvent clock = large_;
  EXPECT_FALSE(is_second(large_, 7, 0));
  EXPECT_FALSE(is_second(clock, 7, 0));
  EXPECT_TRUE(is_second(small_, 7, 0));
}

}  // namespace
}  // namespace wick
