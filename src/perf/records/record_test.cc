// SPDX-License-Identifier: Apache-2.0
#include "perf/records/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders/perf_data_builder.h"
#include "perf/file/data_file.h"

namespace wick {
namespace {

using namespace sample_type;
using testing::ElementsAre;

// Each record in both byte orders, followed by a trailer.
class DecodedRecord : public testing::TestWithParam<bool> {
 protected:
  DecodedRecord() : file_({.big_endian = GetParam()}) {
    file_.event({.sample_type = kIp | kTid | kTime | kCpu,
                 .read_format = read_format::kTimeEnabled | read_format::kId,
                 .flags = attr_flag::kSampleIdAll | attr_flag::kBuildId});
  }

  Bytes make() const { return file_.make(); }

  // Writes one record and reads it back.
  const PerfRecord& read(RecordType type, std::uint16_t misc,
                         const Bytes& body) {
    file_.record(type, misc, body, {.pid = 5, .tid = 6, .time = 7, .cpu = 8});
    input_.emplace(file_.input());
    data_.emplace(*input_);
    EXPECT_TRUE(data_->next(record_));
    EXPECT_EQ(record_.type, type);
    EXPECT_EQ(record_.time, 7u);
    return record_;
  }

  PerfDataBuilder file_;
  std::optional<InputFile> input_;
  std::optional<PerfData> data_;
  PerfRecord record_;
};
INSTANTIATE_TEST_SUITE_P(ByteOrder, DecodedRecord, testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Big" : "Little";
                         });

TEST_P(DecodedRecord, EndsWithWhereAndWhenItWasWritten) {
  const RecordId id = decode_record_id(
      read(RecordType::kComm, 0, make().u32(1).u32(1).name("x")));
  EXPECT_EQ(id.pid, 5u);
  EXPECT_EQ(id.tid, 6u);
  EXPECT_EQ(id.time, 7u);
  EXPECT_EQ(id.cpu, 8u);
  EXPECT_EQ(id.fields, kTid | kTime | kCpu);
}

TEST_P(DecodedRecord, MmapNamesAFileAtAnAddress) {
  const auto mmap = decode_mmap(
      read(RecordType::kMmap, 0,
           make().u32(1).u32(2).u64(0x7000).u64(0x2000).u64(0x1000).name(
               "/usr/bin/true")));
  ASSERT_TRUE(mmap);
  EXPECT_EQ(mmap->pid, 1u);
  EXPECT_EQ(mmap->tid, 2u);
  EXPECT_EQ(mmap->start, 0x7000u);
  EXPECT_EQ(mmap->size, 0x2000u);
  EXPECT_EQ(mmap->page_offset, 0x1000u);
  EXPECT_EQ(mmap->path, "/usr/bin/true");
  EXPECT_FALSE(mmap->is_data);
}

TEST_P(DecodedRecord, Mmap2HasInodeAndProtection) {
  const auto mmap = decode_mmap(read(RecordType::kMmap2, misc::kMmapData,
                                     make()
                                         .u32(1)
                                         .u32(2)
                                         .u64(0x7000)
                                         .u64(0x2000)
                                         .u64(0)
                                         .u32(8)
                                         .u32(3)
                                         .u64(1234)
                                         .u64(5)
                                         .u32(1)
                                         .u32(2)
                                         .name("/lib/x.so")));
  ASSERT_TRUE(mmap);
  EXPECT_EQ(mmap->dev_major, 8u);
  EXPECT_EQ(mmap->dev_minor, 3u);
  EXPECT_EQ(mmap->inode, 1234u);
  EXPECT_EQ(mmap->inode_generation, 5u);
  EXPECT_EQ(mmap->protection, 1u);
  EXPECT_EQ(mmap->flags, 2u);
  EXPECT_TRUE(mmap->is_data);
  EXPECT_EQ(mmap->path, "/lib/x.so");
}

TEST_P(DecodedRecord, Mmap2HasABuildIdInPlaceOfTheInode) {
  const auto mmap = decode_mmap(read(RecordType::kMmap2, misc::kMmapBuildId,
                                     make()
                                         .u32(1)
                                         .u32(2)
                                         .u64(0x7000)
                                         .u64(0x2000)
                                         .u64(0)
                                         .u8(4)
                                         .u8(0)
                                         .u16(0)
                                         .bytes("\xde\xad\xbe\xef")
                                         .bytes(std::string(16, '\0'))
                                         .u32(5)
                                         .u32(2)
                                         .name("/lib/x.so")));
  ASSERT_TRUE(mmap);
  EXPECT_EQ(mmap->build_id, "\xde\xad\xbe\xef");
  EXPECT_EQ(mmap->inode, 0u);
  EXPECT_EQ(mmap->protection, 5u);
  EXPECT_EQ(mmap->path, "/lib/x.so");
}

// A mapping with the bit of a build id, of an event with these flags.
std::optional<MmapRecord> mapping_with_bit(std::uint64_t attr_flags,
                                           const Bytes& identity) {
  static PerfEvent event;
  event.attr.flags = attr_flags;
  static std::string body;
  body = Bytes()
             .u32(1)
             .u32(2)
             .u64(0x7000)
             .u64(0x2000)
             .u64(0)
             .bytes(identity.str())
             .u32(5)
             .u32(2)
             .name("/lib/x.so")
             .str();
  return decode_mmap({.type = RecordType::kMmap2,
                      .misc = misc::kUser | misc::kMmapBuildId,
                      .body = body,
                      .event = &event});
}

Bytes device_and_inode(std::uint32_t major) {
  return Bytes().u32(major).u32(1).u64(1234).u64(0);
}

TEST(MmapRecord, TheBitThatTheKernelLeftFromAnotherProgramIsNoBuildId) {
  for (const std::uint32_t major : {0, 7, 8, 254, 259}) {
    const auto mmap = mapping_with_bit(0, device_and_inode(major));
    ASSERT_TRUE(mmap);
    EXPECT_EQ(mmap->build_id, "") << major;
    EXPECT_EQ(mmap->dev_major, major);
    EXPECT_EQ(mmap->inode, 1234u);
    EXPECT_EQ(mmap->protection, 5u);
    EXPECT_EQ(mmap->path, "/lib/x.so");
  }
}

TEST(MmapRecord, ABuildIdIsNotLongerThanItsPlace) {
  const auto mmap =
      mapping_with_bit(attr_flag::kBuildId, device_and_inode(254));
  ASSERT_TRUE(mmap);
  EXPECT_EQ(mmap->build_id, "");
  EXPECT_EQ(mmap->dev_major, 254u);
}

TEST(MmapRecord, ARecorderMayWriteABuildIdThatItDidNotAskTheKernelFor) {
  const std::string id(20, 'i');
  const auto mmap = mapping_with_bit(0, Bytes().u32(20).bytes(id));
  ASSERT_TRUE(mmap);
  EXPECT_EQ(mmap->build_id, id);
}

TEST_P(DecodedRecord, CommNamesAThread) {
  const auto comm = decode_comm(read(RecordType::kComm, misc::kCommExec,
                                     make().u32(1).u32(2).name("my thread")));
  ASSERT_TRUE(comm);
  EXPECT_EQ(comm->pid, 1u);
  EXPECT_EQ(comm->tid, 2u);
  EXPECT_TRUE(comm->exec);
  EXPECT_EQ(comm->name, "my thread");
}

TEST_P(DecodedRecord, ForkHasParentAndTime) {
  const auto task = decode_task(
      read(RecordType::kFork, 0, make().u32(10).u32(1).u32(11).u32(2).u64(99)));
  ASSERT_TRUE(task);
  EXPECT_EQ(task->pid, 10u);
  EXPECT_EQ(task->parent_pid, 1u);
  EXPECT_EQ(task->tid, 11u);
  EXPECT_EQ(task->parent_tid, 2u);
  EXPECT_EQ(task->time, 99u);
}

TEST_P(DecodedRecord, LostHasItsEventAndNumber) {
  const auto lost =
      decode_lost(read(RecordType::kLost, 0, make().u64(101).u64(33)));
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->id, 101u);
  EXPECT_EQ(lost->lost, 33u);
}

