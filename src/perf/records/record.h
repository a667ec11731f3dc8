// SPDX-License-Identifier: Apache-2.0
// The records of perf.data, decoded on demand.
//
// A PerfRecord is a view of one record; the decoders turn its body into plain
// structs whose views point into it. They live as long as the record's bytes:
// until the visitor of PerfData returns. A decoder returns nothing for a
// damaged record (too short for its kind, or with a count that does not fit).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "perf/records/abi.h"
#include "perf/records/attr.h"

namespace wick {

struct PerfRecord {
  RecordType type{};
  std::uint16_t misc = 0;
  bool swap = false;       // not in our byte order
  std::string_view body;   // without the header; begins at a multiple of 8
  std::uint64_t time = 0;  // of the recording's clock; 0 if it has none
  // The event that it belongs to; the first one for a record without an id.
  // Null only in a file without events.
  const PerfEvent* event = nullptr;

  std::uint16_t cpu_mode() const { return misc & misc::kCpuModeMask; }
};

// A branch of the CPU's last-branch record, newest first.
struct BranchEntry {
  std::uint64_t from = 0, to = 0;
  std::uint64_t flags = 0;  // laid out as on a little-endian machine

  bool mispredicted() const { return (flags & 1) != 0; }
  bool predicted() const { return (flags & 2) != 0; }
  std::uint16_t cycles() const {
    return static_cast<std::uint16_t>(flags >> 4);
  }
  std::uint8_t type() const { return (flags >> 20) & 15; }
};

// Registers in perf's numbering; see perf/records/registers.h for DWARF's.
struct SampleRegisters {
  std::uint64_t abi = kRegsAbiNone;
  std::uint64_t mask = 0;                 // bit i: register i was recorded
  std::span<const std::uint64_t> values;  // one per set bit, ascending

  std::optional<std::uint64_t> value(int perf_register) const {
    if (perf_register >= 64 || abi == kRegsAbiNone) return std::nullopt;
    const std::uint64_t bit = std::uint64_t{1} << perf_register;
    if ((mask & bit) == 0) return std::nullopt;
    return values[static_cast<std::size_t>(
        __builtin_popcountll(mask & (bit - 1)))];
  }
};

// PERF_SAMPLE_READ: the counters of all group members.
struct ReadValues {
  std::uint64_t time_enabled = 0, time_running = 0;
  struct Value {
    std::uint64_t value = 0, id = 0, lost = 0;
  };

  std::size_t size() const;
  Value operator[](std::size_t i) const;

  std::uint64_t format = 0;  // read_format
  Value single;              // if the event is not read as a group
  // Of a group: for each member its value, then id and lost if recorded.
  std::span<const std::uint64_t> words;
};

// The fields of a SAMPLE; those that the event does not record are 0 or empty.
// Reusing one object for many samples avoids allocations.
struct PerfSample {
  std::uint64_t fields = 0;  // sample_type: the fields that are set
  std::uint64_t id = 0;
  std::uint64_t ip = 0;
  std::uint32_t pid = 0, tid = 0;
  std::uint64_t time = 0;
  std::uint64_t addr = 0;
  std::uint64_t stream_id = 0;
  std::uint32_t cpu = 0;
  // If the record has none: the event's fixed one, or 1 with a frequency.
  std::uint64_t period = 0;
  ReadValues read;
  // Leaf first, with markers; see namespace callchain.
  std::span<const std::uint64_t> callchain;
  std::string_view raw;  // a tracepoint's fields
  std::span<const BranchEntry> branches;
  std::uint64_t branch_hw_index = 0;
  SampleRegisters user_registers;
  // From the stack pointer upwards; only the bytes that were copied.
  std::string_view user_stack;
  std::uint64_t user_stack_wanted = 0;  // bytes asked for
  std::uint64_t weight = 0;
  std::uint64_t data_src = 0;
  std::uint64_t transaction = 0;
  SampleRegisters interrupt_registers;
  std::uint64_t phys_addr = 0;
  std::uint64_t cgroup = 0;
  std::uint64_t data_page_size = 0, code_page_size = 0;
  std::string_view aux;

  bool has(std::uint64_t bits) const { return (fields & bits) != 0; }

