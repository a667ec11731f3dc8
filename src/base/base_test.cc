// SPDX-License-Identifier: Apache-2.0
// The small parts of base/ that need a line or two each.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <sstream>
#include <vector>

#include "base/bytes.h"
#include "base/edit_distance.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/json_writer.h"
#include "base/parallel.h"
#include "base/regex.h"

namespace wick {
namespace {

TEST(ByteReader, GivesZerosPastTheEndAndReportsIt) {
  ByteReader reader("ab");
  EXPECT_EQ(reader.read<std::uint8_t>(), 'a');
  EXPECT_EQ(reader.read<std::uint32_t>(), 0u);
  EXPECT_TRUE(reader.failed());
  EXPECT_EQ(reader.read<std::uint8_t>(), 0u);
}

TEST(ByteReader, ReadsVarintsThatAppendVarintWrote) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128},
        std::uint64_t{300}, UINT64_MAX}) {
    std::string bytes;
    append_varint(bytes, value);
    ByteReader reader(bytes);
    EXPECT_EQ(reader.read_varint(), value);
    EXPECT_FALSE(reader.failed());
    EXPECT_TRUE(reader.at_end());
  }
}

TEST(ByteReader, RefusesAnEndlessVarint) {
  ByteReader reader(
      std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11));
  reader.read_varint();
  EXPECT_TRUE(reader.failed());
}

TEST(ByteReader, KnowsWhatFits) {
  const ByteReader reader("12345678");
  EXPECT_TRUE(reader.fits(2, 4));
  EXPECT_FALSE(reader.fits(3, 4));
  EXPECT_FALSE(reader.fits(UINT64_MAX, 8));
}

TEST(Zigzag, IsUndone) {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, INT64_MAX, INT64_MIN})
    EXPECT_EQ(unzigzag(zigzag(value)), value);
}

TEST(Saturating, StopsAtTheEnds) {
  EXPECT_EQ(saturating_add(INT64_MAX, 1), INT64_MAX);
  EXPECT_EQ(saturating_add(INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(saturating_mul(INT64_MAX, -2), INT64_MIN);
  EXPECT_EQ(saturating_mul(-3, 4), -12);
}

TEST(HashIndex, FindsEveryRowAmongEqualHashes) {
  HashIndex index;
  for (std::uint32_t i = 0; i < 1000; ++i)
    index.find_or_add(
        i % 3, [](std::uint32_t) { return false; }, [&] { return i; });
  for (std::uint32_t i = 0; i < 1000; ++i)
    EXPECT_EQ(index.find(i % 3, [&](std::uint32_t row) { return row == i; }),
              i);
  EXPECT_EQ(index.find(7, [](std::uint32_t) { return true; }),
            HashIndex::kNone);
}

TEST(EditDistance, CountsInsertedRemovedAndReplacedBytes) {
  EXPECT_EQ(edit_distance("title", "title"), 0u);
  EXPECT_EQ(edit_distance("titel", "title"), 2u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

std::string json(const std::function<void(JsonWriter&)>& write) {
  std::ostringstream out;
  {
    JsonWriter writer(out);
    write(writer);
  }
  return out.str();
}

TEST(JsonWriter, PutsCommasAndColons) {
  EXPECT_EQ(json([](JsonWriter& w) {
              w.begin_object().member("a", 1).key("b").begin_array();
              w.value("x").value(2.5).value(true).null().end_array();
              w.end_object();
            }),
            R"({"a":1,"b":["x",2.5,true,null]})");
}

TEST(JsonWriter, EscapesWhatCouldEndAScript) {
  EXPECT_EQ(json([](JsonWriter& w) { w.value("</script>\xe2\x80\xa8\"\\\n"); }),
            R"("\u003c/script>\u2028\"\\\n")");
}

TEST(JsonWriter, ReplacesInvalidUtf8) {
  EXPECT_EQ(json([](JsonWriter& w) { w.value("\xff"); }), "\"\xef\xbf\xbd\"");
}

TEST(ParallelFor, CallsEveryIndexOnce) {
  std::vector<int> calls(1000);
  parallel_for(calls.size(), 4, [&](std::size_t i) { ++calls[i]; });
  EXPECT_EQ(std::accumulate(calls.begin(), calls.end(), 0), 1000);
  EXPECT_EQ(*std::ranges::max_element(calls), 1);
}

TEST(ParallelFor, BringsErrorsOut) {
  EXPECT_THROW(parallel_for(8, 4,
                            [](std::size_t i) {
                              if (i == 5) fail("no");
                            }),
               Error);
}

TEST(Regex, MatchesAnywhere) {
  EXPECT_TRUE(Regex("ar+se").found_in("sparrse_it"));
  EXPECT_FALSE(Regex("^arse").found_in("parse"));
  EXPECT_TRUE(Regex("PARSE", true).found_in("parse"));
}

TEST(Regex, TakesAVeryLongName) {
  EXPECT_TRUE(Regex("(a|b)*c").found_in(std::string(1'000'000, 'a') + "c"));
}

TEST(InContext, PutsTheWhereInFront) {
  try {
    in_context("file.txt", [] { fail("is empty"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "file.txt: is empty");
  }
}

TEST(InContext, PutsTheWhereBeforeTheSetting) {
  try {
    in_context("file.txt",
               [] { fail_setting(Setting::kTime, "'x' is not a number"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.text([](Setting) -> std::string_view { return "--time"; }),
              "file.txt: --time: 'x' is not a number");
  }
}

}  // namespace
}  // namespace wick
