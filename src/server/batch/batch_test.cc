// SPDX-License-Identifier: Apache-2.0
#include "server/batch/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Batch small_batch() {
  Batch batch;
  batch.agent = "a1";
  batch.sequence = 7;
  batch.numbers = 3;
  batch.host = "box";
  batch.from_ns = -5;
  batch.to_ns = 1'000'000'000;
  Profile& profile = batch.profile;
  const ModuleId module = profile.module_id("/bin/cat", "0a1b");
  const FrameId main =
      profile.frames.intern({.function = profile.strings.intern("main"),
                             .module = module,
                             .address = 0x1234});
  profile.samples.push_back(
      {.weight = 30,
       .stack = profile.stacks.push(StackId::kRoot, main),
       .thread = profile.thread_id({1, 2, profile.strings.intern("cat")}),
       .event = profile.event_id("cpu-clock", "ns")});
  profile.sample_counts = {3};
  batch.processes = {{1, "cat", "/user.slice", "c0ffee"}};
  batch.metrics = {{"cpu.user", "0", 1.5, 2.5}};
  batch.busiest = {{.seconds = 5,
                    .pid = 1,
                    .name = "cat",
                    .uid = 0,
                    .cpu = 0.5,
                    .read_bytes = 4096,
                    .pss_bytes = 12}};
  batch.losses = {{"no memory", 4}};
  return batch;
}

TEST(Batch, IsTheSameAfterItWasEncoded) {
  const Batch batch = decode_batch(encode(small_batch()));
  EXPECT_EQ(batch.agent, "a1");
  EXPECT_EQ(batch.sequence, 7u);
  EXPECT_EQ(batch.numbers, 3u);
  EXPECT_EQ(batch.host, "box");
  EXPECT_EQ(batch.from_ns, -5);
  EXPECT_EQ(batch.to_ns, 1'000'000'000);
  const Profile& profile = batch.profile;
  ASSERT_EQ(profile.samples.size(), 1u);
  const Sample& sample = profile.samples[0];
  EXPECT_EQ(sample.weight, 30);
  const Frame& frame = profile.frames[profile.stacks.frame(sample.stack)];
  EXPECT_EQ(profile.strings[frame.function], "main");
  EXPECT_EQ(frame.address, 0x1234u);
  EXPECT_EQ(profile.strings[profile.modules[frame.module].build_id], "0a1b");
  EXPECT_THAT(profile.sample_counts, ElementsAre(3));
  EXPECT_EQ(batch.processes, small_batch().processes);
  EXPECT_EQ(batch.metrics, small_batch().metrics);
  EXPECT_EQ(batch.busiest, small_batch().busiest);
  EXPECT_EQ(batch.losses, small_batch().losses);
}

TEST(Batch, CutAnywhereIsAnError) {
  const std::string bytes = encode(small_batch());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(decode_batch(std::string_view(bytes).substr(0, size)), Error)
        << size;
}

TEST(Batch, WithAnyByteChangedIsAnError) {
  const std::string bytes = encode(small_batch());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x21);
    EXPECT_THROW(decode_batch(changed), Error) << i;
  }
}

TEST(Batch, OfALaterVersionSaysSo) {
  std::string bytes = encode(small_batch());
  bytes[7] = 2;
  EXPECT_THAT([&] { decode_batch(bytes); },
              ThrowsMessage<Error>(HasSubstr("update the server")));
}

}  // namespace
}  // namespace wick
