// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "server/store/metric_sums.h"
#include "server/store/packing.h"
#include "server/store/sample_sums.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

const SampleSums::View kAll{
    .thread = [](SampleSums::Thread&) { return true; },
    .event = [](const SampleSums::Event&) { return true; }};

SampleSums some_samples() {
  SampleSums sums;
  const SampleSums::Event clock{.name = 1, .unit = 2, .decimals = 3};
  sums.add(clock, {.pid = 7, .tid = 9, .comm = 4}, 1000, 50, 5);
  sums.add(clock, {.pid = 7, .tid = 9, .comm = 4}, 1001, 20, 2);
  sums.add(clock, {.pid = 7, .tid = 8, .comm = 4, .cgroup = 6}, 3, 7, 3);
  sums.add({.name = 5}, {}, 0, 1, 1);
  sums.note(9, 4, 40);
  return sums;
}

TEST(Buckets, EqualSamplesBecomeEqualBytes) {
  SampleSums again;
  ASSERT_TRUE(again.add_packed(some_samples().packed(), kAll));
  EXPECT_EQ(again.packed(), some_samples().packed());
}

TEST(Buckets, SamplesCutAnywhereAreDamaged) {
  const std::string plain = *unpacked_bucket(some_samples().packed());
  for (std::size_t size = 0; size < plain.size(); ++size) {
    SampleSums sums;
    sums.add_packed(packed_bucket(plain.substr(0, size)), kAll);
    EXPECT_LE(sums.rows(), 4u) << size;
  }
  const std::string packed = some_samples().packed();
  for (std::size_t size = 0; size < packed.size(); ++size) {
    SampleSums sums;
    EXPECT_FALSE(sums.add_packed(packed.substr(0, size), kAll)) << size;
  }
}

TEST(Buckets, OfMetricsAreWholeOrDamaged) {
  MetricSums sums;
  sums.add(3, 1.5, 2, 10);
  sums.add(8, 2.5, 4, 10);
  std::string list;
  const std::string packed = sums.packed([&](std::string_view text) {
    list = text;
    return 1;
  });
  const auto text = [&](std::uint64_t) { return list; };
  for (std::size_t size = 0; size < packed.size(); ++size)
    EXPECT_FALSE(MetricSums().add_packed(packed.substr(0, size), text));
  MetricSums again;
  ASSERT_TRUE(again.add_packed(packed, text));
  ASSERT_THAT(again.values(), SizeIs(2));
  EXPECT_EQ(again.values()[1].series, 8u);
  EXPECT_EQ(again.values()[1].mean, 2.5);
}

TEST(Buckets, ColumnsKeepWhatIsNotKnown) {
  std::string bytes;
  append_column(bytes, {1, std::nan(""), 0, 1e300});
  std::string_view rest = bytes;
  const auto values = take_column(rest, 4);
  EXPECT_EQ(values[0], 1);
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_EQ(values[2], 0);
  EXPECT_GT(values[3], 1e38);
  EXPECT_TRUE(rest.empty());
}

TEST(Buckets, OnlyTheBusiestProcessesArePacked) {
  ProcessSums sums;
  for (int pid = 1; pid <= 5; ++pid)
    sums.add(1, {.seconds = 5, .pid = pid, .cpu = pid * 0.1});
  ProcessSums again;
  ASSERT_TRUE(again.add_packed(sums.packed(2)));
  std::vector<int> pids;
  for (const auto& value : again.values()) pids.push_back(value.process.pid);
  EXPECT_THAT(pids, ElementsAre(4, 5));
}

}  // namespace
}  // namespace wick
