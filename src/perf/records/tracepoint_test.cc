// SPDX-License-Identifier: Apache-2.0
#include "perf/records/tracepoint.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "builders/perf_data_builder.h"

namespace wick {
namespace {

constexpr std::string_view kSwitch = R"(name: sched_switch
ID: 316
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:char prev_comm[16];	offset:8;	size:16;	signed:0;
	field:pid_t prev_pid;	offset:24;	size:4;	signed:1;
	field:long prev_state;	offset:32;	size:8;	signed:1;

print fmt: "prev_comm=%s field:int x;", REC->prev_comm
)";
constexpr std::string_view kLocated = R"(name: task
ID: 7
format:
	field:__data_loc char[] comm;	offset:8;	size:4;	signed:0;
	field:__rel_loc char[] path;	offset:12;	size:4;	signed:0;
	field:const char * pointer;	offset:16;	size:8;	signed:0;
)";

TEST(Tracepoint, IsReadFromTracingData) {
  const auto formats = read_tracing_data(
      encode_tracing_data({{"sched", kSwitch}, {"other", kLocated}}));
  ASSERT_EQ(formats.size(), 2u);
  EXPECT_EQ(formats[0]->system, "sched");
  EXPECT_EQ(formats[0]->name, "sched_switch");
  EXPECT_EQ(formats[0]->id, 316u);
  EXPECT_EQ(formats[0]->fields.size(), 5u);
  EXPECT_EQ(formats[1]->name, "task");
}

TEST(Tracepoint, FieldHasItsPlaceAndType) {
  const auto formats =
      read_tracing_data(encode_tracing_data({{"sched", kSwitch}}));
  const TracepointField* field = formats[0]->field("prev_comm");
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->type, "char[16]");
  EXPECT_EQ(field->offset, 8u);
  EXPECT_EQ(field->size, 16u);
  EXPECT_FALSE(field->is_signed);
  EXPECT_EQ(formats[0]->field("nothing"), nullptr);
}

TEST(Tracepoint, PointersStarIsOfTheType) {
  const auto formats =
      read_tracing_data(encode_tracing_data({{"x", kLocated}}));
  ASSERT_NE(formats[0]->field("pointer"), nullptr);
  EXPECT_EQ(formats[0]->field("pointer")->type, "const char *");
}

TEST(Tracepoint, IntegersAreExtendedByTheirSign) {
  const auto formats =
      read_tracing_data(encode_tracing_data({{"sched", kSwitch}}));
  const TracepointFormat& format = *formats[0];
  const std::string raw = Bytes()
                              .u16(0xffff)
                              .u16(0)
                              .u32(0xffff'fffe)
                              .bytes("bash")
                              .bytes(std::string(12, '\0'))
                              .u32(42)
                              .u32(0)
                              .u64(1)
                              .str();
  EXPECT_EQ(format.integer(*format.field("common_type"), raw), 0xffff);
  EXPECT_EQ(format.integer(*format.field("common_pid"), raw), -2);
  EXPECT_EQ(format.integer(*format.field("prev_pid"), raw), 42);
  EXPECT_EQ(format.integer(*format.field("prev_state"), raw), 1);
  EXPECT_EQ(format.text(*format.field("prev_comm"), raw), "bash");
}

TEST(Tracepoint, RawBytesOfTheOtherByteOrderAreSwapped) {
  const auto formats =
      read_tracing_data(encode_tracing_data({{"sched", kSwitch}}, true));
  const std::string raw =
      Bytes(true).bytes(std::string(24, '\0')).u32(42).str();
  EXPECT_EQ(formats[0]->integer(*formats[0]->field("prev_pid"), raw), 42);
}

TEST(Tracepoint, LocatedTextsAreFollowed) {
  const auto formats =
      read_tracing_data(encode_tracing_data({{"x", kLocated}}));
  const std::string raw = Bytes()
                              .u64(0)
                              .u32(5 << 16 | 24)  // 5 bytes at 24
                              .u32(3 << 16 | 13)  // 3 bytes at 16 + 13
                              .u64(0)
                              .bytes(std::string_view("init\0", 5))
                              .bytes("/tm")
                              .str();
  const TracepointFormat& format = *formats[0];
  EXPECT_EQ(format.text(*format.field("comm"), raw), "init");
  EXPECT_EQ(format.text(*format.field("path"), raw), "/tm");
}

TEST(Tracepoint, ValuesOutsideOfTheRawBytesAreNone) {
  const auto formats =
      read_tracing_data(encode_tracing_data({{"sched", kSwitch}}));
  const TracepointFormat& format = *formats[0];
  EXPECT_EQ(format.integer(*format.field("prev_state"), std::string(39, 'x')),
            std::nullopt);
  EXPECT_EQ(format.integer(*format.field("prev_state"), ""), std::nullopt);
  EXPECT_EQ(format.text(*format.field("prev_comm"), "abc"), "");
}

TEST(Tracepoint, TracingDataIsReadAsFarAsItGoes) {
  const std::string whole =
      encode_tracing_data({{"sched", kSwitch}, {"x", kLocated}});
  std::size_t most = 0;
  for (std::size_t size = 0; size < whole.size(); ++size)
    most = std::max(most, read_tracing_data(whole.substr(0, size)).size());
  EXPECT_EQ(most, 2u);
}

}  // namespace
}  // namespace wick
