// SPDX-License-Identifier: Apache-2.0
#include "perf/records/attr.h"

#include <gtest/gtest.h>

#include "builders/perf_data_builder.h"

namespace wick {
namespace {

using namespace sample_type;

EventAttr full_attr() {
  EventAttr a;
  a.type = 4;
  a.config = 0x1a8;
  a.sample_period = 4000;
  a.sample_type = kIp | kTid | kTime;
  a.read_format = 5;
  a.flags = attr_flag::kFreq | attr_flag::kSampleIdAll;
  a.config1 = 6;
  a.config2 = 7;
  a.branch_sample_type = 8;
  a.sample_regs_user = 0xff0fff;
  a.sample_stack_user = 8192;
  a.clockid = 1;
  a.sample_regs_intr = 9;
  a.aux_watermark = 10;
  a.sample_max_stack = 127;
  a.aux_sample_size = 11;
  a.sig_data = 12;
  return a;
}

TEST(EventAttr, IsReadFieldByField) {
  EventAttr expected = full_attr();
  expected.size = 128;
  EXPECT_EQ(read_attr(encode_attr(full_attr(), false), false), expected);
}

TEST(EventAttr, IsReadOfTheOtherByteOrderWithItsFlagsFromTheOtherEnd) {
  EventAttr expected = full_attr();
  expected.size = 128;
  EXPECT_EQ(read_attr(encode_attr(full_attr(), true), true), expected);
}

TEST(EventAttr, IsWrittenAsItIsRead) {
  EventAttr attr = full_attr();
  attr.size = kAttrSize;
  attr.flags |= 2ull << attr_flag::kPreciseShift | attr_flag::kBuildId;
  attr.config3 = 13;
  EXPECT_EQ(write_attr(attr).size(), 136u);
  EXPECT_EQ(read_attr(write_attr(attr), false), attr);
  EXPECT_EQ(attr.precise_ip(), 2u);
}

TEST(EventAttr, PrecisionIsANumberInBothByteOrders) {
  EventAttr attr;
  attr.size = kAttrSize;
  std::string bytes = write_attr(attr);
  // Bit fields from the highest bit on: the two after the first fifteen.
  bytes[41] = 0b0000'0001;
  bytes[42] = 0b0000'0000;
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = "\0\0\0\0\0\0\0\x88"[i];
  EXPECT_EQ(read_attr(bytes, true)->precise_ip(), 2u);
}

TEST(EventAttr, OfAnOldKernelHasZerosForWhatCameLater) {
  const auto attr = read_attr(encode_attr(full_attr(), false, 64), false);
  ASSERT_TRUE(attr);
  EXPECT_EQ(attr->config1, 6u);
  EXPECT_EQ(attr->config2, 0u);
  EXPECT_EQ(attr->sample_regs_user, 0u);
}

TEST(EventAttr, OfAKernelToComeIsReadAsFarAsItIsKnown) {
  const auto attr = read_attr(encode_attr(full_attr(), false, 256), false);
  ASSERT_TRUE(attr);
  EXPECT_EQ(attr->sig_data, 12u);
}

TEST(EventAttr, DoesNotReadBeyondItsOwnSize) {
  std::string bytes = encode_attr(full_attr(), false, 64);
  bytes += std::string(64, '\x7f');
  EXPECT_EQ(read_attr(bytes, false)->config2, 0u);
}

TEST(EventAttr, ShorterThanTheFirstVersionIsNone) {
  EXPECT_FALSE(read_attr(std::string(63, '\0'), false));
}

TEST(EventAttr, IsWrittenNoLongerThanItNeedsToBe) {
  EventAttr a;
  EXPECT_EQ(needed_attr_size(a), 112u);
  a.aux_sample_size = 1;
  EXPECT_EQ(needed_attr_size(a), 120u);
  a.sig_data = 1;
  EXPECT_EQ(needed_attr_size(a), 128u);
  a.config3 = 1;
  EXPECT_EQ(needed_attr_size(a), 136u);
}

TEST(IdLayout, FindsIdAndTimeByTheFieldsBefore) {
  EventAttr a;
  a.sample_type = kIp | kTid | kTime | kAddr | kId | kCpu;
  a.flags = attr_flag::kSampleIdAll;
  const IdLayout layout = id_layout(a);
  EXPECT_EQ(layout.sample_time, 2);   // ip, tid, time
  EXPECT_EQ(layout.sample_id, 4);     // ip, tid, time, addr, id
  EXPECT_EQ(layout.trailer_id, 2);    // … id, cpu
  EXPECT_EQ(layout.trailer_time, 3);  // … time, id, cpu
  EXPECT_EQ(layout.trailer_words, 4);
}

TEST(IdLayout, TheIdentifierIsFirstInSamplesAndLastInOthers) {
  EventAttr a;
  a.sample_type = kIdentifier | kIp | kTime | kStreamId;
  a.flags = attr_flag::kSampleIdAll;
  const IdLayout layout = id_layout(a);
  EXPECT_EQ(layout.sample_id, 0);
  EXPECT_EQ(layout.sample_time, 2);
  EXPECT_EQ(layout.trailer_id, 1);
  EXPECT_EQ(layout.trailer_time, 3);
}

TEST(IdLayout, WithoutSampleIdAllOtherRecordsHaveNoTrailer) {
  EventAttr a;
  a.sample_type = kIp | kTime;
  EXPECT_EQ(id_layout(a).trailer_words, 0);
  EXPECT_EQ(id_layout(a).trailer_time, -1);
}

TEST(EventNames, FollowPerfsWords) {
  const auto name = [](std::uint32_t type, std::uint64_t config) {
    EventAttr a;
    a.type = type;
    a.config = config;
    return default_event_name(a);
  };
  EXPECT_EQ(name(0, 0), "cycles");
  EXPECT_EQ(name(1, 0), "cpu-clock");
  EXPECT_EQ(name(1, 1), "task-clock");
  EXPECT_EQ(name(3, 0), "L1-dcache-loads");
  EXPECT_EQ(name(3, 0x1'0000), "L1-dcache-load-misses");
  EXPECT_EQ(name(3, 0x2'03), "dTLB-prefetches");
  EXPECT_EQ(name(4, 0x1a8), "r1a8");
  EXPECT_EQ(name(0, 99), "");
  EXPECT_EQ(name(77, 1), "");
}

}  // namespace
}  // namespace wick
