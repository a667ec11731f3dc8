// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/record_window.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/bytes.h"
#include "perf/records/record_encoder.h"

namespace wick {
namespace {

constexpr std::uint64_t kBits = sample_type::kIdentifier | sample_type::kIp |
                                sample_type::kTime | sample_type::kRegsUser |
                                sample_type::kStackUser;

PerfHeader one_event() {
  PerfHeader header;
  PerfEvent& event = header.events.emplace_back();
  event.attr = {.sample_type = kBits,
                .flags = attr_flag::kSampleIdAll,
                .sample_regs_user = 1,
                .sample_stack_user = 32};
  event.layout = id_layout(event.attr);
  event.ids = {77};
  header.index_ids();
  return header;
}

// A sample at `time` with `filled` of 32 bytes of stack.
std::string sample(std::uint64_t time, std::uint64_t filled) {
  std::string out;
  append_raw(out, static_cast<std::uint32_t>(RecordType::kSample));
  append_raw(out, misc::kUser);
  append_raw(out, std::uint16_t{0});
  for (const std::uint64_t word :
       {std::uint64_t{77}, std::uint64_t{0x1000}, time, kRegsAbi64,
        std::uint64_t{5}, std::uint64_t{32}})
    append_raw(out, word);
  out += std::string(filled, 's') + std::string(32 - filled, '-');
  append_raw(out, filled);
  const auto size = static_cast<std::uint16_t>(out.size());
  std::memcpy(out.data() + 6, &size, sizeof size);
  return out;
}

std::vector<std::uint64_t> times_until(RecordWindow& window,
                                       std::uint64_t time) {
  std::vector<std::uint64_t> times;
  window.take_until(time, [&](const PerfRecord& record, std::string_view) {
    times.push_back(record.time);
  });
  window.forget_taken();
  return times;
}

TEST(RecordWindow, GivesRecordsInTheOrderOfTime) {
  const PerfHeader header = one_event();
  RecordWindow window(header);
  for (const std::uint64_t time : {30, 10, 20}) window.add(sample(time, 8));
  EXPECT_EQ(times_until(window, UINT64_MAX),
            (std::vector<std::uint64_t>{10, 20, 30}));
}

TEST(RecordWindow, KeepsWhatIsTooYoungForTheNextRound) {
  const PerfHeader header = one_event();
  RecordWindow window(header);
  for (const std::uint64_t time : {30, 10}) window.add(sample(time, 8));
  EXPECT_EQ(times_until(window, 30), (std::vector<std::uint64_t>{10}));
  window.add(sample(20, 8));
  EXPECT_EQ(times_until(window, 40), (std::vector<std::uint64_t>{20, 30}));
}

TEST(RecordWindow, KeepsOfAStackOnlyWhatWasFilled) {
  const PerfHeader header = one_event();
  RecordWindow window(header);
  window.add(sample(10, 12));
  PerfSample decoded;
  std::size_t size = 0;
  window.take_until(20, [&](const PerfRecord& record, std::string_view whole) {
    EXPECT_TRUE(decode_sample(record, decoded));
    size = whole.size();
  });
  EXPECT_EQ(decoded.user_stack, std::string(12, 's'));
  EXPECT_EQ(decoded.ip, 0x1000u);
  EXPECT_EQ(size, sample(10, 12).size() - 16);
}

TEST(RecordWindow, AnEmptyStackIsStillASample) {
  const PerfHeader header = one_event();
  RecordWindow window(header);
  window.add(sample(10, 0));
  bool good = false;
  window.take_until(20, [&](const PerfRecord& record, std::string_view) {
    PerfSample decoded;
    good = decode_sample(record, decoded) && decoded.user_stack.empty();
  });
  EXPECT_TRUE(good);
}

TEST(RecordWindow, CountsSamplesOfNoEvent) {
  PerfHeader header = one_event();
  header.events.push_back(header.events.front());
  header.events.back().ids = {78};
  header.index_ids();
  RecordWindow window(header);
  std::string unknown = sample(10, 8);
  unknown[8] = 79;
  window.add(unknown);
  window.add(sample(20, 8));
  EXPECT_EQ(times_until(window, 30), (std::vector<std::uint64_t>{20}));
  EXPECT_EQ(window.unknown(), 1u);
}

// The misc field of a mapping as the window passes it on.
std::uint16_t stored_misc(std::uint64_t attr_flags) {
  PerfHeader header = one_event();
  EventAttr& attr = header.events.front().attr;
  attr.flags |= attr_flags;
  std::string mapping =
      std::string(RecordEncoder(attr, 77, 10)
                      .mmap2({.build_id = "0123456789abcdef", .path = "/x"}));
  RecordWindow window(header);
  window.add(mapping);
  std::uint16_t misc = 0;
  window.take_until(20, [&](const PerfRecord& record, std::string_view whole) {
    misc = record.misc;
    mapping[5] = whole[5];
    EXPECT_EQ(whole, mapping) << "nothing else is changed";
  });
  return misc;
}

TEST(RecordWindow, KeepsTheBitOfABuildIdOnlyIfTheEventAskedForIt) {
  EXPECT_EQ(stored_misc(0), misc::kUser);
  EXPECT_EQ(stored_misc(attr_flag::kBuildId), misc::kUser | misc::kMmapBuildId);
}

}  // namespace
}  // namespace wick
