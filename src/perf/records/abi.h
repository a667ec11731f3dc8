// SPDX-License-Identifier: Apache-2.0
// The numbers of Linux's perf_event ABI and of the perf.data files that the
// perf tool writes. They are our own, so that wick reads files of newer kernels
// than the one whose headers it was built with. Sources: the kernel's
// include/uapi/linux/perf_event.h and arch/*/include/uapi/asm/perf_regs.h, and
// tools/lib/perf/include/perf/event.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wick {

// Kinds of records: below 64 by the kernel, from 64 on by the perf tool.
enum class RecordType : std::uint32_t {
  kMmap = 1,
  kLost = 2,
  kComm = 3,
  kExit = 4,
  kThrottle = 5,
  kUnthrottle = 6,
  kFork = 7,
  kRead = 8,
  kSample = 9,
  kMmap2 = 10,
  kAux = 11,
  kItraceStart = 12,
  kLostSamples = 13,
  kSwitch = 14,
  kSwitchCpuWide = 15,
  kNamespaces = 16,
  kKsymbol = 17,
  kBpfEvent = 18,
  kCgroup = 19,
  kTextPoke = 20,
  kAuxOutputHwId = 21,
  kCallchainDeferred = 22,  // Linux 6.19
  kKernelEnd = 23,

  kUserStart = 64,
  kHeaderAttr = 64,
  kEventType = 65,
  kTracingData = 66,
  kBuildId = 67,
  kFinishedRound = 68,
  kIdIndex = 69,
  kAuxtraceInfo = 70,
  kAuxtrace = 71,
  kAuxtraceError = 72,
  kThreadMap = 73,
  kCpuMap = 74,
  kStatConfig = 75,
  kStat = 76,
  kStatRound = 77,
  kEventUpdate = 78,
  kTimeConv = 79,
  kHeaderFeature = 80,
  kCompressed = 81,
  kFinishedInit = 82,
  kCompressed2 = 83,  // perf 6.16
  kBpfMetadata = 84,
  kUserEnd = 85,
};

// sample_type: what a SAMPLE contains, in the order of the record.
namespace sample_type {
inline constexpr std::uint64_t kIp = 1 << 0;
inline constexpr std::uint64_t kTid = 1 << 1;
inline constexpr std::uint64_t kTime = 1 << 2;
inline constexpr std::uint64_t kAddr = 1 << 3;
inline constexpr std::uint64_t kRead = 1 << 4;
inline constexpr std::uint64_t kCallchain = 1 << 5;
inline constexpr std::uint64_t kId = 1 << 6;
inline constexpr std::uint64_t kCpu = 1 << 7;
inline constexpr std::uint64_t kPeriod = 1 << 8;
inline constexpr std::uint64_t kStreamId = 1 << 9;
inline constexpr std::uint64_t kRaw = 1 << 10;
inline constexpr std::uint64_t kBranchStack = 1 << 11;
inline constexpr std::uint64_t kRegsUser = 1 << 12;
inline constexpr std::uint64_t kStackUser = 1 << 13;
inline constexpr std::uint64_t kWeight = 1 << 14;
inline constexpr std::uint64_t kDataSrc = 1 << 15;
inline constexpr std::uint64_t kIdentifier = 1 << 16;
inline constexpr std::uint64_t kTransaction = 1 << 17;
inline constexpr std::uint64_t kRegsIntr = 1 << 18;
inline constexpr std::uint64_t kPhysAddr = 1 << 19;
inline constexpr std::uint64_t kAux = 1 << 20;
inline constexpr std::uint64_t kCgroup = 1 << 21;
inline constexpr std::uint64_t kDataPageSize = 1 << 22;
inline constexpr std::uint64_t kCodePageSize = 1 << 23;
inline constexpr std::uint64_t kWeightStruct = 1 << 24;
inline constexpr std::uint64_t kAll = (1 << 25) - 1;
}  // namespace sample_type

namespace read_format {
inline constexpr std::uint64_t kTimeEnabled = 1 << 0;
inline constexpr std::uint64_t kTimeRunning = 1 << 1;
inline constexpr std::uint64_t kId = 1 << 2;
inline constexpr std::uint64_t kGroup = 1 << 3;
inline constexpr std::uint64_t kLost = 1 << 4;
}  // namespace read_format

