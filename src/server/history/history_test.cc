// SPDX-License-Identifier: Apache-2.0
// What is stored and what came in the last minutes, as one.
#include "server/history/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>

#include "builders/batch_builder.h"
#include "builders/batch_times.h"
#include "builders/test_folder.h"
#include "server/history/batch_sum.h"
#include "server/store/sqlite_store.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::SizeIs;

// "comm;outer;inner" → weight.
std::map<std::string, std::int64_t> folded(const Profile& profile) {
  EXPECT_EQ(check(profile), "");
  std::map<std::string, std::int64_t> result;
  std::vector<FrameId> frames;
  for (const Sample& sample : profile.samples) {
    const Thread& thread = profile.threads[sample.thread];
    std::string text(profile.strings[thread.comm]);
    if (thread.pid >= 0) text += " " + std::to_string(thread.pid);
    profile.stacks.frames_of(sample.stack, frames);
    for (const FrameId frame : frames) (text += ';') += profile.function(frame);
    result[text] += sample.weight;
  }
  return result;
}

class Histories : public testing::Test {
 protected:
  // A batch as it comes, stored once its ten seconds are over.
  void add(Batch batch) {
    recent_.add(batch, encode(batch));
    if (auto before = sum_.add(std::move(batch))) store_->put(*before);
    if (auto complete = sum_.take_complete()) store_->put(*complete);
  }
  // Seconds with one sample of "a;f" each, whose weight is 1, and the metric
  // "load.1", which is the number of the second.
  void add_seconds(std::int64_t from, std::int64_t to) {
    for (std::int64_t at = from; at < to; ++at)
      add(BatchBuilder(++sequence_)
              .second(kTen + at * kSecond)
              .sample("a;f", 1)
              .metric("load.1", "", static_cast<double>(at),
                      static_cast<double>(at))
              .loss("no memory", 1)
              .batch());
  }
  std::int64_t weight(std::int64_t from, std::int64_t to) {
    const auto stacks = folded(history_.profile({.span = span(from, to)}));
    return stacks.empty() ? 0 : stacks.at("a;f");
  }

  TestFolder folder_;
  std::unique_ptr<Store> store_ =
      open_sqlite_store(folder_.path() + "/store.db");
  Recent recent_{{.profiles_ns = 30 * kSecond, .metrics_ns = 30 * kSecond}};
  BatchSum sum_;
  std::uint64_t sequence_ = 0;
  History history_{*store_, recent_};
};

TEST_F(Histories, HaveEachMomentOnce) {
  add_seconds(3, 107);
  EXPECT_EQ(weight(0, 200), 104);
  EXPECT_EQ(weight(10, 200), 97);
}

TEST_F(Histories, HaveTheLastSecondsOneByOne) {
  add_seconds(3, 107);
  EXPECT_EQ(weight(90, 95), 5);
  EXPECT_EQ(weight(106, 200), 1);
}

TEST_F(Histories, HaveWhatIsNotStoredYet) {
  add_seconds(0, 5);
  EXPECT_EQ(weight(0, 10), 5);
}

TEST_F(Histories, HaveThePastThatIsAheadOnceTheClockWasSetBack) {
  add_seconds(1000, 1050);
  add_seconds(0, 20);
  EXPECT_EQ(weight(0, 2000), 70);
}

TEST_F(Histories, SumMetricsUpOverBothPlaces) {
  add_seconds(0, 107);
  const MetricColumns columns = history_.metrics(
      {.span = span(0, 200), .names = {"load.1"}, .step_ns = 60 * kSecond});
  ASSERT_THAT(columns.series, SizeIs(1));
  EXPECT_THAT(columns.from_ns,
              ElementsAre(kTen - 20 * kSecond, kTen + 40 * kSecond,
                          kTen + 100 * kSecond));
  EXPECT_NEAR(columns.series[0].mean[0], 19.5, 1e-9);
  EXPECT_NEAR(columns.series[0].mean[1], 69.5, 1e-9);
  EXPECT_NEAR(columns.series[0].mean[2], 103, 1e-9);
  EXPECT_EQ(columns.series[0].max[1], 99);
}

TEST_F(Histories, HaveMetricsOfEachSecondOfTheLastMinutes) {
  add_seconds(0, 5);
  const MetricColumns columns = history_.metrics(
      {.span = span(3, 200), .names = {"load.*"}, .step_ns = kSecond});
  ASSERT_THAT(columns.series, SizeIs(1));
  EXPECT_THAT(columns.series[0].mean, ElementsAre(3, 4));
}