  // Words of a file of the other byte order, swapped; the spans point into it.
  std::vector<std::uint64_t> swapped;
  std::vector<BranchEntry> swapped_branches;
};

// False if the record is damaged: fields before the damage are set, the rest
// are 0 or empty.
bool decode_sample(const PerfRecord& record, PerfSample& out);

// Where and when a record that is not a SAMPLE was written: its trailer.
struct RecordId {
  std::uint64_t fields = 0;  // sample_type: which of these are there
  std::uint32_t pid = 0, tid = 0;
  std::uint64_t time = 0, id = 0, stream_id = 0;
  std::uint32_t cpu = 0;
};
RecordId decode_record_id(const PerfRecord& record);

// MMAP and MMAP2.
struct MmapRecord {
  std::uint32_t pid = 0, tid = 0;
  std::uint64_t start = 0, size = 0, page_offset = 0;
  std::uint32_t dev_major = 0, dev_minor = 0;
  std::uint64_t inode = 0, inode_generation = 0;
  std::string_view build_id;  // raw bytes, up to 20; instead of the inode
  std::uint32_t protection = 4, flags = 0;  // PROT_*, MAP_*; MMAP: PROT_EXEC
  bool is_data = false;                     // not executable
  std::string_view path;
};
std::optional<MmapRecord> decode_mmap(const PerfRecord& record);

struct CommRecord {
  std::uint32_t pid = 0, tid = 0;
  bool exec = false;
  std::string_view name;
};
std::optional<CommRecord> decode_comm(const PerfRecord& record);

// FORK and EXIT.
struct TaskRecord {
  std::uint32_t pid = 0, parent_pid = 0, tid = 0, parent_tid = 0;
  std::uint64_t time = 0;
};
std::optional<TaskRecord> decode_task(const PerfRecord& record);

// LOST (records of any kind, by ring buffer) and LOST_SAMPLES.
struct LostRecord {
  std::uint64_t id = 0;  // of the event; LOST only
  std::uint64_t lost = 0;
};
std::optional<LostRecord> decode_lost(const PerfRecord& record);

// THROTTLE and UNTHROTTLE.
struct ThrottleRecord {
  std::uint64_t time = 0, id = 0, stream_id = 0;
};
std::optional<ThrottleRecord> decode_throttle(const PerfRecord& record);

struct ReadRecord {
  std::uint32_t pid = 0, tid = 0;
  std::uint64_t value = 0, time_enabled = 0, time_running = 0, id = 0, lost = 0;
};
std::optional<ReadRecord> decode_read(const PerfRecord& record);

// SWITCH and SWITCH_CPU_WIDE. The thread that is switched is the trailer's
// (decode_record_id).
struct SwitchRecord {
  bool out = false;        // else in
  bool preempted = false;  // out, while still runnable
  // The next thread (out) or the previous one (in); CPU_WIDE only.
  std::uint32_t other_pid = 0, other_tid = 0;
};
std::optional<SwitchRecord> decode_switch(const PerfRecord& record);

struct NamespacesRecord {
  struct Link {
    std::uint64_t dev = 0, inode = 0;
  };
  std::uint32_t pid = 0, tid = 0;
  std::array<Link, 16> links{};  // by NamespaceKind
  std::uint32_t count = 0;
};
std::optional<NamespacesRecord> decode_namespaces(const PerfRecord& record);

struct CgroupRecord {
  std::uint64_t id = 0;
  std::string_view path;
};
std::optional<CgroupRecord> decode_cgroup(const PerfRecord& record);

struct KsymbolRecord {
  std::uint64_t start = 0;
  std::uint32_t size = 0;
  std::uint16_t type = 0;  // 1 BPF, 2 out of line
  bool unregister = false;
  std::string_view name;
};
std::optional<KsymbolRecord> decode_ksymbol(const PerfRecord& record);

struct BpfRecord {
  std::uint16_t type = 0;  // 1 load, 2 unload
  std::uint16_t flags = 0;
  std::uint32_t id = 0;
  std::string_view tag;  // 8 bytes
};
std::optional<BpfRecord> decode_bpf(const PerfRecord& record);

struct TextPokeRecord {
  std::uint64_t address = 0;
  std::string_view old_bytes, new_bytes;
};
std::optional<TextPokeRecord> decode_text_poke(const PerfRecord& record);

struct AuxRecord {
  std::uint64_t offset = 0, size = 0;
  std::uint64_t flags = 0;  // 1 truncated, 2 overwrite, 4 partial, 8 collision
};
std::optional<AuxRecord> decode_aux(const PerfRecord& record);

struct ItraceStartRecord {
  std::uint32_t pid = 0, tid = 0;
};
std::optional<ItraceStartRecord> decode_itrace_start(const PerfRecord& record);

// The user part of the callchains that end with callchain::kUserDeferred and
// this cookie, of the thread in the trailer.
struct DeferredCallchain {
  std::uint64_t cookie = 0;
  std::span<const std::uint64_t> callchain;
};
// `swapped` holds words of the other byte order; reuse it.
std::optional<DeferredCallchain> decode_deferred(
    const PerfRecord& record, std::vector<std::uint64_t>& swapped);

}  // namespace wick