TEST_P(DecodedRecord, LostSamplesHasANumberAlone) {
  const auto lost =
      decode_lost(read(RecordType::kLostSamples, 0, make().u64(44)));
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->lost, 44u);
}

TEST_P(DecodedRecord, ThrottleHasTimeAndEvent) {
  const auto throttle = decode_throttle(
      read(RecordType::kThrottle, 0, make().u64(1).u64(2).u64(3)));
  ASSERT_TRUE(throttle);
  EXPECT_EQ(throttle->time, 1u);
  EXPECT_EQ(throttle->id, 2u);
  EXPECT_EQ(throttle->stream_id, 3u);
}

TEST_P(DecodedRecord, ReadHasTheFieldsOfItsFormat) {
  const auto value = decode_read(
      read(RecordType::kRead, 0, make().u32(1).u32(2).u64(100).u64(7).u64(9)));
  ASSERT_TRUE(value);
  EXPECT_EQ(value->value, 100u);
  EXPECT_EQ(value->time_enabled, 7u);
  EXPECT_EQ(value->time_running, 0u);
  EXPECT_EQ(value->id, 9u);
}

TEST_P(DecodedRecord, SwitchOutMayBeAPreemption) {
  const auto out = decode_switch(read(
      RecordType::kSwitch, misc::kSwitchOut | misc::kSwitchOutPreempt, make()));
  ASSERT_TRUE(out);
  EXPECT_TRUE(out->out);
  EXPECT_TRUE(out->preempted);
}

TEST_P(DecodedRecord, SwitchCpuWideNamesTheOtherThread) {
  const auto in = decode_switch(
      read(RecordType::kSwitchCpuWide, 0, make().u32(30).u32(31)));
  ASSERT_TRUE(in);
  EXPECT_FALSE(in->out);
  EXPECT_EQ(in->other_pid, 30u);
  EXPECT_EQ(in->other_tid, 31u);
}

