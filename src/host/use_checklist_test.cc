// SPDX-License-Identifier: Apache-2.0
#include "host/use_checklist.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

std::optional<UseValue> check(std::string_view resource, UseAspect aspect,
                              std::string_view measure,
                              const std::vector<MetricValue>& rates) {
  for (const UseCheck& check : use_checklist())
    if (check.resource == resource && check.aspect == aspect &&
        check.measure == measure)
      return check.value(rates);
  ADD_FAILURE() << "no such check: " << measure;
  return {};
}

TEST(UseChecklist, BusyCpusAreNeitherIdleNorWaitForDisks) {
  EXPECT_EQ(
      check("CPU", UseAspect::kUtilisation, "time in which the CPUs were busy",
            {{Metric::kCpuUser, "0", 5e8},
             {Metric::kCpuIdle, "0", 4e8},
             {Metric::kCpuIowait, "0", 1e8},
             {Metric::kCpuUser, "1", 1e9}}),
      (UseValue{0.75, ""}));
}

TEST(UseChecklist, TheBusiestDiskIsNamed) {
  EXPECT_EQ(check("disk", UseAspect::kUtilisation,
                  "time in which the busiest disk had requests",
                  {{Metric::kDiskBusyTime, "sda", 1e8},
                   {Metric::kDiskBusyTime, "sdb", 5e8}}),
            (UseValue{0.5, "sdb"}));
}

TEST(UseChecklist, ARequestsTimeIsThatOfAllDividedByTheirNumber) {
  EXPECT_EQ(check("disk", UseAspect::kSaturation, "time of a request",
                  {{Metric::kDiskReads, "sda", 3},
                   {Metric::kDiskReadTime, "sda", 6e6},
                   {Metric::kDiskWrites, "sda", 1},
                   {Metric::kDiskWriteTime, "sda", 2e6}}),
            (UseValue{2e6, "sda"}));
}

TEST(UseChecklist, ALinkIsUsedInTheDirectionThatHasMore) {
  EXPECT_EQ(
      check("network", UseAspect::kUtilisation, "used of the busiest link",
            {{Metric::kNetworkReceivedBytes, "eth0", 25e6},
             {Metric::kNetworkSentBytes, "eth0", 50e6},
             {Metric::kNetworkSpeed, "eth0", 125e6}}),
      (UseValue{0.4, "eth0"}));
}

TEST(UseChecklist, WhatTheHostDoesNotTellIsNotZero) {
  for (const UseCheck& check : use_checklist())
    EXPECT_EQ(check.value({}), std::nullopt) << check.measure;
}

TEST(UseChecklist, EachResourceIsInOnePlace) {
  std::vector<std::string_view> resources;
  for (const UseCheck& check : use_checklist())
    if (resources.empty() || resources.back() != check.resource)
      resources.push_back(check.resource);
  for (std::size_t i = 0; i < resources.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(resources[i], resources[j]);
}

}  // namespace
}  // namespace wick
