// SPDX-License-Identifier: Apache-2.0
#include "perf/records/record_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/bytes.h"

namespace wick {
namespace {

using namespace sample_type;

EventAttr attr_with(std::uint64_t fields) {
  EventAttr attr;
  attr.sample_type = fields;
  attr.flags = attr_flag::kSampleIdAll;
  return attr;
}

// Reads a record as a file's reader does.
struct Decoded {
  explicit Decoded(std::string_view bytes, const EventAttr& attr)
      : bytes(bytes), event{.attr = attr, .layout = id_layout(attr)} {
    ByteReader in(this->bytes);
    record.type = static_cast<RecordType>(in.read<std::uint32_t>());
    record.misc = in.read<std::uint16_t>();
    EXPECT_EQ(in.read<std::uint16_t>(), bytes.size());
    EXPECT_EQ(bytes.size() % 8, 0u);
    record.body = std::string_view(this->bytes).substr(kRecordHeaderSize);
    record.event = &event;
  }
  Decoded(const Decoded&) = delete;

  std::string bytes;
  PerfEvent event;
  PerfRecord record;
};

const EventAttr kAttr = attr_with(kTid | kTime | kId | kStreamId | kCpu);

TEST(RecordEncoder, WritesTheTrailerOfItsEvent) {
  for (const std::uint64_t fields : {kTid | kTime, kTime | kIdentifier,
                                     kTid | kTime | kId | kStreamId | kCpu,
                                     kIp | kPeriod, std::uint64_t{0}}) {
    const EventAttr attr = attr_with(fields);
    RecordEncoder encoder(attr, 77, 123'456);
    const Decoded decoded(encoder.comm({.pid = 7, .tid = 8, .name = "prog"}),
                          attr);
    const RecordId id = decode_record_id(decoded.record);
    if (fields & kTid) {
      EXPECT_EQ(id.pid, 7u);
      EXPECT_EQ(id.tid, 8u);
    }
    if (fields & kTime) {
      EXPECT_EQ(id.time, 123'456u);
    }
    if (fields & (kId | kIdentifier)) {
      EXPECT_EQ(id.id, 77u);
    }
    EXPECT_EQ(decode_comm(decoded.record)->name, "prog");
  }
}

TEST(RecordEncoder, WritesNoTrailerWhereTheEventHasNone) {
  EventAttr attr = kAttr;
  attr.flags = 0;
  RecordEncoder encoder(attr, 77, 1);
  EXPECT_EQ(encoder.comm({.pid = 7, .tid = 8, .name = "prog"}).size(), 24u);
}

TEST(RecordEncoder, NamesEndWithANulWhateverTheirLength) {
  RecordEncoder encoder(kAttr, 0, 0);
  for (std::size_t size = 0; size < 20; ++size) {
    const std::string name(size, 'n');
    const Decoded decoded(encoder.comm({.name = name}), kAttr);
    EXPECT_EQ(decode_comm(decoded.record)->name, name);
  }
}

TEST(RecordEncoder, ANameThatIsTooLongIsCut) {
  RecordEncoder encoder(kAttr, 0, 0);
  const Decoded decoded(encoder.mmap2({.path = std::string(100'000, 'n')}),
                        kAttr);
  EXPECT_EQ(decode_mmap(decoded.record)->path, std::string(4095, 'n'));
}

TEST(RecordEncoder, SamplesAreReadBack) {
  EventAttr attr = attr_with(kIdentifier | kIp | kTid | kTime | kCpu | kPeriod |
                             kCallchain | kRaw | kRegsUser | kStackUser);
  attr.sample_regs_user = 0b1'1000'0000;
  const std::uint64_t chain[] = {callchain::kKernel, 1, 2},
                      registers[] = {8, 9};
  PerfSample sample;
  sample.ip = 1;
  sample.pid = 5;
  sample.tid = 6;
  sample.cpu = 3;
  sample.period = 1;
  sample.callchain = chain;
  sample.raw = "raw";
  sample.user_registers = {
      .abi = kRegsAbi64, .mask = attr.sample_regs_user, .values = registers};
  sample.user_stack = "a stack";
  const Decoded decoded(RecordEncoder(attr, 77, 99).sample(sample, misc::kUser),
                        attr);
  PerfSample read;
  ASSERT_TRUE(decode_sample(decoded.record, read));
  EXPECT_EQ(decoded.record.misc, misc::kUser);
  EXPECT_EQ(read.id, 77u);
  EXPECT_EQ(read.time, 99u);
  EXPECT_EQ(read.ip, 1u);
  EXPECT_EQ(read.pid, 5u);
  EXPECT_EQ(read.tid, 6u);
  EXPECT_EQ(read.cpu, 3u);
  EXPECT_EQ(read.period, 1u);
  EXPECT_TRUE(std::ranges::equal(read.callchain, chain));
  EXPECT_EQ(read.raw, std::string_view("raw\0", 4));
  EXPECT_TRUE(std::ranges::equal(read.user_registers.values, registers));
  EXPECT_EQ(read.user_stack, "a stack");
}

TEST(RecordEncoder, AStackThatIsTooLargeForARecordIsCut) {
  const EventAttr attr = attr_with(kTid | kStackUser);
  PerfSample sample;
  const std::string stack(100'000, 's');
  sample.user_stack = stack;
  const Decoded decoded(RecordEncoder(attr, 0, 0).sample(sample, 0), attr);
  PerfSample read;
  ASSERT_TRUE(decode_sample(decoded.record, read));
  EXPECT_EQ(read.user_stack, std::string(65528 - 8 - 8 - 16, 's'));
}

TEST(RecordEncoder, TasksAreReadBack) {
  RecordEncoder encoder(kAttr, 0, 5);
  const Decoded decoded(
      encoder.fork(
          {.pid = 1, .parent_pid = 2, .tid = 3, .parent_tid = 4, .time = 5},
          misc::kForkExec),
      kAttr);
  EXPECT_EQ(decoded.record.type, RecordType::kFork);
  EXPECT_EQ(decoded.record.misc, misc::kForkExec);
  const auto task = decode_task(decoded.record);
  ASSERT_TRUE(task);
  EXPECT_EQ(task->pid, 1u);
  EXPECT_EQ(task->parent_pid, 2u);
  EXPECT_EQ(task->tid, 3u);
  EXPECT_EQ(task->parent_tid, 4u);
  EXPECT_EQ(task->time, 5u);
}

TEST(RecordEncoder, MappingsAreReadBack) {
  RecordEncoder encoder(kAttr, 0, 5);
  const Decoded decoded(encoder.mmap2({.pid = 1,
                                       .tid = 2,
                                       .start = 0x1000,
                                       .size = 0x2000,
                                       .page_offset = 0x3000,
                                       .dev_major = 8,
                                       .dev_minor = 1,
                                       .inode = 99,
                                       .protection = 5,
                                       .flags = 2,
                                       .path = "/usr/bin/prog"}),
                        kAttr);
  EXPECT_EQ(decoded.record.cpu_mode(), misc::kUser);
  const auto mapping = decode_mmap(decoded.record);
  ASSERT_TRUE(mapping);
  EXPECT_EQ(mapping->pid, 1u);
  EXPECT_EQ(mapping->tid, 2u);
  EXPECT_EQ(mapping->start, 0x1000u);
  EXPECT_EQ(mapping->size, 0x2000u);
  EXPECT_EQ(mapping->page_offset, 0x3000u);
  EXPECT_EQ(mapping->dev_major, 8u);
  EXPECT_EQ(mapping->dev_minor, 1u);
  EXPECT_EQ(mapping->inode, 99u);
  EXPECT_EQ(mapping->protection, 5u);
  EXPECT_EQ(mapping->flags, 2u);
  EXPECT_FALSE(mapping->is_data);
  EXPECT_EQ(mapping->path, "/usr/bin/prog");
}

TEST(RecordEncoder, ABuildIdReplacesTheInode) {
  RecordEncoder encoder(kAttr, 0, 5);
  const Decoded decoded(
      encoder.mmap2({.inode = 9, .build_id = "0123456789abcdef", .path = "/x"}),
      kAttr);
  const auto mapping = decode_mmap(decoded.record);
  ASSERT_TRUE(mapping);
  EXPECT_EQ(mapping->build_id, "0123456789abcdef");
  EXPECT_EQ(mapping->inode, 0u);
  EXPECT_EQ(mapping->path, "/x");
}

TEST(RecordEncoder, KernelSymbolsAreReadBack) {
  RecordEncoder encoder(kAttr, 0, 5);
  const Decoded decoded(
      encoder.kernel_symbol(
          {.start = 0xffff0000, .size = 64, .type = 1, .name = "bpf_prog_1_x"}),
      kAttr);
  const auto symbol = decode_ksymbol(decoded.record);
  ASSERT_TRUE(symbol);
  EXPECT_EQ(symbol->start, 0xffff0000u);
  EXPECT_EQ(symbol->size, 64u);
  EXPECT_EQ(symbol->type, 1u);
  EXPECT_FALSE(symbol->unregister);
  EXPECT_EQ(symbol->name, "bpf_prog_1_x");
}

TEST(RecordEncoder, LostSamplesAreReadBack) {
  RecordEncoder encoder(kAttr, 0, 5);
  const Decoded decoded(encoder.lost_samples(44), kAttr);
  EXPECT_EQ(decoded.record.type, RecordType::kLostSamples);
  EXPECT_EQ(decode_lost(decoded.record)->lost, 44u);
}

TEST(RecordEncoder, NamespacesAndCgroupsAreReadBack) {
  RecordEncoder encoder(kAttr, 0, 5);
  NamespacesRecord namespaces{.pid = 3, .tid = 3, .count = 2};
  namespaces.links[1] = {4, 5};
  const Decoded decoded(encoder.namespaces(namespaces), kAttr);
  const auto read = decode_namespaces(decoded.record);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->count, 2u);
  EXPECT_EQ(read->links[1].dev, 4u);
  EXPECT_EQ(read->links[1].inode, 5u);
  const Decoded group(encoder.cgroup({.id = 6, .path = "/a"}), kAttr);
  EXPECT_EQ(decode_cgroup(group.record)->id, 6u);
  EXPECT_EQ(decode_cgroup(group.record)->path, "/a");
}

}  // namespace
}  // namespace wick
