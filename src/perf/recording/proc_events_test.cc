// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/proc_events.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/bytes.h"
#include "base/text.h"
#include "builders/child.h"
#include "builders/fake_system.h"
#include "object/elf/elf_file.h"
#include "perf/events/kernel_limits.h"
#include "perf/events/proc_files.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// --- Lines ------------------------------------------------------------------

TEST(ProcMaps, ALineOfAFile) {
  const auto m = parse_maps_line(
      "55d0c8a00000-55d0c8a2c000 r-xp 00002000 fd:01 1311                      "
      "/usr/bin/a b");
  ASSERT_TRUE(m);
  EXPECT_EQ(m->start, 0x55d0c8a00000u);
  EXPECT_EQ(m->end, 0x55d0c8a2c000u);
  EXPECT_EQ(m->file_off, 0x2000u);
  EXPECT_EQ(m->protection, std::uint32_t{PROT_READ | PROT_EXEC});
  EXPECT_EQ(m->flags, std::uint32_t{MAP_PRIVATE});
  EXPECT_EQ(m->dev_major, 0xfdu);
  EXPECT_EQ(m->dev_minor, 1u);
  EXPECT_EQ(m->inode, 1311u);
  EXPECT_EQ(m->path, "/usr/bin/a b");
}

std::string path_of(std::string_view column) {
  const auto m =
      parse_maps_line(fmt::format("1000-2000 rwxs 0 0:0 0 {}", column));
  return m ? m->path : "none";
}

TEST(ProcMaps, NamesAreThoseOfTheKernelsRecords) {
  EXPECT_EQ(path_of(""), "//anon");
  EXPECT_EQ(path_of("[anon:glibc: malloc]"), "//anon");
  EXPECT_EQ(path_of("[vdso]"), "[vdso]");
  EXPECT_EQ(path_of("/a\\012b (deleted)"), "/a\nb (deleted)");
  EXPECT_EQ(path_of("/\xff\xfe"), "/\xff\xfe");
}

TEST(ProcMaps, WhatIsNoMappingIsNone) {
  for (const std::string_view line :
       {"", "1000", "1000-2000", "1000-2000 r-xp 0 0:0",
        "2000-1000 r-xp 0 0:0 0", "x-2000 r-xp 0 0:0 0 /a",
        "1000-2000 r 0 0:0 0 /a", "11112222333344445-2 r-xp 0 0:0 0 /a"})
    EXPECT_FALSE(parse_maps_line(line)) << line;
}

TEST(ProcStatus, ANameCannotPretendToBeALine) {
  // The kernel escapes the newline in the name.
  const auto status = parse_status("Name:\ta\\nPPid: 9\nTgid:\t5\nPPid:\t4\n");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->tgid, 5);
  EXPECT_EQ(status->parent, 4);
  EXPECT_FALSE(parse_status("Name:\tx\n"));
}