// Bits of perf_event_attr's flags, counted as on a little-endian machine.
namespace attr_flag {
inline constexpr std::uint64_t kDisabled = 1ull << 0;
inline constexpr std::uint64_t kInherit = 1ull << 1;
inline constexpr std::uint64_t kPinned = 1ull << 2;
inline constexpr std::uint64_t kExclusive = 1ull << 3;
inline constexpr std::uint64_t kExcludeUser = 1ull << 4;
inline constexpr std::uint64_t kExcludeKernel = 1ull << 5;
inline constexpr std::uint64_t kExcludeHypervisor = 1ull << 6;
inline constexpr std::uint64_t kExcludeIdle = 1ull << 7;
inline constexpr std::uint64_t kMmap = 1ull << 8;
inline constexpr std::uint64_t kComm = 1ull << 9;
inline constexpr std::uint64_t kFreq = 1ull << 10;
inline constexpr std::uint64_t kInheritStat = 1ull << 11;
inline constexpr std::uint64_t kEnableOnExec = 1ull << 12;
inline constexpr std::uint64_t kTask = 1ull << 13;
inline constexpr std::uint64_t kWatermark = 1ull << 14;
inline constexpr int kPreciseShift = 15;  // two bits: precise_ip
inline constexpr std::uint64_t kPrecise = 3ull << kPreciseShift;
inline constexpr std::uint64_t kMmapData = 1ull << 17;
inline constexpr std::uint64_t kSampleIdAll = 1ull << 18;
inline constexpr std::uint64_t kExcludeHost = 1ull << 19;
inline constexpr std::uint64_t kExcludeGuest = 1ull << 20;
inline constexpr std::uint64_t kExcludeCallchainKernel = 1ull << 21;
inline constexpr std::uint64_t kExcludeCallchainUser = 1ull << 22;
inline constexpr std::uint64_t kMmap2 = 1ull << 23;
inline constexpr std::uint64_t kCommExec = 1ull << 24;
inline constexpr std::uint64_t kUseClockid = 1ull << 25;
inline constexpr std::uint64_t kContextSwitch = 1ull << 26;
inline constexpr std::uint64_t kWriteBackward = 1ull << 27;
inline constexpr std::uint64_t kNamespaces = 1ull << 28;
inline constexpr std::uint64_t kKsymbol = 1ull << 29;
inline constexpr std::uint64_t kBpfEvent = 1ull << 30;
inline constexpr std::uint64_t kAuxOutput = 1ull << 31;
inline constexpr std::uint64_t kCgroup = 1ull << 32;
inline constexpr std::uint64_t kTextPoke = 1ull << 33;
inline constexpr std::uint64_t kBuildId = 1ull << 34;
inline constexpr std::uint64_t kInheritThread = 1ull << 35;
inline constexpr std::uint64_t kRemoveOnExec = 1ull << 36;
inline constexpr std::uint64_t kDeferCallchain = 1ull << 38;
inline constexpr std::uint64_t kDeferOutput = 1ull << 39;
}  // namespace attr_flag

// branch_sample_type bits that change the layout of a sample, or its meaning.
namespace branch_type {
inline constexpr std::uint64_t kCallStack = 1 << 11;
inline constexpr std::uint64_t kHwIndex = 1 << 17;
inline constexpr std::uint64_t kCounters = 1 << 19;
}  // namespace branch_type

// A record's misc field.
namespace misc {
inline constexpr std::uint16_t kCpuModeMask = 7;
inline constexpr std::uint16_t kKernel = 1;
inline constexpr std::uint16_t kUser = 2;
inline constexpr std::uint16_t kHypervisor = 3;
inline constexpr std::uint16_t kGuestKernel = 4;
inline constexpr std::uint16_t kGuestUser = 5;
// The same bits mean different things in different records.
inline constexpr std::uint16_t kProcMapTimeout = 1 << 12;    // MMAP, synthetic
inline constexpr std::uint16_t kMmapData = 1 << 13;          // MMAP, MMAP2
inline constexpr std::uint16_t kCommExec = 1 << 13;          // COMM
inline constexpr std::uint16_t kForkExec = 1 << 13;          // FORK
inline constexpr std::uint16_t kSwitchOut = 1 << 13;         // SWITCH*
inline constexpr std::uint16_t kExactIp = 1 << 14;           // SAMPLE
inline constexpr std::uint16_t kSwitchOutPreempt = 1 << 14;  // SWITCH*
inline constexpr std::uint16_t kMmapBuildId = 1 << 14;       // MMAP2
inline constexpr std::uint16_t kBuildIdSize = 1 << 15;       // BUILD_ID
inline constexpr std::uint16_t kLostSamplesBpf = 1 << 15;    // LOST_SAMPLES
}  // namespace misc

