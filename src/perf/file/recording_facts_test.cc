// SPDX-License-Identifier: Apache-2.0
#include "perf/file/recording_facts.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(RecordingFacts, AreReadAsTheyWereWritten) {
  RecordingFacts facts{.is_finished = true, .begin_time = 1234, .losses = {}};
  facts.losses.note(Problem::kStackTooShort, 3);
  facts.losses.note(Problem::kLostSamples, 17);
  facts.losses.note(Problem::kLargeFile, 2);
  facts.losses.note(Problem::kLargeProcess, 1);
  const auto read = read_facts(encode_facts(facts));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->is_finished);
  EXPECT_EQ(read->begin_time, 1234u);
  EXPECT_EQ(read->losses, facts.losses);
}

TEST(RecordingFacts, SayHowMuchOfTheStacksWasCopied) {
  RecordingFacts facts{.losses = {}, .copied_bytes = 63488};
  facts.losses.note_short_copies(Problem::kStackTooShort, 3, 63488);
  const auto read = read_facts(encode_facts(facts));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->losses, facts.losses);
  EXPECT_EQ(read->losses.entries().at(0).example, "at most 63,488 bytes each");
}

TEST(RecordingFacts, TellWhereTheNamesAre) {
  const auto read = read_facts(encode_facts({.names = {4096, 300}}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->names.offset, 4096u);
  EXPECT_EQ(read->names.size, 300u);
}

TEST(RecordingFacts, SayWhatShareOfTheTimeWasNotSampled) {
  RecordingFacts facts{.losses = {}, .cpu_time = 900'000'000};
  facts.losses.note_time(Problem::kShortLived, 660'000'000, facts.cpu_time);
  const auto read = read_facts(encode_facts(facts));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->losses, facts.losses);
  EXPECT_EQ(read->losses.entries().at(0).whole, facts.cpu_time);
}

TEST(RecordingFacts, TellThatTheRecordingIsNotFinished) {
  const auto read = read_facts(encode_facts({}));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->is_finished);
  EXPECT_FALSE(read->begin_time);
  EXPECT_TRUE(read->losses.empty());
}

TEST(RecordingFacts, OfVersion010AreRead) {
  const auto read = read_facts(
      "wick notes 1\n"
      "begin: 5\n"
      "stack-too-short: 14\n"
      "no-unwind-rule: 0\n"
      "bad-record: 2\n");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->is_finished);
  EXPECT_EQ(read->begin_time, 5u);
  EXPECT_EQ(read->losses.count(Problem::kStackTooShort), 14u);
  EXPECT_EQ(read->losses.count(Problem::kBadRecord), 2u);
  EXPECT_EQ(read->losses.entries().size(), 2u);
}

TEST(RecordingFacts, OfLaterVersionsAreSkipped) {
  const auto read = read_facts("wick notes 1\nweather: fine\nbegin: soon\n");
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->begin_time);
  EXPECT_TRUE(read->losses.empty());
}

TEST(RecordingFacts, AreNotSeenInOtherBytes) {
  EXPECT_FALSE(read_facts(""));
  EXPECT_FALSE(read_facts(std::string(72, '\0')));
  EXPECT_FALSE(read_facts("wick notes 12\n"));
}

}  // namespace
}  // namespace wick
