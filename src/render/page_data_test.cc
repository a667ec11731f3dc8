// SPDX-License-Identifier: Apache-2.0
#include "render/page_data.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/text.h"
#include "builders/read.h"
#include "render/page_stacks.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Reads what page_data wrote, as web/data.js does.
struct Page {
  std::string json;
  struct Column {
    std::uint64_t rows = 0;
    std::string bytes;
  };
  std::map<std::string, Column> columns;

  explicit Page(const std::string& data) {
    ByteReader reader(data);
    EXPECT_EQ(reader.read_bytes(8), kPageMagic);
    EXPECT_EQ(reader.read<std::uint32_t>(), kPageVersion);
    json = reader.read_bytes(reader.read<std::uint32_t>());
    std::string_view list = json;
    list.remove_prefix(list.find("\"columns\":[") + 11);
    while (list.starts_with("[\"") || list.starts_with(",[\"")) {
      list.remove_prefix(list.find('"') + 1);
      const std::string name(take_until(list, '"'));
      list.remove_prefix(1);
      Column& column = columns[name];
      column.rows = *to_number<std::uint64_t>(take_until(list, ','));
      const auto size = *to_number<std::uint64_t>(take_until(list, ']'));
      column.bytes = reader.read_bytes(size);
    }
    EXPECT_FALSE(reader.failed());
    EXPECT_TRUE(reader.at_end());
  }

  std::vector<std::uint64_t> numbers(const std::string& name) const {
    std::vector<std::uint64_t> out;
    ByteReader reader(columns.at(name).bytes);
    while (!reader.at_end()) out.push_back(reader.read_varint());
    EXPECT_EQ(out.size(), columns.at(name).rows);
    return out;
  }
  std::vector<std::int64_t> sums(const std::string& name) const {
    std::vector<std::int64_t> out;
    std::int64_t value = 0;
    for (const std::uint64_t n : numbers(name))
      out.push_back(value += unzigzag(n));
    return out;
  }
  std::vector<std::string> strings() const {
    std::vector<std::string> out;
    std::string_view text = columns.at("text").bytes;
    for (const std::uint64_t size : numbers("string_size")) {
      out.emplace_back(text.substr(0, size));
      text.remove_prefix(size);
    }
    return out;
  }
};

Page page_of(const Profile& profile, const WriteOptions& options = {}) {
  return Page(page_data(profile, options));
}

// Number, parent and function of each node after the root.
std::string nodes_of(const PageStacks& stacks) {
  std::string out;
  for (std::size_t i = 1; i < stacks.nodes.size(); ++i)
    out += fmt::format(
        "{} {} {}\n", i, stacks.nodes[i].parent,
        stacks.functions[stacks.frames[stacks.nodes[i].frame].function]);
  return out;
}

// Samples of one function each, at these times.
Profile timed(const std::vector<std::pair<std::uint64_t, std::string>>& all) {
  Profile profile;
  profile.has_time = true;
  const EventId event = profile.event_id("cycles");
  for (const auto& [time, function] : all)
    profile.samples.push_back(
        {.time = time,
         .weight = 10,
         .stack =
             profile.stacks.push(StackId::kRoot, profile.named_frame(function)),
         .event = event});
  return profile;
}

TEST(PageStacks, AreInPreorderWithSiblingsByName) {
  const Profile profile = read_text("folded", "m;z 1\nm;a;b 1\nc 1\nm;a 1\n");
  EXPECT_EQ(nodes_of(page_stacks(profile, {})),
            "1 0 c\n"
            "2 0 m\n"
            "3 2 a\n"
            "4 3 b\n"
            "5 2 z\n");
}

TEST(PageStacks, KeepLinesApartUnderOneName) {
  Profile profile;
  const EventId event = profile.event_id("cycles");
  for (const std::uint32_t line : {7u, 3u})
    profile.samples.push_back(
        {.weight = 1,
         .stack = profile.stacks.push(
             StackId::kRoot,
             profile.frames.intern({.function = profile.strings.intern("f"),
                                    .file = profile.strings.intern("f.c"),
                                    .line = line})),
         .event = event});
  const PageStacks stacks = page_stacks(profile, {});
  EXPECT_THAT(stacks.functions, ElementsAre("f"));
  ASSERT_EQ(stacks.frames.size(), 2u);
  EXPECT_EQ(stacks.frames[0].line, 3u);
  EXPECT_EQ(stacks.frames[1].line, 7u);
  EXPECT_THAT(stacks.node_of_sample, ElementsAre(2, 1));
}

TEST(PageStacks, PutThreadsOfOneNameUnderOneRoot) {
  const Profile profile = read_text("perf-script",
                                    "make 12/34 1.0: 1 cycles: \n\t1 f (m)\n\n"
                                    "make 12/35 2.0: 1 cycles: \n\t1 f (m)\n\n"
                                    "sh 13/13 3.0: 1 cycles: \n\t1 f (m)\n\n");
  EXPECT_EQ(nodes_of(page_stacks(profile, {})),
            "1 0 make\n"
            "2 1 f\n"
            "3 0 sh\n"
            "4 3 f\n");
}