// Markers between the addresses of a callchain: where the following ones ran.
// Anything from kFirst on is a marker, never an address.
namespace callchain {
inline constexpr std::uint64_t kFirst = static_cast<std::uint64_t>(-4095);
inline constexpr std::uint64_t kHypervisor = static_cast<std::uint64_t>(-32);
inline constexpr std::uint64_t kKernel = static_cast<std::uint64_t>(-128);
inline constexpr std::uint64_t kUser = static_cast<std::uint64_t>(-512);
// Followed by one entry, a cookie: the user part comes later, in the
// CALLCHAIN_DEFERRED record with that cookie.
inline constexpr std::uint64_t kUserDeferred = static_cast<std::uint64_t>(-640);
inline constexpr std::uint64_t kGuest = static_cast<std::uint64_t>(-2048);
inline constexpr std::uint64_t kGuestKernel = static_cast<std::uint64_t>(-2176);
inline constexpr std::uint64_t kGuestUser = static_cast<std::uint64_t>(-2560);
}  // namespace callchain

// perf_event_attr.type; larger numbers are PMUs, named in pmu_mappings.
namespace event_type {
inline constexpr std::uint32_t kHardware = 0;
inline constexpr std::uint32_t kSoftware = 1;
inline constexpr std::uint32_t kTracepoint = 2;
inline constexpr std::uint32_t kHwCache = 3;
inline constexpr std::uint32_t kRaw = 4;
inline constexpr std::uint32_t kBreakpoint = 5;
}  // namespace event_type

// Some of kSoftware's configs.
namespace software_event {
inline constexpr std::uint64_t kCpuClock = 0, kTaskClock = 1,
                               kContextSwitches = 3, kCpuMigrations = 4,
                               kDummy = 9, kCgroupSwitches = 11;
}  // namespace software_event

// Sections after the data of a file: bit numbers in its header.
enum class Feature : std::uint32_t {
  kTracingData = 1,
  kBuildId = 2,
  kHostname = 3,
  kOsRelease = 4,
  kVersion = 5,
  kArch = 6,
  kNrCpus = 7,
  kCpuDesc = 8,
  kCpuId = 9,
  kTotalMem = 10,
  kCmdline = 11,
  kEventDesc = 12,
  kCpuTopology = 13,
  kNumaTopology = 14,
  kBranchStack = 15,
  kPmuMappings = 16,
  kGroupDesc = 17,
  kAuxtrace = 18,
  kStat = 19,
  kCache = 20,
  kSampleTime = 21,
  kMemTopology = 22,
  kClockId = 23,
  kDirFormat = 24,
  kBpfProgInfo = 25,
  kBpfBtf = 26,
  kCompressed = 27,
  kCpuPmuCaps = 28,
  kClockData = 29,
  kHybridTopology = 30,
  kPmuCaps = 31,
};

// abi of the registers of a sample.
inline constexpr std::uint64_t kRegsAbiNone = 0;
inline constexpr std::uint64_t kRegsAbi32 = 1;
inline constexpr std::uint64_t kRegsAbi64 = 2;

// Namespaces of a NAMESPACES record, by their index in it.
enum class NamespaceKind : std::uint8_t {
  kNet,
  kUts,
  kIpc,
  kPid,
  kUser,
  kMount,
  kCgroup,
};

inline constexpr std::size_t kRecordHeaderSize = 8;

// perf record --off-cpu writes the sums of its BPF program at the end, with
// times from here on.
inline constexpr std::uint64_t kFirstSyntheticTime = 0xffff'ffff'0000'0000;

}  // namespace wick
