// SPDX-License-Identifier: Apache-2.0
#include "agent/recorder_loop.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace wick {
namespace {

using namespace std::chrono_literals;

Batch next_batch(RecorderLoop& loop) {
  while (!loop.is_due()) loop.take(100ms);
  return loop.cut();
}

const BatchMetric* metric(const Batch& batch, std::string_view name,
                          std::string_view label = "") {
  const auto found = std::ranges::find_if(
      batch.metrics,
      [&](const BatchMetric& m) { return m.name == name && m.label == label; });
  return found == batch.metrics.end() ? nullptr : &*found;
}

class RecorderLoopTest : public testing::Test {
 protected:
  RecorderLoop loop_{{.host = "here", .memory = std::uint64_t{256} << 20}};
};

TEST_F(RecorderLoopTest, MakesABatchThatAServerCanRead) {
  const Batch batch = next_batch(loop_);
  EXPECT_EQ(batch.host, "here");
  EXPECT_EQ(batch.agent.size(), 16);
  EXPECT_EQ(batch.sequence, 1);
  EXPECT_EQ(check(batch.profile), "");
  EXPECT_FALSE(batch.profile.has_time);
  const Batch again = decode_batch(encode(batch));
  EXPECT_EQ(again.metrics, batch.metrics);
  EXPECT_EQ(again.processes, batch.processes);
}

TEST_F(RecorderLoopTest, BatchesFollowEachOther) {
  const Batch first = next_batch(loop_), second = next_batch(loop_);
  EXPECT_EQ(second.agent, first.agent);
  EXPECT_EQ(second.sequence, first.sequence + 1);
  EXPECT_EQ(second.from_ns, first.to_ns);
}

TEST_F(RecorderLoopTest, HasTheMetricsOfTheHostAndItsOwnCost) {
  loop_.set_server(::getpid());
  next_batch(loop_);
  const Batch batch = next_batch(loop_);
  for (const char* name : {"memory.total", "load.1"})
    EXPECT_NE(metric(batch, name), nullptr) << name;
  for (const char* process : {"recorder", "server"})
    for (const char* name : {"wick.cpu", "wick.memory"})
      EXPECT_NE(metric(batch, name, process), nullptr) << name << process;
}

TEST_F(RecorderLoopTest, LossesAreReportedOnce) {
  loop_.add_loss("the server did not read", 2);
  loop_.add_loss("the server did not read", 1);
  const auto losses = [](const Batch& batch) {
    return std::ranges::count(batch.losses, Loss{"the server did not read", 3});
  };
  EXPECT_EQ(losses(loop_.cut()), 1);
  EXPECT_EQ(losses(loop_.cut()), 0);
}

TEST_F(RecorderLoopTest, OftenHasTheBusiestProcesses) {
  for (int i = 0; i < 7; ++i)
    if (const Batch batch = next_batch(loop_); !batch.busiest.empty()) {
      EXPECT_LE(batch.busiest.size(), RecorderLoop::kBusiest);
      return;
    }
  FAIL() << "no processes in seven seconds";
}

}  // namespace
}  // namespace wick