TEST(PageStacks, CutWhatIsTooDeep) {
  const Profile profile = read_text("folded", "a;b;c;d 1\n");
  const PageStacks stacks = page_stacks(profile, {.max_depth = 2});
  EXPECT_EQ(nodes_of(stacks), "1 0 a\n2 1 b\n");
  EXPECT_EQ(stacks.too_deep, 2u);
  EXPECT_THAT(stacks.node_of_sample, ElementsAre(2));
}

TEST(PageData, HoldsNodesAndSamples) {
  const Page page = page_of(read_text("folded", "m;a 5\nm 2\n"));
  EXPECT_THAT(page.strings(), ElementsAre("a", "m", ""));
  EXPECT_THAT(page.numbers("frame_function"), ElementsAre(0, 1));
  EXPECT_THAT(page.numbers("node_parent"), ElementsAre(1, 1));
  EXPECT_THAT(page.numbers("node_frame"), ElementsAre(1, 0));
  EXPECT_THAT(page.sums("sample_node"), ElementsAre(1, 2));
  EXPECT_THAT(page.numbers("sample_weight"), ElementsAre(2, 5));
}

TEST(PageData, HoldsTimesAsMicrosecondsFromTheFirstSample) {
  const Page page =
      page_of(timed({{5'000'000, "a"}, {5'001'500, "b"}, {5'003'000, "a"}}));
  EXPECT_THAT(page.json, HasSubstr("\"tick_ns\":1000,\"start_ns\":5000000"));
  EXPECT_THAT(page.sums("sample_tick"), ElementsAre(0, 1, 3));
  EXPECT_THAT(page.sums("sample_node"), ElementsAre(1, 2, 1));
}

TEST(PageData, HoldsTheTimesOfATraceAsNanoseconds) {
  Profile profile = timed({{5'000, "a"}, {5'010, "b"}, {5'013, "a"}});
  profile.events[EventId{0}].unit = profile.strings.intern("cycles");
  profile.events[EventId{0}].time = TimeKind::kTraceClock;
  const Page page = page_of(profile);
  EXPECT_THAT(page.json, HasSubstr("\"tick_ns\":1,\"start_ns\":5000"));
  EXPECT_THAT(page.json, HasSubstr("\"unit_ns\":1,\"is_clock\":true"));
  EXPECT_THAT(page.sums("sample_tick"), ElementsAre(0, 10, 13));
}

TEST(PageData, HasNoTickThatJavaScriptCannotCountTo) {
  Profile profile = timed({{0, "a"}, {20'000'000'000'000'000, "b"}});
  profile.events[EventId{0}].time = TimeKind::kTraceClock;
  const Page page = page_of(profile);
  EXPECT_THAT(page.json, HasSubstr("\"tick_ns\":1000,"));
  EXPECT_THAT(page.sums("sample_tick"), ElementsAre(0, 20'000'000'000'000));
}

TEST(PageData, AddsUpWhatIsTooMuchInCellsAndReportsIt) {
  const Profile profile = timed({{0, "a"},
                                 {100'000, "a"},
                                 {200'000, "b"},
                                 {900'000, "a"},
                                 {1'100'000, "a"}});
  const Page page(page_data(profile, {}, {.samples = 3}));
  EXPECT_THAT(page.json, HasSubstr("\"tick_ns\":1000000"));
  EXPECT_THAT(page.json, HasSubstr("\"summed\":true,\"samples\":5"));
  EXPECT_THAT(page.sums("sample_tick"), ElementsAre(0, 0, 1));
  EXPECT_THAT(page.sums("sample_node"), ElementsAre(1, 2, 1));
  EXPECT_THAT(page.numbers("sample_weight"), ElementsAre(30, 10, 10));
}

TEST(PageData, ReportsWhatWasLost) {
  Profile profile = read_text("folded", "a 1\n");
  profile.diagnostics.note(Problem::kLostSamples, 7);
  profile.set_about("command", "./a </script>");
  const Page page = page_of(profile);
  EXPECT_THAT(page.json, HasSubstr("\"loss\":true"));
  EXPECT_THAT(page.json, HasSubstr("\"command\""));
}

TEST(PageData, NamesTheSidesOfADifference) {
  const Page page = page_of(read_text("folded", "a 1 2\nb 3 0\n"));
  EXPECT_THAT(page.json, HasSubstr("\"role\":\"before\""));
  EXPECT_THAT(page.json, HasSubstr("\"side_samples\":[4,2]"));
}

TEST(Base64, IsThatOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

}  // namespace
}  // namespace wick
