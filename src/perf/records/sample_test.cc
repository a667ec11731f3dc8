// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "builders/perf_data_builder.h"
#include "perf/file/data_file.h"

namespace wick {
namespace {

using namespace sample_type;
using testing::ElementsAre;

// Builds a file of one sample in the byte order of the parameter and keeps it
// alive while the sample is looked at.
class DecodedSample : public testing::TestWithParam<bool> {
 protected:
  // True if the sample could be decoded.
  bool decode(const EventAttr& attr, const PerfDataBuilder::Sample& written) {
    PerfDataBuilder file({.big_endian = GetParam()});
    file.event(attr).sample(written);
    return decode(file);
  }

  bool decode(const PerfDataBuilder& file) {
    input_.emplace(file.input());
    data_.emplace(*input_);
    PerfRecord record;
    EXPECT_TRUE(data_->next(record));
    return decode_sample(record, sample_);
  }

  std::optional<InputFile> input_;
  std::optional<PerfData> data_;
  PerfSample sample_;
};
INSTANTIATE_TEST_SUITE_P(ByteOrder, DecodedSample, testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Big" : "Little";
                         });

TEST_P(DecodedSample, HasTheFixedFields) {
  ASSERT_TRUE(decode({.sample_type = kIp | kTid | kTime | kAddr | kId |
                                     kStreamId | kCpu | kPeriod},
                     {.ip = 0x1234,
                      .pid = 10,
                      .tid = 11,
                      .time = 12,
                      .addr = 13,
                      .stream_id = 14,
                      .cpu = 15,
                      .period = 16}));
  EXPECT_EQ(sample_.ip, 0x1234u);
  EXPECT_EQ(sample_.pid, 10u);
  EXPECT_EQ(sample_.tid, 11u);
  EXPECT_EQ(sample_.time, 12u);
  EXPECT_EQ(sample_.addr, 13u);
  EXPECT_EQ(sample_.id, 1u);
  EXPECT_EQ(sample_.stream_id, 14u);
  EXPECT_EQ(sample_.cpu, 15u);
  EXPECT_EQ(sample_.period, 16u);
}

TEST_P(DecodedSample, KnowsItsFields) {
  ASSERT_TRUE(decode({.sample_type = kIp}, {.ip = 1}));
  EXPECT_TRUE(sample_.has(kIp));
  EXPECT_FALSE(sample_.has(kTime));
}

TEST_P(DecodedSample, OfAFixedPeriodHasTheEventsPeriod) {
  ASSERT_TRUE(decode({.sample_period = 4000, .sample_type = kIp}, {}));
  EXPECT_EQ(sample_.period, 4000u);
}

TEST_P(DecodedSample, OfAFrequencyWithoutPeriodCountsOne) {
  ASSERT_TRUE(decode(
      {.sample_period = 99, .sample_type = kIp, .flags = attr_flag::kFreq},
      {}));
  EXPECT_EQ(sample_.period, 1u);
}

TEST_P(DecodedSample, HasTheCallchainWithItsMarkers) {
  ASSERT_TRUE(decode({.sample_type = kIp | kCallchain},
                     {.callchain = {callchain::kUser, 0x10, 0x20}}));
  EXPECT_THAT(sample_.callchain, ElementsAre(callchain::kUser, 0x10, 0x20));
}

TEST_P(DecodedSample, HasOneCounterWithTimesAndId) {
  ASSERT_TRUE(decode(
      {.sample_type = kRead,
       .read_format = read_format::kTimeEnabled | read_format::kTimeRunning |
                      read_format::kId | read_format::kLost},
      {.read = {1000, 20, 10, 77, 3}}));
  ASSERT_EQ(sample_.read.size(), 1u);
  EXPECT_EQ(sample_.read.time_enabled, 20u);
  EXPECT_EQ(sample_.read.time_running, 10u);
  EXPECT_EQ(sample_.read[0].value, 1000u);
  EXPECT_EQ(sample_.read[0].id, 77u);
  EXPECT_EQ(sample_.read[0].lost, 3u);
}

TEST_P(DecodedSample, HasTheCountersOfAGroup) {
  ASSERT_TRUE(decode({.sample_type = kRead | kCallchain,
                      .read_format = read_format::kGroup | read_format::kId |
                                     read_format::kTimeEnabled},
                     {.read = {2, 99, 1000, 1, 2000, 101}, .callchain = {5}}));
  ASSERT_EQ(sample_.read.size(), 2u);
  EXPECT_EQ(sample_.read.time_enabled, 99u);
  EXPECT_EQ(sample_.read[0].value, 1000u);
  EXPECT_EQ(sample_.read[1].value, 2000u);
  EXPECT_EQ(sample_.read[1].id, 101u);
  EXPECT_THAT(sample_.callchain, ElementsAre(5));
}

TEST_P(DecodedSample, HasRawBytesAndWhatFollowsThem) {
  ASSERT_TRUE(decode({.sample_type = kRaw | kWeight},
                     {.raw = "tracepoint!!", .weight = 7}));
  EXPECT_EQ(sample_.raw, "tracepoint!!");
  EXPECT_EQ(sample_.weight, 7u);
}

TEST_P(DecodedSample, HasBranchesNewestFirst) {
  // A mispredicted branch after 5 cycles; C's bit fields begin at the other end
  // of a big-endian word.
  const std::uint64_t flags = GetParam() ? 1ull << 63 | 5ull << 44 : 1 | 5 << 4;
  ASSERT_TRUE(decode({.sample_type = kBranchStack,
                      .branch_sample_type = branch_type::kHwIndex},
                     {.branches = {9, 0x10, 0x20, flags, 0x30, 0x40, 0}}));
  EXPECT_EQ(sample_.branch_hw_index, 9u);
  ASSERT_EQ(sample_.branches.size(), 2u);
  EXPECT_EQ(sample_.branches[0].from, 0x10u);
  EXPECT_EQ(sample_.branches[0].to, 0x20u);
  EXPECT_TRUE(sample_.branches[0].mispredicted());
  EXPECT_EQ(sample_.branches[0].cycles(), 5);
  EXPECT_EQ(sample_.branches[1].from, 0x30u);
}

TEST_P(DecodedSample, HasUserRegistersByTheirNumber) {
  ASSERT_TRUE(
      decode({.sample_type = kRegsUser, .sample_regs_user = 0b1010'0000},
             {.user_registers = {0x55, 0x77}}));
  EXPECT_EQ(sample_.user_registers.abi, kRegsAbi64);
  EXPECT_EQ(sample_.user_registers.value(5), 0x55u);
  EXPECT_EQ(sample_.user_registers.value(7), 0x77u);
  EXPECT_EQ(sample_.user_registers.value(6), std::nullopt);
}

TEST_P(DecodedSample, OfAKernelThreadHasNoUserRegisters) {
  ASSERT_TRUE(
      decode({.sample_type = kRegsUser | kWeight, .sample_regs_user = 0xff},
             {.user_abi = kRegsAbiNone, .weight = 3}));
  EXPECT_EQ(sample_.user_registers.value(0), std::nullopt);
  EXPECT_EQ(sample_.weight, 3u);
}

TEST_P(DecodedSample, HasOnlyTheStackBytesThatWereCopied) {
  ASSERT_TRUE(
      decode({.sample_type = kStackUser | kWeight, .sample_stack_user = 24},
             {.user_stack = "abcdefgh12345678",
              .user_stack_copied = 10,
              .weight = 3}));
  EXPECT_EQ(sample_.user_stack, "abcdefgh12");
  EXPECT_EQ(sample_.user_stack_wanted, 24u);
  EXPECT_EQ(sample_.weight, 3u);
}

TEST_P(DecodedSample, WithoutStackBytesHasNoCopiedSizeEither) {
  ASSERT_TRUE(decode({.sample_type = kStackUser | kWeight}, {.weight = 3}));
  EXPECT_EQ(sample_.user_stack, "");
  EXPECT_EQ(sample_.weight, 3u);
}

TEST_P(DecodedSample, HasTheFieldsAfterTheStackInTheKernelsOrder) {
  ASSERT_TRUE(decode({.sample_type = kWeight | kDataSrc | kTransaction |
                                     kRegsIntr | kPhysAddr | kCgroup |
                                     kDataPageSize | kCodePageSize | kAux,
                      .sample_regs_intr = 1},
                     {.weight = 1,
                      .data_src = 2,
                      .transaction = 3,
                      .interrupt_registers = {4},
                      .phys_addr = 5,
                      .cgroup = 6,
                      .data_page_size = 7,
                      .code_page_size = 8,
                      .aux = "aux"}));
  EXPECT_EQ(sample_.weight, 1u);
  EXPECT_EQ(sample_.data_src, 2u);
  EXPECT_EQ(sample_.transaction, 3u);
  EXPECT_EQ(sample_.interrupt_registers.value(0), 4u);
  EXPECT_EQ(sample_.phys_addr, 5u);
  EXPECT_EQ(sample_.cgroup, 6u);
  EXPECT_EQ(sample_.data_page_size, 7u);
  EXPECT_EQ(sample_.code_page_size, 8u);
  EXPECT_EQ(sample_.aux, "aux");
}

TEST_P(DecodedSample, WhoseCallchainIsLongerThanItsRecordIsDamaged) {
  PerfDataBuilder file({.big_endian = GetParam()});
  file.event({.sample_type = kIp | kCallchain});
  file.plain(RecordType::kSample, 0,
             file.make().u64(0x99).u64(1u << 31).u64(1));
  EXPECT_FALSE(decode(file));
  EXPECT_EQ(sample_.ip, 0x99u);
  EXPECT_TRUE(sample_.callchain.empty());
}

TEST_P(DecodedSample, WhoseGroupIsAbsurdIsDamaged) {
  PerfDataBuilder file({.big_endian = GetParam()});
  file.event({.sample_type = kRead, .read_format = read_format::kGroup});
  file.plain(RecordType::kSample, 0, file.make().u64(~0ull).u64(1));
  EXPECT_FALSE(decode(file));
  EXPECT_EQ(sample_.read.size(), 0u);
}

TEST_P(DecodedSample, WhoseRawBytesEndBetweenWordsIsDamaged) {
  PerfDataBuilder file({.big_endian = GetParam()});
  file.event({.sample_type = kRaw | kCallchain});
  file.plain(RecordType::kSample, 0, file.make().u32(1).u32(0).u64(0).u64(0));
  EXPECT_FALSE(decode(file));
}

}  // namespace
}  // namespace wick
