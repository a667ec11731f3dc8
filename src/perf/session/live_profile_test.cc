// SPDX-License-Identifier: Apache-2.0
// Time off the CPU in Profiles that follow each other.
#include "perf/session/live_profile.h"

#include <gmock/gmock.h>

#include <vector>

#include "builders/session_text.h"

namespace wick {
namespace {

using testing::ElementsAre;

constexpr std::uint32_t kLivePid = 7;

// A clock, and the samples of threads that leave the CPU.
class LiveRecords {
 public:
  LiveRecords() {
    file_.event({.type = event_type::kSoftware,
                 .sample_type = kChains.sample_type | sample_type::kIdentifier,
                 .flags = attr_flag::kSampleIdAll | attr_flag::kContextSwitch},
                "cpu-clock");
    file_.event({.type = event_type::kSoftware,
                 .config = 3,
                 .sample_period = 1,
                 .sample_type = kChains.sample_type | sample_type::kIdentifier,
                 .flags = attr_flag::kSampleIdAll},
                "context-switches");
    file_.comm(kLivePid, kLivePid, "prog", 1);
  }
  void sampled_as_it_leaves(std::uint64_t time) {
    file_.sample({.event = 1,
                  .pid = kLivePid,
                  .tid = kLivePid,
                  .time = time,
                  .period = 1,
                  .callchain = {callchain::kUser, 0x1010}});
  }
  void left(std::uint64_t time) { change(misc::kSwitchOut, time); }
  void came(std::uint64_t time) { change(0, time); }
  void ended(std::uint64_t time) {
    file_.record(RecordType::kExit, 0,
                 task(kLivePid, kLivePid, kLivePid, kLivePid, time),
                 {.pid = kLivePid, .tid = kLivePid, .time = time});
  }

  // The Profiles up to each of these times.
  std::vector<std::string> cut_at(
      const std::vector<std::uint64_t>& times) const {
    InputFile input = file_.input();
    PerfData data(input);
    DebugFiles files({});
    Images images(files);
    LiveProfile live(data.header().machine, data.header().events, images, files,
                     {});
    std::vector<std::string> profiles;
    const auto cut = [&] {
      const Profile profile = live.cut(times[profiles.size()]);
      EXPECT_EQ(check(profile), "");
      profiles.push_back(shown(profile, true));
    };
    data.for_each_in_time_order([&](const PerfRecord& record) {
      while (profiles.size() < times.size() &&
             record.time >= times[profiles.size()])
        cut();
      live.visit(record);
    });
    while (profiles.size() < times.size()) cut();
    return profiles;
  }

 private:
  void change(std::uint16_t misc, std::uint64_t time) {
    file_.record(RecordType::kSwitch, misc, Bytes(),
                 {.pid = kLivePid, .tid = kLivePid, .time = time});
  }
  PerfDataBuilder file_;
};

TEST(LiveProfile, AWaitIsWhereAndWhenItWas) {
  LiveRecords records;
  records.sampled_as_it_leaves(100);
  records.left(101);
  records.came(161);
  EXPECT_THAT(records.cut_at({200, 300}),
              ElementsAre("101 prog 7/7: ?+1010 60\n", ""));
}

TEST(LiveProfile, AWaitIsInEachProfileForAsLongAsItTookOfItsTime) {
  LiveRecords records;
  records.sampled_as_it_leaves(100);
  records.left(101);
  records.came(161);
  EXPECT_THAT(
      records.cut_at({110, 140, 200}),
      ElementsAre("101 prog 7/7: ?+1010 9\n", "110 prog 7/7: ?+1010 30\n",
                  "140 prog 7/7: ?+1010 21\n"));
}

TEST(LiveProfile, AThreadThatSleepsOnIsThereEachTime) {
  LiveRecords records;
  records.sampled_as_it_leaves(100);
  records.left(101);
  EXPECT_THAT(
      records.cut_at({200, 300}),
      ElementsAre("101 prog 7/7: ?+1010 99\n", "200 prog 7/7: ?+1010 100\n"));
}

TEST(LiveProfile, AThreadMayBeLeavingWhenAProfileEnds) {
  LiveRecords records;
  records.sampled_as_it_leaves(100);
  records.left(103);
  EXPECT_THAT(records.cut_at({102, 110}),
              ElementsAre("", "103 prog 7/7: ?+1010 7\n"));
}

TEST(LiveProfile, AnEndedThreadDoesNotWait) {
  LiveRecords records;
  records.sampled_as_it_leaves(100);
  records.left(101);
  records.came(111);
  records.ended(112);
  records.sampled_as_it_leaves(113);
  records.left(114);
  EXPECT_THAT(records.cut_at({120, 130}),
              ElementsAre("101 prog 7/7: ?+1010 10\n", ""));
}

}  // namespace
}  // namespace wick
