// SPDX-License-Identifier: Apache-2.0
// The contract of a store. Another kind of store is another row of Stores.
#include "server/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "base/append.h"
#include "base/error.h"
#include "builders/batch_builder.h"
#include "builders/batch_times.h"
#include "builders/test_folder.h"
#include "server/store/sqlite_store.h"

namespace wick {
namespace {

using testing::Contains;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<Store>(const std::string& folder)> open;
};

class Stores : public testing::TestWithParam<StoreKind> {
 protected:
  TestFolder folder_;
  std::unique_ptr<Store> store_ = GetParam().open(folder_.path());

  void reopen() {
    store_.reset();
    store_ = GetParam().open(folder_.path());
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, Stores,
                         testing::Values(StoreKind{
                             "Sqlite",
                             [](const std::string& folder) {
                               return open_sqlite_store(folder + "/store.db");
                             }}),
                         [](const auto& info) { return info.param.name; });

constexpr std::int64_t kMinute = 60 * kSecond, kHour = 60 * kMinute,
                       kDay = 24 * kHour;
// The beginning of an hour and not of a day.
constexpr std::int64_t kStart = 1'700'000'000 / 3600 * kHour;

// A profile as text: "comm;outer;inner" → weight.
std::map<std::string, std::int64_t> folded(const Profile& profile) {
  EXPECT_EQ(check(profile), "");
  std::map<std::string, std::int64_t> result;
  std::vector<FrameId> frames;
  for (const Sample& sample : profile.samples) {
    const Thread& thread = profile.threads[sample.thread];
    std::string text(profile.strings[thread.comm]);
    if (thread.pid >= 0) append(text, " {}/{}", thread.pid, thread.tid);
    profile.stacks.frames_of(sample.stack, frames);
    for (const FrameId frame : frames)
      append(text, ";{}", profile.function(frame));
    result[text] += sample.weight;
  }
  return result;
}

// --- what was put is there

TEST_P(Stores, GivesBackTheStacksOfABatch) {
  store_->put(BatchBuilder(1).sample("cat;main;read", 30).batch());
  EXPECT_THAT(folded(store_->profile({})),
              ElementsAre(Pair("cat;main;read", 30)));
}

TEST_P(Stores, KeepsWhatItHadWhenItIsOpenedAgain) {
  store_->put(BatchBuilder(1).sample("cat;main;read", 30).batch());
  reopen();
  store_->put(BatchBuilder(2).sample("cat;main;read", 12).batch());
  EXPECT_THAT(folded(store_->profile({})),
              ElementsAre(Pair("cat;main;read", 42)));
}

TEST_P(Stores, KeepsAddressesModulesAndLines) {
  Batch batch = BatchBuilder(1).batch();
  Profile& profile = batch.profile;
  const ModuleId module = profile.module_id("/bin/cat", "0a1b2c");
  const FrameId frame =
      profile.frames.intern({.function = profile.strings.intern("main"),
                             .file = profile.strings.intern("cat.c"),
                             .module = module,
                             .line = 7,
                             .address = 0x1234,
                             .function_start = 0x1200,
                             .kind = FrameKind::kInlined});
  profile.samples.push_back(
      {.weight = 1,
       .stack = profile.stacks.push(StackId::kRoot, frame),
       .event = profile.event_id("cpu-clock", "ns")});
  store_->put(batch);

  const Profile stored = store_->profile({});
  ASSERT_THAT(stored.samples, SizeIs(1));
  const Frame& row =
      stored.frames[stored.stacks.frame(stored.samples[0].stack)];
  EXPECT_EQ(stored.strings[row.function], "main");
  EXPECT_EQ(stored.strings[row.file], "cat.c");
  EXPECT_EQ(stored.strings[stored.modules[row.module].path], "/bin/cat");
  EXPECT_EQ(stored.strings[stored.modules[row.module].build_id], "0a1b2c");
  EXPECT_EQ(row.line, 7u);
  EXPECT_EQ(row.address, 0x1234u);
  EXPECT_EQ(row.function_start, 0x1200u);
  EXPECT_EQ(row.kind, FrameKind::kInlined);
}

TEST_P(Stores, KeepsHowManySamplesThereWere) {
  for (const std::uint64_t sequence : {1, 2}) {
    Batch batch = BatchBuilder(sequence).sample("a;f", 35).batch();
    batch.profile.sample_counts = {5};
    store_->put(batch);
  }
  const Profile stored = store_->profile({});
  EXPECT_THAT(stored.sample_counts, ElementsAre(10));
}

TEST_P(Stores, KeepsSamplesWithoutAStack) {
  store_->put(BatchBuilder(1).sample("cat", 5).sample("cat;main", 1).batch());
  EXPECT_THAT(folded(store_->profile({})),
              UnorderedElementsAre(Pair("cat", 5), Pair("cat;main", 1)));
}

TEST_P(Stores, KeepsWhatTheProfileMisses) {
  Batch batch = BatchBuilder(1).sample("a;f", 1).batch();
  batch.profile.diagnostics.note(Problem::kLostSamples, 9);
  store_->put(batch);
  EXPECT_EQ(store_->profile({}).diagnostics.count(Problem::kLostSamples), 9u);
}

TEST_P(Stores, IsEmptyAtFirst) {
  EXPECT_THAT(store_->hosts(), IsEmpty());
  EXPECT_THAT(store_->profile({}).samples, IsEmpty());
  EXPECT_THAT(store_->metrics({}).from_ns, IsEmpty());
  EXPECT_THAT(store_->losses({}), IsEmpty());
}

// --- a batch counts once

TEST_P(Stores, ABatchThatIsPutAgainChangesNothing) {
  const Batch batch = BatchBuilder(1).sample("a;f", 5).batch();
  EXPECT_TRUE(store_->put(batch));
  EXPECT_FALSE(store_->put(batch));
  reopen();
  EXPECT_FALSE(store_->put(batch));
  EXPECT_THAT(folded(store_->profile({})), ElementsAre(Pair("a;f", 5)));
}

TEST_P(Stores, BatchesMayComeInAnyOrder) {
  for (const std::uint64_t sequence : {3, 1, 5, 2, 4})
    EXPECT_TRUE(store_->put(BatchBuilder(sequence).sample("a;f", 1).batch()));
  for (const std::uint64_t sequence : {1, 2, 3, 4, 5})
    EXPECT_FALSE(store_->put(BatchBuilder(sequence).sample("a;f", 1).batch()));
  EXPECT_THAT(folded(store_->profile({})), ElementsAre(Pair("a;f", 5)));
}

TEST_P(Stores, KnowAllBatchesThatASumStandsFor) {
  Batch sum = BatchBuilder(7).sample("a;f", 1).batch();
  sum.numbers = 5;
  EXPECT_TRUE(store_->put(sum));
  for (const std::uint64_t sequence : {3, 5, 7})
    EXPECT_FALSE(store_->put(BatchBuilder(sequence).sample("a;f", 1).batch()));
  EXPECT_TRUE(store_->put(BatchBuilder(2).sample("a;f", 1).batch()));
}

TEST_P(Stores, KnowASumThatHasABatchTheyHave) {
  store_->put(BatchBuilder(5).sample("a;f", 1).batch());
  Batch sum = BatchBuilder(7).sample("a;f", 1).batch();
  sum.numbers = 5;
  EXPECT_TRUE(store_->put(sum));
  EXPECT_FALSE(store_->put(sum));
}

TEST_P(Stores, EachAgentCountsForItself) {
  Batch batch = BatchBuilder(1).sample("a;f", 1).batch();
  EXPECT_TRUE(store_->put(batch));
  batch.agent = "another";
  EXPECT_TRUE(store_->put(batch));
  EXPECT_THAT(folded(store_->profile({})), ElementsAre(Pair("a;f", 2)));
}

TEST_P(Stores, RefuseABatchThatNamesNobody) {
  Batch batch = BatchBuilder(1).batch();
  batch.host = "";
  EXPECT_THROW(store_->put(batch), Error);
  batch = BatchBuilder(1).batch();
  batch.to_ns = batch.from_ns + 2 * kHour;
  EXPECT_THROW(store_->put(batch), Error);
}

// --- hosts

TEST_P(Stores, KnowUntilWhenEachHostIsStored) {
  store_->put(BatchBuilder(1).host("b").at(kStart).sample("a;f", 1).batch());
  store_->put(
      BatchBuilder(2).host("a").at(kStart + kMinute).sample("a;f", 1).batch());
  const auto hosts = store_->hosts();
  ASSERT_THAT(hosts, SizeIs(2));
  EXPECT_EQ(hosts[0].name, "a");
  EXPECT_EQ(hosts[1].name, "b");
  EXPECT_EQ(hosts[0].first_ns, kStart + kMinute);
  EXPECT_EQ(hosts[0].stored_until_ns, kStart + kMinute + 10 * kSecond);
}

TEST_P(Stores, StoredUntilDoesNotGoBackWithTheClock) {
  store_->put(BatchBuilder(1).at(kStart + kHour).sample("a;f", 1).batch());
  store_->put(BatchBuilder(2).at(kStart).sample("a;f", 1).batch());
  EXPECT_EQ(store_->hosts()[0].stored_until_ns, kStart + kHour + 10 * kSecond);
  EXPECT_THAT(folded(store_->profile({})), ElementsAre(Pair("a;f", 2)));
}

// --- what is asked for

TEST_P(Stores, ABucketBelongsToASpanIfItBeginsInIt) {
  for (int i = 0; i < 4; ++i)
    store_->put(BatchBuilder(static_cast<std::uint64_t>(i) + 1)
                    .at(kStart + i * 10 * kSecond)
                    .sample("a;f" + std::to_string(i), 1)
                    .batch());
  EXPECT_THAT(folded(store_->profile(
                  {.span = {kStart + 10 * kSecond, kStart + 30 * kSecond}})),
              ElementsAre(Pair("a;f1", 1), Pair("a;f2", 1)));
}

TEST_P(Stores, SelectsByHostProcessNameGroupAndEvent) {
  Batch batch = BatchBuilder(1)
                    .host("h1")
                    .thread(7, 8, "worker")
                    .sample("worker;f", 1)
                    .thread(9, 9, "cat")
                    .sample("cat;g", 2)
                    .batch();
  batch.processes = {{7, "server", "/a.slice", "box1"}, {9, "cat", "/b", ""}};
  store_->put(batch);
  store_->put(BatchBuilder(2)
                  .host("h2")
                  .event("page-faults")
                  .sample("dog;h", 4)
                  .batch());
  const auto f = ElementsAre(Pair("worker;f", 1));
  EXPECT_THAT(folded(store_->profile({.pid = 7})), f);
  EXPECT_THAT(folded(store_->profile({.comm = "worker"})), f);
  EXPECT_THAT(folded(store_->profile({.process = "server"})), f);
  EXPECT_THAT(folded(store_->profile({.cgroup = "/a.slice"})), f);
  EXPECT_THAT(folded(store_->profile({.container = "box1"})), f);
  EXPECT_THAT(folded(store_->profile({.event = "page-faults"})),
              ElementsAre(Pair("dog;h", 4)));
  EXPECT_THAT(folded(store_->profile({.host = "h2"})),
              ElementsAre(Pair("dog;h", 4)));
  EXPECT_THAT(folded(store_->profile({.comm = "nobody"})), IsEmpty());
  EXPECT_THAT(folded(store_->profile({.host = "nowhere"})), IsEmpty());
}

TEST_P(Stores, ThreadsAreNamesProcessesThreadsOrGroups) {
  Batch batch = BatchBuilder(1)
                    .thread(7, 8, "worker")
                    .sample("worker;f", 1)
                    .thread(7, 9, "worker")
                    .sample("worker;f", 2)
                    .batch();
  batch.processes = {{7, "server", "/a.slice", "box1"}};
  store_->put(batch);
  const auto by = [&](ThreadDetail detail) {
    return folded(store_->profile({.detail = detail}));
  };
  EXPECT_THAT(by(ThreadDetail::kName), ElementsAre(Pair("worker;f", 3)));
  EXPECT_THAT(by(ThreadDetail::kProcess), ElementsAre(Pair("server 7/7;f", 3)));
  EXPECT_THAT(by(ThreadDetail::kThread),
              ElementsAre(Pair("worker 7/8;f", 1), Pair("worker 7/9;f", 2)));
  EXPECT_THAT(by(ThreadDetail::kCgroup), ElementsAre(Pair("/a.slice;f", 3)));
  EXPECT_THAT(by(ThreadDetail::kContainer), ElementsAre(Pair("box1;f", 3)));
}

TEST_P(Stores, RefuseAQueryForMoreThanFits) {
  store_->put(BatchBuilder(1).sample("a;f", 1).sample("a;g", 1).batch());
  EXPECT_THAT([&] { store_->profile({.most_rows = 1}); },
              ThrowsMessage<Error>(HasSubstr("ask for a shorter time")));
}

// --- metrics

TEST_P(Stores, MetricsAreColumns) {
  store_->put(BatchBuilder(1)
                  .at(kStart)
                  .metric("cpu.user", "0", 1, 2)
                  .metric("load.1", "", 3, 3)
                  .batch());
  store_->put(BatchBuilder(2)
                  .at(kStart + 10 * kSecond)
                  .metric("cpu.user", "0", 5, 6)
                  .batch());
  const MetricColumns columns = store_->metrics({});
  EXPECT_THAT(columns.from_ns, ElementsAre(kStart, kStart + 10 * kSecond));
  ASSERT_THAT(columns.series, SizeIs(2));
  EXPECT_EQ(columns.series[0].name, "cpu.user");
  EXPECT_EQ(columns.series[0].label, "0");
  EXPECT_THAT(columns.series[0].mean, ElementsAre(1, 5));
  EXPECT_THAT(columns.series[0].max, ElementsAre(2, 6));
  EXPECT_EQ(columns.series[1].mean[0], 3);
  EXPECT_TRUE(std::isnan(columns.series[1].mean[1]));
}

TEST_P(Stores, AStepHasTheMeanOfItsTimeAndTheLargestMaximum) {
  for (int i = 0; i < 6; ++i)
    store_->put(BatchBuilder(static_cast<std::uint64_t>(i) + 1)
                    .at(kStart + i * 10 * kSecond)
                    .metric("load.1", "", i, 10 * i)
                    .batch());
  const MetricColumns columns = store_->metrics({.step_ns = 30 * kSecond});
  EXPECT_THAT(columns.from_ns, ElementsAre(kStart, kStart + 30 * kSecond));
  EXPECT_THAT(columns.series.at(0).mean, ElementsAre(1, 4));
  EXPECT_THAT(columns.series.at(0).max, ElementsAre(20, 50));
}

TEST_P(Stores, WhatIsLongerThanAStepIsInAllOfItsSteps) {
  store_->put(BatchBuilder(1)
                  .at(kStart)
                  .metric("load.1", "", 3, 4)
                  .batch());  // of ten seconds
  const auto columns = [&](std::int64_t to_ns) {
    return store_->metrics({.span = {kStart, to_ns}, .step_ns = 2 * kSecond});
  };
  EXPECT_THAT(columns(kStart + 20 * kSecond).series.at(0).mean,
              ElementsAre(3, 3, 3, 3, 3));
  EXPECT_THAT(columns(kStart + 4 * kSecond).from_ns,
              ElementsAre(kStart, kStart + 2 * kSecond));
}

TEST_P(Stores, MetricsAreSelectedByNameOrItsBeginning) {
  store_->put(BatchBuilder(1)
                  .metric("cpu.user", "0", 1, 1)
                  .metric("cpu.idle", "0", 1, 1)
                  .metric("load.1", "", 1, 1)
                  .batch());
  EXPECT_THAT(store_->metrics({.names = {"load.1"}}).series, SizeIs(1));
  EXPECT_THAT(store_->metrics({.names = {"cpu.*"}}).series, SizeIs(2));
}

TEST_P(Stores, LargeNumbersKeepFourDigitsAndMore) {
  store_->put(BatchBuilder(1).metric("m", "", 123'456'789'012, 1).batch());
  EXPECT_THAT(store_->metrics({}).series.at(0).mean.at(0),
              DoubleNear(123'456'789'012, 123'456'789'012 * 2e-5));
}

// --- processes and losses

TEST_P(Stores, KeepTheBusiestProcesses) {
  Batch batch = BatchBuilder(1).at(kStart).batch();
  batch.busiest = {{.seconds = 5,
                    .pid = 7,
                    .parent = 1,
                    .start_ticks = 99,
                    .name = "cc1plus",
                    .state = 'R',
                    .threads = 2,
                    .uid = 1000,
                    .cpu = 0.75,
                    .read_bytes = 512,
                    .resident_bytes = 4096}};
  store_->put(batch);
  const auto processes = store_->processes({});
  ASSERT_THAT(processes, SizeIs(1));
  EXPECT_EQ(processes[0].from_ns, kStart);
  EXPECT_EQ(processes[0].process, batch.busiest[0]);
}

TEST_P(Stores, LossesAreSummedUpByReason) {
  for (const std::uint64_t sequence : {1, 2}) {
    Batch batch = BatchBuilder(sequence).batch();
    batch.losses = {{"no memory", 3}, {"too slow", sequence}};
    store_->put(batch);
  }
  std::map<std::string, std::uint64_t> losses;
  for (const StoredLoss& loss : store_->losses({}))
    losses[loss.loss.reason] = loss.loss.count;
  EXPECT_THAT(losses, ElementsAre(Pair("no memory", 6), Pair("too slow", 3)));
}

// --- ageing

void retain_all(Store& store, const RetainPolicy& policy, std::int64_t now) {
  for (int i = 0; i < 1000; ++i)
    if (!store.retain(policy, now)) return;
  FAIL() << "retain() finds more to do again and again";
}

class Ageing : public Stores {
 protected:
  // Ten seconds of each half minute, with everything a batch can have.
  void put_two_hours() {
    for (int i = 0; i < 240; ++i) {
      Batch batch = BatchBuilder(static_cast<std::uint64_t>(i) + 1)
                        .at(kStart + i * 30 * kSecond)
                        .thread(7, 7 + i % 3, "a")
                        .sample("a;f;g" + std::to_string(i % 7), 10 + i)
                        .sample("a;f", 3)
                        .metric("load.1", "", i, i)
                        .batch();
      batch.busiest = {{.seconds = 5, .pid = 7, .name = "a", .cpu = 0.5}};
      batch.losses = {{"no memory", 1}};
      store_->put(batch);
    }
  }
  double metric_sum() {
    double sum = 0;
    const MetricColumns columns = store_->metrics({.step_ns = kHour});
    for (const double mean : columns.series.at(0).mean) sum += mean;
    return sum;
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, Ageing,
                         testing::Values(StoreKind{
                             "Sqlite",
                             [](const std::string& folder) {
                               return open_sqlite_store(folder + "/store.db");
                             }}),
                         [](const auto& info) { return info.param.name; });

TEST_P(Ageing, KeepsAllTotals) {
  put_two_hours();
  const auto by_thread = [&] {
    return folded(store_->profile({.detail = ThreadDetail::kThread}));
  };
  const auto before = by_thread();
  const double metrics_before = metric_sum();
  ASSERT_THAT(store_->metrics({}).from_ns, SizeIs(240));

  retain_all(*store_, {.minutes_after_ns = kDay, .hours_after_ns = 7 * kDay},
             kStart + 3 * kDay);
  EXPECT_THAT(store_->metrics({}).from_ns, SizeIs(120));
  EXPECT_EQ(by_thread(), before);
  EXPECT_THAT(metric_sum(), DoubleNear(metrics_before, 0.1));

  retain_all(*store_, {.minutes_after_ns = kDay, .hours_after_ns = 7 * kDay},
             kStart + 10 * kDay);
  EXPECT_THAT(store_->metrics({}).from_ns, SizeIs(2));
  EXPECT_EQ(by_thread(), before);
  EXPECT_THAT(metric_sum(), DoubleNear(metrics_before, 0.1));
  EXPECT_EQ(store_->losses({}).at(0).loss.count, 240u);
  ASSERT_THAT(store_->processes({}), SizeIs(2));
  EXPECT_EQ(store_->processes({})[0].process.cpu, 0.5);
  EXPECT_EQ(store_->processes({})[0].process.seconds, 600);
}

TEST_P(Ageing, ABatchThatComesLateStillCounts) {
  const RetainPolicy policy{.minutes_after_ns = kHour};
  store_->put(BatchBuilder(1).at(kStart).sample("a;f", 1).batch());
  retain_all(*store_, policy, kStart + kDay);
  store_->put(
      BatchBuilder(2).at(kStart + 10 * kSecond).sample("a;f", 2).batch());
  retain_all(*store_, policy, kStart + kDay);
  EXPECT_THAT(folded(store_->profile({})), ElementsAre(Pair("a;f", 3)));
}

TEST_P(Ageing, WhatIsTooOldIsDropped) {
  put_two_hours();
  retain_all(*store_, {.keep_ns = 2 * kDay}, kStart + 2 * kDay + kHour);
  EXPECT_EQ(store_->hosts().at(0).first_ns, kStart + kHour);
  retain_all(*store_, {.keep_ns = 2 * kDay}, kStart + 3 * kDay);
  EXPECT_THAT(store_->profile({}).samples, IsEmpty());
  EXPECT_THAT(store_->metrics({}).series, IsEmpty());
}

TEST_P(Ageing, NamesThatAreStillReferredToAreKept) {
  store_->put(BatchBuilder(1).at(kStart).sample("old;f;g", 1).batch());
  store_->put(BatchBuilder(2).at(kStart).sample("a;f;h", 1).batch());
  store_->put(BatchBuilder(3).at(kStart + 3 * kDay).sample("a;f;h", 1).batch());
  retain_all(*store_, {.keep_ns = 2 * kDay}, kStart + 4 * kDay);
  EXPECT_THAT(folded(store_->profile({})), ElementsAre(Pair("a;f;h", 1)));
  // The same stacks come again after they were forgotten.
  store_->put(
      BatchBuilder(4).at(kStart + 4 * kDay).sample("old;f;g", 5).batch());
  EXPECT_THAT(folded(store_->profile({})),
              ElementsAre(Pair("a;f;h", 1), Pair("old;f;g", 5)));
}

TEST_P(Ageing, TheOldestIsDroppedIfAllIsTooLarge) {
  std::mt19937 random(1);  // values that do not compress
  for (int i = 0; i < 240; ++i) {
    BatchBuilder builder(static_cast<std::uint64_t>(i) + 1);
    builder.at(kStart + i * 2 * kMinute);
    for (int k = 0; k < 400; ++k)
      builder.metric("m", std::to_string(k), random(), random());
    store_->put(builder.batch());
  }
  const std::uint64_t size = store_->size();
  retain_all(*store_, {.max_bytes = size / 2}, kStart + 8 * kHour);
  EXPECT_LE(store_->size(), size / 2);
  const MetricColumns left = store_->metrics({});
  EXPECT_GT(left.from_ns.size(), 40u);
  EXPECT_EQ(left.from_ns.back(), kStart + 239 * 2 * kMinute);
}

TEST_P(Ageing, NamesAloneDoNotFillIt) {
  for (int i = 0; i < 40; ++i) {
    Batch batch = BatchBuilder(static_cast<std::uint64_t>(i) + 1)
                      .at(kStart + i * kMinute)
                      .batch();
    for (int k = 0; k < 100; ++k)
      batch.losses.push_back(
          {std::string(200, 'x') + std::to_string(i * 100 + k), 1});
    store_->put(batch);
  }
  retain_all(*store_, {.max_bytes = 400'000}, kStart + kHour);
  EXPECT_LE(store_->size(), 400'000u);
}

// --- threads

TEST_P(Stores, AreAskedWhileTheyAreWrittenTo) {
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= 50; ++i)
      store_->put(BatchBuilder(i).sample("a;f", 1).batch());
  });
  std::int64_t last = 0;
  while (last < 50) {
    const auto now = folded(store_->profile({}));
    const std::int64_t weight = now.empty() ? 0 : now.at("a;f");
    EXPECT_GE(weight, last);
    last = weight;
  }
  writer.join();
}

}  // namespace
}  // namespace wick
