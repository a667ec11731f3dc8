// SPDX-License-Identifier: Apache-2.0
#include "perf/file/notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wick {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Notes, AreReadAsTheyWereWritten) {
  Notes notes;
  notes.set("lost", "3 of 100: too many");
  notes.set("empty", "");
  const auto read = read_notes(notes.encode(true));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->finished);
  EXPECT_THAT(read->lines, ElementsAre(Pair("lost", "3 of 100: too many"),
                                       Pair("empty", "")));
}

TEST(Notes, SayThatTheRecordingWentOn) {
  const auto read = read_notes(Notes().encode(false));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->finished);
}

TEST(Notes, OfTheSameKeyReplaceEachOther) {
  Notes notes;
  notes.set("lost", "1");
  notes.set("lost", "2");
  EXPECT_THAT(read_notes(notes.encode(true))->lines,
              ElementsAre(Pair("lost", "2")));
}

TEST(Notes, CannotBreakOutOfTheirLine) {
  Notes notes;
  notes.set("a:b", "x\ny: z");
  EXPECT_THAT(read_notes(notes.encode(true))->lines,
              ElementsAre(Pair("a.b", "x y: z")));
}

TEST(Notes, AreNotSeenInWhatIsNone) {
  EXPECT_FALSE(read_notes(""));
  EXPECT_FALSE(read_notes(std::string(72, '\0')));
  EXPECT_FALSE(read_notes("wick notes 12\n"));
}

}  // namespace
}  // namespace wick
