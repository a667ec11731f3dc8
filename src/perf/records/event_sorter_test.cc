// SPDX-License-Identifier: Apache-2.0
#include "perf/records/event_sorter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace wick {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::uint64_t> taken(EventSorter& sorter) {
  std::vector<std::uint64_t> times;
  for (; sorter.peek() != nullptr; sorter.pop())
    times.push_back(sorter.peek()->time);
  return times;
}

TEST(EventSorter, GivesOutInTheSecondRoundWhatTheFirstHad) {
  EventSorter sorter;
  for (const int time : {5, 9, 3}) sorter.add(time, 0);
  sorter.finish_round();
  EXPECT_THAT(taken(sorter), IsEmpty());
  for (const int time : {7, 12}) sorter.add(time, 0);
  sorter.finish_round();
  EXPECT_THAT(taken(sorter), ElementsAre(3, 5, 7, 9));
  sorter.release_all();
  EXPECT_THAT(taken(sorter), ElementsAre(12));
}

TEST(EventSorter, KeepsTheOrderOfEqualTimes) {
  EventSorter sorter;
  for (const std::uint64_t where : {1, 2, 3}) sorter.add(5, where);
  sorter.add(4, 4);
  sorter.add(5, 5);
  sorter.release_all();
  std::vector<std::uint64_t> order;
  for (; sorter.peek() != nullptr; sorter.pop())
    order.push_back(sorter.peek()->where);
  EXPECT_THAT(order, ElementsAre(4, 1, 2, 3, 5));
}

TEST(EventSorter, RecordsWithoutTimeComeAtTheNextMark) {
  EventSorter sorter;
  sorter.add(9, 0);
  sorter.add(0, 0);
  sorter.finish_round();
  EXPECT_THAT(taken(sorter), ElementsAre(0));
}

TEST(EventSorter, TimesOfOffCpuSumsDoNotEndTheWindow) {
  EventSorter sorter;
  sorter.add(kFirstSyntheticTime + 1, 0);
  sorter.add(5, 0);
  sorter.finish_round();
  sorter.add(8, 0);
  sorter.finish_round();
  EXPECT_THAT(taken(sorter), ElementsAre(5));
  sorter.add(6, 0);
  sorter.release_all();
  EXPECT_THAT(taken(sorter), ElementsAre(6, 8, kFirstSyntheticTime + 1));
}

TEST(EventSorter, HalfIsTheOlderHalf) {
  EventSorter sorter;
  for (const int time : {4, 3, 2, 1}) sorter.add(time, 0);
  sorter.release_half();
  EXPECT_THAT(taken(sorter), ElementsAre(1, 2));
  EXPECT_EQ(sorter.size(), 2u);
}

// Against std::stable_sort, for any mixture of runs and rounds.
TEST(EventSorter, SortsAsStableSortDoes) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    EventSorter sorter;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all, given;
    const auto drain = [&] {
      for (; sorter.peek() != nullptr; sorter.pop())
        given.emplace_back(sorter.peek()->time, sorter.peek()->where);
    };
    std::uint64_t time = 1, where = 0;
    const std::uint32_t back = random() % 20;
    for (std::uint32_t i = 0; i < random() % 500; ++i) {
      const std::uint64_t at =
          time > back ? time - random() % (back + 1) : time;
      sorter.add(at, where);
      all.emplace_back(at, where++);
      time += random() % 3;
      // Two rounds are farther apart than times go back.
      if (i % 50 == 49) {
        time += 20;
        sorter.finish_round();
        drain();
      }
    }
    sorter.release_all();
    drain();
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.first < b.first;
    });
    EXPECT_EQ(given, all) << "seed " << seed;
  }
}

}  // namespace
}  // namespace wick
