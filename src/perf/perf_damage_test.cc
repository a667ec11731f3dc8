// SPDX-License-Identifier: Apache-2.0
// perf.data that is cut anywhere, and with any byte changed: it is refused or
// read as far as it goes, and nothing is read outside of it (with sanitizers).
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "base/fuzz_target.h"
#include "builders/perf_data_builder.h"
#include "perf/file/data_file.h"

namespace wick {

extern const FuzzTarget perf_records_fuzz;

namespace {

using namespace sample_type;

std::string small_file(PerfDataBuilder::Options options) {
  PerfDataBuilder file(options);
  file.event({.type = 1,
              .sample_type = kIdentifier | kIp | kTid | kTime | kRead |
                             kCallchain | kRaw | kBranchStack | kRegsUser |
                             kStackUser | kWeight | kAux,
              .read_format = read_format::kGroup | read_format::kId,
              .flags = attr_flag::kSampleIdAll,
              .sample_regs_user = 3},
             "everything");
  file.event({.type = 2,
              .config = 5,
              .sample_type = kIdentifier | kIp | kTid | kTime,
              .flags = attr_flag::kSampleIdAll});
  file.feature(Feature::kArch, file.make().sized_text("x86_64"));
  file.feature(Feature::kTracingData,
               Bytes().bytes(encode_tracing_data(
                   {{"a", "name: b\nID: 5\nfield:int c; offset:0; size:4;\n"}},
                   options.big_endian)));
  file.feature(Feature::kGroupDesc,
               file.make().u32(1).sized_text("g").u32(0).u32(2));
  file.comm(1, 1, "name");
  file.record(RecordType::kNamespaces, 0,
              file.make().u32(1).u32(2).u64(1).u64(3).u64(4), {.time = 1});
  file.record(RecordType::kCallchainDeferred, 0,
              file.make().u64(1).u64(2).u64(3).u64(4), {.time = 2});
  file.sample({.ip = 1,
               .pid = 1,
               .tid = 1,
               .time = 5,
               .read = {2, 1, 2, 3, 4},
               .callchain = {callchain::kUser, 1, 2},
               .raw = "raw!",
               .branches = {1, 2, 3},
               .user_registers = {1, 2},
               .user_stack = "12345678",
               .aux = "aux"});
  file.round();
  file.sample({.event = 1, .ip = 2, .time = 3});
  file.plain(RecordType::kAuxtrace, 0, file.make().u64(8).u64(0));
  file.garbage("8 bytes.");
  file.sample({.event = 1, .ip = 3, .time = 6});
  return file.build();
}

void try_to_read(const std::string& bytes) {
  try {
    perf_records_fuzz.run(bytes);
  } catch (const Error&) {
    // Refusing an input is an answer.
  }
}

class PerfDataDamage : public testing::TestWithParam<PerfDataBuilder::Options> {
};
INSTANTIATE_TEST_SUITE_P(
    Ways, PerfDataDamage,
    testing::Values(PerfDataBuilder::Options{},
                    PerfDataBuilder::Options{.big_endian = true},
                    PerfDataBuilder::Options{.pipe = true},
                    PerfDataBuilder::Options{
                        .packing = PerfDataBuilder::Packing::kCompressed},
                    PerfDataBuilder::Options{
                        .pipe = true,
                        .packing = PerfDataBuilder::Packing::kCompressed2}));

TEST_P(PerfDataDamage, EveryPrefixIsReadOrRefused) {
  const std::string whole = small_file(GetParam());
  for (std::size_t size = 0; size < whole.size(); ++size)
    try_to_read(whole.substr(0, size));
}

TEST_P(PerfDataDamage, EveryChangedByteIsReadOrRefused) {
  const std::string whole = small_file(GetParam());
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(bytes[i] ^ flip);
      try_to_read(bytes);
    }
}

TEST_P(PerfDataDamage, ALongerPrefixGivesAsManySamples) {
  const std::string whole = small_file(GetParam());
  std::uint64_t most = 0;
  for (std::size_t size = 16; size <= whole.size(); ++size) try {
      InputFile input =
          InputFile::from_memory("perf.data", whole.substr(0, size));
      PerfData data(input);
      data.for_each_in_time_order([](const PerfRecord&) {});
      EXPECT_GE(data.counts().samples + data.counts().unknown_ids, most)
          << size;
      most = std::max(most, data.counts().samples);
    } catch (const Error&) {
      EXPECT_EQ(most, 0u) << size;
    }
  EXPECT_EQ(most, 3u);
}

}  // namespace
}  // namespace wick