TEST_P(DecodedRecord, NamespacesHasALinkForEachKind) {
  const auto spaces = decode_namespaces(
      read(RecordType::kNamespaces, 0,
           make().u32(1).u32(2).u64(2).u64(3).u64(4026).u64(3).u64(4027)));
  ASSERT_TRUE(spaces);
  EXPECT_EQ(spaces->count, 2u);
  EXPECT_EQ(spaces->links[0].dev, 3u);
  EXPECT_EQ(spaces->links[1].inode, 4027u);
}

TEST_P(DecodedRecord, NamespacesWithMoreLinksThanBytesIsDamaged) {
  EXPECT_FALSE(decode_namespaces(
      read(RecordType::kNamespaces, 0, make().u32(1).u32(2).u64(1u << 30))));
}

TEST_P(DecodedRecord, CgroupHasIdAndPath) {
  const auto cgroup = decode_cgroup(
      read(RecordType::kCgroup, 0, make().u64(12).name("/system.slice")));
  ASSERT_TRUE(cgroup);
  EXPECT_EQ(cgroup->id, 12u);
  EXPECT_EQ(cgroup->path, "/system.slice");
}

TEST_P(DecodedRecord, KsymbolHasAddressAndName) {
  const auto symbol = decode_ksymbol(
      read(RecordType::kKsymbol, 0,
           make().u64(0xffffffffc0000000).u32(64).u16(1).u16(1).name("bpf_x")));
  ASSERT_TRUE(symbol);
  EXPECT_EQ(symbol->start, 0xffffffffc0000000u);
  EXPECT_EQ(symbol->size, 64u);
  EXPECT_EQ(symbol->type, 1);
  EXPECT_TRUE(symbol->unregister);
  EXPECT_EQ(symbol->name, "bpf_x");
}

TEST_P(DecodedRecord, BpfEventHasIdAndTag) {
  const auto bpf =
      decode_bpf(read(RecordType::kBpfEvent, 0,
                      make().u16(1).u16(2).u32(77).bytes("tagtagta")));
  ASSERT_TRUE(bpf);
  EXPECT_EQ(bpf->type, 1);
  EXPECT_EQ(bpf->flags, 2);
  EXPECT_EQ(bpf->id, 77u);
  EXPECT_EQ(bpf->tag, "tagtagta");
}

TEST_P(DecodedRecord, TextPokeHasTheOldAndTheNewBytes) {
  const auto poke = decode_text_poke(
      read(RecordType::kTextPoke, 0,
           make().u64(0x1000).u16(2).u16(3).bytes("ab").bytes("xyz")));
  ASSERT_TRUE(poke);
  EXPECT_EQ(poke->address, 0x1000u);
  EXPECT_EQ(poke->old_bytes, "ab");
  EXPECT_EQ(poke->new_bytes, "xyz");
}

TEST_P(DecodedRecord, AuxHasOffsetSizeAndFlags) {
  const auto aux =
      decode_aux(read(RecordType::kAux, 0, make().u64(1).u64(2).u64(3)));
  ASSERT_TRUE(aux);
  EXPECT_EQ(aux->offset, 1u);
  EXPECT_EQ(aux->size, 2u);
  EXPECT_EQ(aux->flags, 3u);
}

TEST_P(DecodedRecord, ItraceStartNamesAThread) {
  const auto start = decode_itrace_start(
      read(RecordType::kItraceStart, 0, make().u32(1).u32(2)));
  ASSERT_TRUE(start);
  EXPECT_EQ(start->tid, 2u);
}

TEST_P(DecodedRecord, CallchainDeferredHasACookieAndAddresses) {
  std::vector<std::uint64_t> swapped;
  const auto chain =
      decode_deferred(read(RecordType::kCallchainDeferred, 0,
                           make().u64(0xc00c1e).u64(2).u64(0x10).u64(0x20)),
                      swapped);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->cookie, 0xc00c1eu);
  EXPECT_THAT(chain->callchain, ElementsAre(0x10, 0x20));
}

TEST_P(DecodedRecord, CallchainDeferredDoesNotReachIntoTheTrailer) {
  std::vector<std::uint64_t> swapped;
  EXPECT_FALSE(decode_deferred(
      read(RecordType::kCallchainDeferred, 0, make().u64(1).u64(1)), swapped));
}

TEST_P(DecodedRecord, ThatIsTooShortForItsKindIsDamaged) {
  const PerfRecord& record = read(RecordType::kMmap, 0, make().u32(1).u32(2));
  EXPECT_FALSE(decode_mmap(record));
  EXPECT_FALSE(decode_task(record));
  EXPECT_FALSE(decode_throttle(record));
  EXPECT_FALSE(decode_ksymbol(record));
}

TEST_P(DecodedRecord, NameThatFillsItsPlaceNeedsNoZero) {
  const auto comm = decode_comm(
      read(RecordType::kComm, 0, make().u32(1).u32(2).bytes("12345678")));
  ASSERT_TRUE(comm);
  EXPECT_EQ(comm->name, "12345678");
}

}  // namespace
}  // namespace wick
