// SPDX-License-Identifier: Apache-2.0
#include "server/history/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "builders/batch_builder.h"
#include "builders/batch_times.h"

namespace wick {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// Remembers what it was given, and can be full.
class FakeStore : public Store {
 public:
  bool put(const Batch& batch) override {
    const std::lock_guard lock(mutex_);
    if (is_full_) {
      ++refused_;
      changed_.notify_all();
      throw StoreFull("the disk is full");
    }
    if (batch.host == "unusable") fail("an unusable batch");
    sequences_.push_back(batch.sequence);
    for (const Loss& loss : batch.losses) losses_.push_back(loss);
    changed_.notify_all();
    return true;
  }
  bool retain(const RetainPolicy& policy, std::int64_t) override {
    const std::lock_guard lock(mutex_);
    if (is_full_) throw StoreFull("the disk is full");
    kept_bytes_ = policy.max_bytes;
    return false;
  }
  std::vector<StoredHost> hosts() override { return {}; }
  Profile profile(const ProfileQuery&) override { return {}; }
  MetricColumns metrics(const MetricQuery&) override { return {}; }
  std::vector<StoredProcess> processes(const HostQuery&) override { return {}; }
  std::vector<StoredLoss> losses(const HostQuery&) override { return {}; }
  std::uint64_t size() override { return 0; }

  void set_full(bool is_full) {
    const std::lock_guard lock(mutex_);
    is_full_ = is_full;
  }
  void wait_for_stored(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sequences_.size() >= count; });
  }
  // The second one comes after it was said that the store is full.
  void wait_for_refusals() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return refused_ > 1; });
  }
  std::vector<std::uint64_t> sequences() {
    const std::lock_guard lock(mutex_);
    return sequences_;
  }
  std::vector<Loss> losses() {
    const std::lock_guard lock(mutex_);
    return losses_;
  }
  std::uint64_t kept_bytes() {
    const std::lock_guard lock(mutex_);
    return kept_bytes_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_full_ = false;
  std::size_t refused_ = 0;
  std::vector<std::uint64_t> sequences_;
  std::vector<Loss> losses_;
  std::uint64_t kept_bytes_ = 0;
};

class Writers : public testing::Test {
 protected:
  void open(std::size_t budget = 1 << 20) {
    writer_ = std::make_unique<Writer>(
        store_,
        WriterOptions{
            .budget = budget,
            .retry = 1ms,
            .stored =
                [this](const std::string&, std::uint64_t sequence) {
                  acknowledged_.push_back(sequence);
                },
            .tell = [this](std::string_view text) { told_.emplace_back(text); },
            .now_ns = [] { return kTen; }});
  }
  // Each is of other ten seconds, so the one before is complete.
  void add(std::uint64_t sequence, std::string_view host = "box") {
    writer_->add(BatchBuilder(sequence)
                     .host(host)
                     .at(kTen + static_cast<std::int64_t>(sequence) * kSumNs)
                     .batch());
  }
  void close() { writer_.reset(); }

  FakeStore store_;
  std::vector<std::uint64_t> acknowledged_;
  std::vector<std::string> told_;
  std::unique_ptr<Writer> writer_;
};

TEST_F(Writers, StoreEachSumAndThenSaySo) {
  open();
  for (const std::uint64_t sequence : {1, 2, 3}) add(sequence);
  close();
  EXPECT_THAT(store_.sequences(), ElementsAre(1, 2, 3));
  EXPECT_THAT(acknowledged_, ElementsAre(1, 2, 3));
}

TEST_F(Writers, StoreWhatIsNotCompleteWhenTheyEnd) {
  open();
  writer_->add(BatchBuilder(1).second(kTen).batch());
  writer_->add(BatchBuilder(2).second(kTen + kSecond).batch());
  close();
  EXPECT_THAT(store_.sequences(), ElementsAre(2));
}

TEST_F(Writers, KeepInMemoryWhatAFullStoreRefuses) {
  store_.set_full(true);
  open();
  add(1);
  store_.wait_for_refusals();
  add(2);
  store_.set_full(false);
  store_.wait_for_stored(2);
  close();
  EXPECT_THAT(store_.sequences(), ElementsAre(1, 2));
  EXPECT_THAT(told_, ElementsAre(HasSubstr("the disk is full"),
                                 HasSubstr("stored again")));
}

TEST_F(Writers, DropTheOldestBeyondTheirBudgetAndStoreHowMany) {
  store_.set_full(true);
  open(1);
  for (const std::uint64_t sequence : {1, 2, 3, 4}) add(sequence);
  EXPECT_EQ(writer_->state().waiting, 2u);
  EXPECT_EQ(writer_->state().lost, 2u);
  store_.set_full(false);
  close();
  EXPECT_THAT(store_.sequences(), ElementsAre(1, 4));
  EXPECT_THAT(store_.losses(),
              ElementsAre(Loss{std::string(Writer::kLossReason), 2}));
}

TEST_F(Writers, EndAlthoughTheStoreIsFull) {
  store_.set_full(true);
  open();
  add(1);
  close();
  EXPECT_THAT(store_.sequences(), SizeIs(0));
}

TEST_F(Writers, PassOverABatchThatCannotBeStored) {
  open();
  add(1, "unusable");
  add(2);
  close();
  EXPECT_THAT(store_.sequences(), ElementsAre(2));
  EXPECT_THAT(told_, ElementsAre(HasSubstr("an unusable batch")));
}

TEST_F(Writers, TakeOverAnotherPolicy) {
  open();
  writer_->set_retain({.max_bytes = 12345});
  add(1);
  close();
  EXPECT_EQ(store_.kept_bytes(), 12345u);
}

}  // namespace
}  // namespace wick