TEST(ProcModules, ALine) {
  const auto m = parse_modules_line(
      "nf_tables 344064 25 nft_x,nft_y, Live 0xffffffffc0a00000 (OE)");
  ASSERT_TRUE(m);
  EXPECT_EQ(m->name, "nf_tables");
  EXPECT_EQ(m->size, 344'064u);
  EXPECT_EQ(m->start, 0xffffffffc0a00000u);
  EXPECT_FALSE(parse_modules_line("nf_tables 344064 25"));
}

TEST(ProcLines, ALineThatIsTooLongIsLeftOut) {
  FakeSystem system;
  const std::string at_end = std::string(300'000, 'y');
  system.file("/proc/x",
              "a\n" + std::string(200'000, 'x') + "\nb\n\n" + at_end);
  std::vector<std::string> lines;
  for_each_line(system.paths.proc + "/x", [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  });
  EXPECT_THAT(lines, ElementsAre("a", "b", ""));
}

// --- Records ----------------------------------------------------------------

EventAttr test_attr() {
  EventAttr attr;
  attr.sample_type =
      sample_type::kTid | sample_type::kTime | sample_type::kIdentifier;
  attr.flags = attr_flag::kSampleIdAll;
  return attr;
}

// Records as lines: "FORK 5/5 of 4/4", "COMM 5/5 prog", "MMAP 5 1000+2000 @0
// /a".
class Shown {
 public:
  explicit Shown(const SystemPaths& paths, bool build_ids = false,
                 EventAttr attr = test_attr())
      : event_{.attr = attr, .layout = id_layout(attr)},
        events({.attr = attr,
                .id = 3,
                .time = 1000,
                .build_ids = build_ids,
                .paths = paths}) {
    emit = [this](std::string_view bytes) { take(bytes); };
  }

  std::vector<std::string> lines;
  std::vector<MmapRecord> mappings;
  ProcEvents::Emit emit;

 private:
  void take(std::string_view bytes) {
    ByteReader in(bytes);
    PerfRecord record;
    record.type = static_cast<RecordType>(in.read<std::uint32_t>());
    record.misc = in.read<std::uint16_t>();
    ASSERT_EQ(in.read<std::uint16_t>(), bytes.size());
    record.body = bytes.substr(kRecordHeaderSize);
    record.event = &event_;
    const RecordId id = decode_record_id(record);
    EXPECT_EQ(id.time, 1000u);
    EXPECT_EQ(id.id, 3u);
    switch (record.type) {
      case RecordType::kFork: {
        EXPECT_EQ(record.misc, misc::kForkExec);
        const auto task = decode_task(record);
        ASSERT_TRUE(task);
        EXPECT_EQ(id.tid, task->tid);
        lines.push_back(fmt::format("FORK {}/{} of {}/{}", task->pid, task->tid,
                                    task->parent_pid, task->parent_tid));
        break;
      }
      case RecordType::kComm: {
        const auto comm = decode_comm(record);
        ASSERT_TRUE(comm);
        lines.push_back(
            fmt::format("COMM {}/{} {}", comm->pid, comm->tid, comm->name));
        break;
      }
      case RecordType::kKsymbol: {
        const auto symbol = decode_ksymbol(record);
        ASSERT_TRUE(symbol);
        lines.push_back(fmt::format("KSYMBOL {:x}+{:x} {} {}", symbol->start,
                                    symbol->size, symbol->type, symbol->name));
        break;
      }
      case RecordType::kMmap:
      case RecordType::kMmap2: {
        const auto m = decode_mmap(record);
        ASSERT_TRUE(m);
        mappings.push_back(*m);
        paths_.push_back(std::make_unique<std::string>(m->path));
        mappings.back().path = *paths_.back();
        paths_.push_back(std::make_unique<std::string>(m->build_id));
        mappings.back().build_id = *paths_.back();
        lines.push_back(
            fmt::format("{} {} {:x}+{:x} @{:x} {}",
                        record.cpu_mode() == misc::kKernel ? "KERNEL" : "MMAP",
                        static_cast<std::int32_t>(m->pid), m->start, m->size,
                        m->page_offset, m->path));
        break;
      }
      case RecordType::kNamespaces:
        lines.push_back(
            fmt::format("NAMESPACES {}", decode_namespaces(record)->count));
        break;
      case RecordType::kCgroup:
        lines.push_back(fmt::format("CGROUP {}", decode_cgroup(record)->path));
        break;
      default:
        FAIL();
    }
  }

  PerfEvent event_;
  std::vector<std::unique_ptr<std::string>> paths_;

 public:
  ProcEvents events;
};

void add_thread(FakeSystem& system, int pid, int tid, int parent,
                std::string_view name) {
  const std::string status = fmt::format(
      "Name:\tx\nTgid:\t{}\nPid:\t{}\nPPid:\t{}\n", pid, tid, parent);
  const std::string task = fmt::format("/proc/{}/task/{}", pid, tid);
  system.file(fmt::format("/proc/{}/status", tid), status);
  system.file(task + "/status", status);
  system.file(task + "/comm", fmt::format("{}\n", name));
}

TEST(ProcEvents, AProcessIsItsThreadsNamesAndCode) {
  FakeSystem system;
  add_thread(system, 20, 20, 1, "prog");
  add_thread(system, 20, 8, 1, "worker");  // numbers went round
  system.file("/proc/20/task/20/maps",
              "1000-3000 r-xp 00001000 08:01 9 /bin/prog\n"
              "3000-4000 rw-p 00003000 08:01 9 /bin/prog\n"
              "5000-6000 rwxp 00000000 00:00 0 \n");
  Shown shown(system.paths);
  EXPECT_TRUE(shown.events.process(20, shown.emit));
  EXPECT_THAT(shown.lines,
              ElementsAre("FORK 20/20 of 1/1", "COMM 20/20 prog",
                          "MMAP 20 1000+2000 @1000 /bin/prog",
                          "MMAP 20 5000+1000 @0 //anon", "FORK 20/8 of 20/20",
                          "COMM 20/8 worker"));
}

TEST(ProcEvents, AProcessIsFoundByAnyOfItsThreads) {
  FakeSystem system;
  add_thread(system, 20, 20, 1, "prog");
  add_thread(system, 20, 21, 1, "worker");
  Shown shown(system.paths);
  EXPECT_TRUE(shown.events.process(21, shown.emit));
  EXPECT_THAT(shown.lines,
              ElementsAre("FORK 20/20 of 1/1", "COMM 20/20 prog",
                          "FORK 20/21 of 20/20", "COMM 20/21 worker"));
}

TEST(ProcEvents, AThreadComesWithTheProcessButNotWithItsOtherThreads) {
  FakeSystem system;
  for (const int tid : {20, 21, 22}) add_thread(system, 20, tid, 1, "prog");
  Shown shown(system.paths);
  EXPECT_TRUE(shown.events.thread(22, shown.emit));
  EXPECT_THAT(shown.lines, ElementsAre("COMM 20/20 prog", "FORK 20/22 of 20/20",
                                       "COMM 20/22 prog"));
}

TEST(ProcEvents, AnUnrecordedProcessHasNameAndCodeButNoFork) {
  FakeSystem system;
  for (const int tid : {20, 21}) add_thread(system, 20, tid, 1, "prog");
  system.file("/proc/20/task/20/maps", "1000-3000 r-xp 0 08:01 9 /bin/prog\n");
  Shown shown(system.paths);
  EXPECT_TRUE(shown.events.unrecorded(20, shown.emit));
  EXPECT_THAT(shown.lines,
              ElementsAre("COMM 20/20 prog", "MMAP 20 1000+2000 @0 /bin/prog"));
}

TEST(ProcEvents, MappingsAreThoseOfAnotherThreadIfTheFirstHasEnded) {
  FakeSystem system;
  add_thread(system, 20, 20, 1, "prog");
  add_thread(system, 20, 21, 1, "worker");
  system.file("/proc/20/task/20/maps", "");
  system.file("/proc/20/task/21/maps", "1000-3000 r-xp 0 08:01 9 /bin/prog\n");
  Shown shown(system.paths);
  shown.events.process(20, shown.emit);
  EXPECT_EQ(shown.lines.back(), "MMAP 20 1000+2000 @0 /bin/prog");
}

// One with a FORK would count as waiting.
TEST(ProcEvents, AMainThreadThatHasEndedHasANameButNoFork) {
  FakeSystem system;
  add_thread(system, 20, 20, 1, "prog");
  add_thread(system, 20, 21, 1, "worker");
  system.file("/proc/20/task/20/status",
              "State:\tZ (zombie)\nTgid:\t20\nPPid:\t1\n");
  Shown shown(system.paths);
  shown.events.process(20, shown.emit);
  EXPECT_THAT(shown.lines, ElementsAre("COMM 20/20 prog", "FORK 20/21 of 20/20",
                                       "COMM 20/21 worker"));
}

TEST(ProcEvents, AVanishedProcessIsNone) {
  FakeSystem system;
  Shown shown(system.paths);
  EXPECT_FALSE(shown.events.process(20, shown.emit));
  EXPECT_FALSE(shown.events.thread(20, shown.emit));
  // It vanishes between two files.
  system.file("/proc/21/status", "Tgid:\t21\nPPid:\t1\n");
  EXPECT_FALSE(shown.events.process(21, shown.emit));
  EXPECT_THAT(shown.lines, IsEmpty());
}

TEST(ProcEvents, ANameMayHoldNewlines) {
  FakeSystem system;
  add_thread(system, 20, 20, 1, "a\nPPid:\n");
  Shown shown(system.paths);
  shown.events.process(20, shown.emit);
  EXPECT_EQ(shown.lines[1], "COMM 20/20 a\nPPid:\n");
}

TEST(ProcEvents, AllProcessesAreThoseWithANumber) {
  FakeSystem system;
  add_thread(system, 3, 3, 1, "b");
  add_thread(system, 1, 1, 0, "a");
  system.file("/proc/self/status", "");
  Shown shown(system.paths);
  shown.events.all_processes(shown.emit);
  EXPECT_THAT(shown.lines, ElementsAre("FORK 1/1 of 0/0", "COMM 1/1 a",
                                       "FORK 3/3 of 1/1", "COMM 3/3 b"));
}

TEST(ProcEvents, OfAGroupsThreadsTheLifeIsRecordedAndOfAllTheCode) {
  FakeSystem system;
  add_thread(system, 3, 3, 1, "inside");
  add_thread(system, 7, 7, 1, "outside");
  system.file("/proc/7/task/7/maps", "1000-3000 r-xp 0 08:01 9 /bin/prog\n");
  Shown shown(system.paths);
  shown.events.all_processes({3}, shown.emit);
  EXPECT_THAT(shown.lines,
              ElementsAre("FORK 3/3 of 1/1", "COMM 3/3 inside",
                          "COMM 7/7 outside", "MMAP 7 1000+2000 @0 /bin/prog"));
}

TEST(ProcEvents, TheKernelAndItsModules) {
  FakeSystem system;
  utsname kernel{};
  ::uname(&kernel);
  system.file("/proc/kallsyms",
              "0000000000000000 A fixed_percpu_data\n"
              "ffffffff81000000 T _stext\n"
              "ffffffff81000000 T _text\n"
              "ffffffff82000010 T _etext\n"
              "ffffffffc0000000 t x\t[vfat]\n");
  system.file("/proc/modules",
              "snd_hda 8192 1 - Live 0xffffffffc0010000\n"
              "vfat 20480 1 - Live 0xffffffffc0000000\n"
              "secret 8192 1 - Live 0x0000000000000000\n");
  system.file(fmt::format("/lib/modules/{}/modules.dep", kernel.release),
              "kernel/sound/snd-hda.ko.xz: kernel/sound/snd.ko.xz\n");
  Shown shown(system.paths);
  shown.events.kernel(false, shown.emit);
  EXPECT_THAT(
      shown.lines,
      ElementsAre("KERNEL -1 ffffffff81000000+1000010 @ffffffff81000000 "
                  "[kernel.kallsyms]_text",
                  fmt::format("KERNEL -1 ffffffffc0010000+2000 @0 {}/{}/kernel/"
                              "sound/snd-hda.ko.xz",
                              system.paths.modules, kernel.release),
                  "KERNEL -1 ffffffffc0000000+5000 @0 [vfat]"));
}

TEST(ProcEvents, BpfProgramsAreFoundInKallsyms) {
  FakeSystem system;
  system.file("/proc/kallsyms",
              "ffffffff81000000 T _text\n"
              "ffffffffc0200000 t bpf_prog_2_last\t[bpf]\n"
              "ffffffffc0000000 t x\t[vfat]\n"
              "ffffffffc0100000 t bpf_prog_1_first\t[bpf]\n"
              "ffffffffc0100040 t ftrace_trampoline\t[__builtin__ftrace]\n");
  Shown shown(system.paths);
  shown.events.kernel(true, shown.emit);
  EXPECT_THAT(shown.lines,
              ElementsAre("KSYMBOL ffffffffc0100000+40 1 bpf_prog_1_first",
                          "KSYMBOL ffffffffc0100040+10000 2 ftrace_trampoline",
                          "KSYMBOL ffffffffc0200000+10000 1 bpf_prog_2_last"));
}

TEST(ProcEvents, AKernelThatHidesItsAddressesIsNone) {
  FakeSystem system;
  system.file("/proc/kallsyms",
              "0000000000000000 T _text\n0000000000000000 T _etext\n");
  Shown shown(system.paths);
  shown.events.kernel(false, shown.emit);
  EXPECT_THAT(shown.lines, IsEmpty());
}

TEST(ProcEvents, CgroupsAndNamespacesIfTheEventWantsThem) {
  FakeSystem system;
  add_thread(system, 20, 20, 1, "prog");
  system.file("/sys/fs/cgroup/cgroup.procs", "");
  system.file("/sys/fs/cgroup/user/cgroup.procs", "");
  EventAttr attr = test_attr();
  attr.flags |= attr_flag::kCgroup | attr_flag::kNamespaces;
  Shown shown(system.paths, false, attr);
  shown.events.process(20, shown.emit);
  shown.events.cgroups(shown.emit);
  EXPECT_THAT(shown.lines,
              ElementsAre("FORK 20/20 of 1/1", "NAMESPACES 7",
                          "COMM 20/20 prog", "CGROUP /", "CGROUP /user"));
}

// --- The real /proc
// -----------------------------------------------------------

struct LoadedCode {
  std::uint64_t start, end;
  std::string path;
};

int add_code(dl_phdr_info* info, std::size_t, void* out) {
  auto& loaded = *static_cast<std::vector<LoadedCode>*>(out);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uint64_t start = info->dlpi_addr + segment.p_vaddr;
    loaded.push_back({start, start + segment.p_memsz, info->dlpi_name});
  }
  return 0;
}

TEST(ProcEvents, OfThisProcessHaveTheCodeThatTheLoaderKnows) {
  Shown shown({}, true);
  ASSERT_TRUE(shown.events.process(::getpid(), shown.emit));
  std::vector<LoadedCode> loaded;
  ::dl_iterate_phdr(add_code, &loaded);
  ASSERT_FALSE(loaded.empty());
  for (const LoadedCode& code : loaded) {
    const auto covers = [&](const MmapRecord& m) {
      return m.start <= code.start && m.start + m.size >= code.end;
    };
    const auto found =
        std::find_if(shown.mappings.begin(), shown.mappings.end(), covers);
    ASSERT_NE(found, shown.mappings.end()) << code.path;
    EXPECT_EQ(found->protection & PROT_EXEC, std::uint32_t{PROT_EXEC});
    if (!code.path.starts_with('/')) continue;
    EXPECT_EQ(found->path, std::filesystem::canonical(code.path));
    EXPECT_EQ(to_hexadecimal(found->build_id),
              ElfFile::open(code.path)->build_id());
  }
}

TEST(ProcEvents, OfThisProcessHaveItsThreadsByName) {
  std::thread thread([] {
    ::pthread_setname_np(::pthread_self(), "a\nname");
    Shown shown({});
    ASSERT_TRUE(shown.events.process(::getpid(), shown.emit));
    const auto tid = ::syscall(SYS_gettid);
    EXPECT_THAT(shown.lines,
                testing::IsSupersetOf(
                    {fmt::format("FORK {}/{} of {}/{}", ::getpid(), ::getpid(),
                                 ::getppid(), ::getppid()),
                     fmt::format("FORK {0}/{1} of {0}/{0}", ::getpid(), tid),
                     fmt::format("COMM {}/{} a\nname", ::getpid(), tid)}));
  });
  thread.join();
}

TEST(ProcEvents, OfAllProcessesHaveAChildOfOurs) {
  SpinningChild child;
  Shown shown({});
  shown.events.all_processes(shown.emit);
  EXPECT_THAT(shown.lines,
              testing::Contains(fmt::format("FORK {0}/{0} of {1}/{1}",
                                            child.pid(), ::getpid())));
}

TEST(ProcEvents, DescribeTheRunningKernel) {
  Shown shown({});
  shown.events.kernel(false, shown.emit);
  if (!read_kernel_limits().shows_kernel_addresses())
    GTEST_SKIP() << "the kernel hides its addresses";
  ASSERT_FALSE(shown.lines.empty());
  EXPECT_THAT(shown.lines[0], HasSubstr("[kernel.kallsyms]_"));
  EXPECT_EQ(shown.mappings[0].start, shown.mappings[0].page_offset);
  EXPECT_GT(shown.mappings[0].size, 1u << 20);
}

TEST(EventClock, IsTheClockOfTheAttr) {
  EventAttr attr;
  EXPECT_EQ(event_clock_now(attr), 0u);
  attr.flags = attr_flag::kUseClockid;
  attr.clockid = CLOCK_MONOTONIC;
  const std::uint64_t before = event_clock_now(attr);
  EXPECT_GT(before, 0u);
  EXPECT_GE(event_clock_now(attr), before);
}

}  // namespace
}  // namespace wick