TEST_F(Histories, HaveAValueOfASecondInWhichTheRecorderWasLate) {
  Batch late = BatchBuilder(1).metric("load.1", "", 1, 1).batch();
  late.from_ns = kTen;
  late.to_ns = kTen + kSecond * 18 / 10;
  Batch next = BatchBuilder(2).metric("load.1", "", 2, 2).batch();
  next.from_ns = late.to_ns;
  next.to_ns = kTen + 3 * kSecond;
  add(std::move(late));
  add(std::move(next));
  const MetricColumns columns =
      history_.metrics({.span = span(0, 200), .step_ns = kSecond});
  ASSERT_THAT(columns.series, SizeIs(1));
  EXPECT_THAT(columns.series[0].mean, ElementsAre(1, 1, 2));
}

TEST_F(Histories, RefuseMoreStepsThanAreAskedFor) {
  add_seconds(0, 5);
  EXPECT_THROW(
      history_.metrics(
          {.span = span(0, 200), .step_ns = kSecond, .most_points = 4}),
      TooMuch);
}

TEST_F(Histories, HaveProcessesOfTheTimeSinceTheyWereLookedAtLast) {
  Batch batch = BatchBuilder(1).second(kTen + 4 * kSecond).batch();
  batch.busiest = {{.seconds = 5, .pid = 7, .cpu = 0.5}};
  add(std::move(batch));
  const auto processes = history_.processes({.span = span(0, 200)});
  ASSERT_THAT(processes, SizeIs(1));
  EXPECT_EQ(processes[0].from_ns, kTen);
  EXPECT_EQ(processes[0].to_ns, kTen + 5 * kSecond);
}

TEST_F(Histories, CountLossesOnce) {
  add_seconds(3, 107);
  const auto losses = history_.losses({.span = span(0, 200)});
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].loss.count, 104u);
}

TEST_F(Histories, KnowAHostThatIsNotStoredYet) {
  add_seconds(0, 5);
  const auto hosts = history_.hosts();
  ASSERT_THAT(hosts, SizeIs(1));
  EXPECT_EQ(hosts[0].name, "box");
  EXPECT_EQ(hosts[0].stored_until_ns, std::nullopt);
  EXPECT_EQ(hosts[0].seen_until_ns, kTen + 5 * kSecond);
}

TEST_F(Histories, KnowUntilWhenAHostIsStored) {
  add_seconds(0, 15);
  EXPECT_EQ(history_.hosts()[0].stored_until_ns, kTen + 10 * kSecond);
  EXPECT_EQ(history_.hosts()[0].first_ns, kTen);
}

// --- what the store and the last seconds select alike

class Selections : public Histories, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    const Batch batch = BatchBuilder(1)
                            .process(7, "server", "/srv", "c0ffee")
                            .thread(7, 8, "worker")
                            .sample(";main", 3)
                            .event("off-cpu")
                            .sample(";wait", 5)
                            .batch();
    if (GetParam())
      store_->put(batch);
    else
      recent_.add(batch, encode(batch));
  }
};
INSTANTIATE_TEST_SUITE_P(Places, Selections, testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Stored" : "Recent";
                         });

TEST_P(Selections, NameThreadsByTheirDetail) {
  const auto with = [&](ThreadDetail detail) {
    return folded(history_.profile({.event = "cpu-clock", .detail = detail}));
  };
  EXPECT_THAT(with(ThreadDetail::kName), ElementsAre(Pair("worker;main", 3)));
  EXPECT_THAT(with(ThreadDetail::kThread),
              ElementsAre(Pair("worker 7;main", 3)));
  EXPECT_THAT(with(ThreadDetail::kProcess),
              ElementsAre(Pair("server 7;main", 3)));
  EXPECT_THAT(with(ThreadDetail::kCgroup), ElementsAre(Pair("/srv;main", 3)));
  EXPECT_THAT(with(ThreadDetail::kContainer),
              ElementsAre(Pair("c0ffee;main", 3)));
}

TEST_P(Selections, KeepWhatFits) {
  for (const ProfileQuery& query :
       {ProfileQuery{.pid = 7}, ProfileQuery{.comm = "worker"},
        ProfileQuery{.process = "server"}, ProfileQuery{.cgroup = "/srv"},
        ProfileQuery{.container = "c0ffee"}, ProfileQuery{.host = "box"}})
    EXPECT_THAT(history_.profile(query).samples, SizeIs(2));
  EXPECT_THAT(history_.profile({.event = "off-cpu"}).samples, SizeIs(1));
}

TEST_P(Selections, LeaveOutWhatDoesNot) {
  for (const ProfileQuery& query :
       {ProfileQuery{.pid = 8}, ProfileQuery{.comm = "server"},
        ProfileQuery{.process = "worker"}, ProfileQuery{.cgroup = "/"},
        ProfileQuery{.container = "c0"}, ProfileQuery{.host = "other"},
        ProfileQuery{.event = "cycles"}})
    EXPECT_THAT(history_.profile(query).samples, SizeIs(0));
}

}  // namespace
}  // namespace wick
