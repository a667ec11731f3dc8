// SPDX-License-Identifier: Apache-2.0
#include "perf/records/record.h"

#include <algorithm>

#include "base/bytes.h"

namespace wick {
namespace {

// A NUL-terminated text; what follows it is padding.
std::string_view text(std::string_view bytes) {
  return bytes.substr(0, bytes.find('\0'));
}

// The body without the trailer, which is found from the end: bodies are padded
// to 8 bytes before it.
std::string_view payload(const PerfRecord& record) {
  std::string_view body = record.body;
  if (record.event == nullptr) return body;
  const auto trailer =
      static_cast<std::size_t>(record.event->layout.trailer_words) * 8;
  if (trailer > body.size()) return {};
  body.remove_suffix(trailer);
  return body;
}

ByteReader reader(const PerfRecord& record) {
  return ByteReader(payload(record), record.swap);
}

// `identity` is either the size of a build id, three bytes of 0, the id and 0s
// up to 20 bytes, or a device and an inode. The flag that tells which cannot be
// trusted: the kernel's perf_event_mmap_output() sets it for an event that asks
// for build ids and leaves it set for all later ones, even of other programs.
// If the event did not ask, only what cannot be a device is an id (recorders
// write these for mappings that existed before): 16 and 20, the usual sizes of
// ids, were the device numbers of two CD-ROM drives.
std::string_view build_id_in(const PerfRecord& record,
                             std::string_view identity) {
  constexpr std::size_t kMaxSize = 20;
  if ((record.misc & misc::kMmapBuildId) == 0) return {};
  ByteReader in(identity);
  const std::size_t size = in.read<std::uint8_t>();
  const std::string_view reserved = in.read_bytes(3);
  const std::string_view id = in.read_bytes(kMaxSize);
  if (in.failed() || size > kMaxSize) return {};
  const bool is_asked_for =
      record.event != nullptr && record.event->attr.flag(attr_flag::kBuildId);
  const bool is_no_device = (size == 16 || size == 20) &&
                            reserved.find_first_not_of('\0') == reserved.npos;
  return is_asked_for || is_no_device ? id.substr(0, size) : "";
}

template <class T>
std::optional<T> unless_failed(const ByteReader& in, const T& result) {
  if (in.failed()) return std::nullopt;
  return result;
}

}  // namespace

RecordId decode_record_id(const PerfRecord& record) {
  using namespace sample_type;
  RecordId result;
  if (record.event == nullptr) return result;
  const auto size =
      static_cast<std::size_t>(record.event->layout.trailer_words) * 8;
  if (size == 0 || size > record.body.size()) return result;
  const std::uint64_t has =
      record.event->attr.sample_type &
      (kTid | kTime | kId | kStreamId | kCpu | kIdentifier);
  ByteReader in(record.body.substr(record.body.size() - size), record.swap);
  result.fields = has;
  if (has & kTid) {
    result.pid = in.read<std::uint32_t>();
    result.tid = in.read<std::uint32_t>();
  }
  if (has & kTime) result.time = in.read<std::uint64_t>();
  if (has & kId) result.id = in.read<std::uint64_t>();
  if (has & kStreamId) result.stream_id = in.read<std::uint64_t>();
  if (has & kCpu) {
    result.cpu = in.read<std::uint32_t>();
    in.read<std::uint32_t>();
  }
  if (has & kIdentifier) result.id = in.read<std::uint64_t>();
  return result;
}

std::optional<MmapRecord> decode_mmap(const PerfRecord& record) {
  ByteReader in = reader(record);
  MmapRecord m;
  m.pid = in.read<std::uint32_t>();
  m.tid = in.read<std::uint32_t>();
  m.start = in.read<std::uint64_t>();
  m.size = in.read<std::uint64_t>();
  m.page_offset = in.read<std::uint64_t>();
  m.is_data = (record.misc & misc::kMmapData) != 0;
  if (record.type == RecordType::kMmap2) {
    const std::string_view identity = in.read_bytes(24);
    m.build_id = build_id_in(record, identity);
    if (m.build_id.empty()) {
      ByteReader file(identity, record.swap);
      m.dev_major = file.read<std::uint32_t>();
      m.dev_minor = file.read<std::uint32_t>();
      m.inode = file.read<std::uint64_t>();
      m.inode_generation = file.read<std::uint64_t>();
    }
    m.protection = in.read<std::uint32_t>();
    m.flags = in.read<std::uint32_t>();
  }
  m.path = text(in.rest());
  return unless_failed(in, m);
}

std::optional<CommRecord> decode_comm(const PerfRecord& record) {
  ByteReader in = reader(record);
  CommRecord c;
  c.pid = in.read<std::uint32_t>();
  c.tid = in.read<std::uint32_t>();
  c.exec = (record.misc & misc::kCommExec) != 0;
  c.name = text(in.rest());
  return unless_failed(in, c);
}

std::optional<TaskRecord> decode_task(const PerfRecord& record) {
  ByteReader in = reader(record);
  TaskRecord t;
  t.pid = in.read<std::uint32_t>();
  t.parent_pid = in.read<std::uint32_t>();
  t.tid = in.read<std::uint32_t>();
  t.parent_tid = in.read<std::uint32_t>();
  t.time = in.read<std::uint64_t>();
  return unless_failed(in, t);
}

std::optional<LostRecord> decode_lost(const PerfRecord& record) {
  ByteReader in = reader(record);
  LostRecord l;
  if (record.type == RecordType::kLost) l.id = in.read<std::uint64_t>();
  l.lost = in.read<std::uint64_t>();
  return unless_failed(in, l);
}

std::optional<ThrottleRecord> decode_throttle(const PerfRecord& record) {
  ByteReader in = reader(record);
  ThrottleRecord t;
  t.time = in.read<std::uint64_t>();
  t.id = in.read<std::uint64_t>();
  t.stream_id = in.read<std::uint64_t>();
  return unless_failed(in, t);
}

std::optional<ReadRecord> decode_read(const PerfRecord& record) {
  ByteReader in = reader(record);
  const std::uint64_t format =
      record.event == nullptr ? 0 : record.event->attr.read_format;
  ReadRecord r;
  r.pid = in.read<std::uint32_t>();
  r.tid = in.read<std::uint32_t>();
  r.value = in.read<std::uint64_t>();
  if (format & read_format::kTimeEnabled)
    r.time_enabled = in.read<std::uint64_t>();
  if (format & read_format::kTimeRunning)
    r.time_running = in.read<std::uint64_t>();
  if (format & read_format::kId) r.id = in.read<std::uint64_t>();
  if (format & read_format::kLost) r.lost = in.read<std::uint64_t>();
  return unless_failed(in, r);
}

std::optional<SwitchRecord> decode_switch(const PerfRecord& record) {
  SwitchRecord s;
  s.out = (record.misc & misc::kSwitchOut) != 0;
  s.preempted = s.out && (record.misc & misc::kSwitchOutPreempt) != 0;
  if (record.type == RecordType::kSwitch) return s;
  ByteReader in = reader(record);
  s.other_pid = in.read<std::uint32_t>();
  s.other_tid = in.read<std::uint32_t>();
  return unless_failed(in, s);
}

std::optional<NamespacesRecord> decode_namespaces(const PerfRecord& record) {
  ByteReader in = reader(record);
  NamespacesRecord n;
  n.pid = in.read<std::uint32_t>();
  n.tid = in.read<std::uint32_t>();
  const auto count = in.read<std::uint64_t>();
  if (!in.fits(count, 16)) return std::nullopt;
  n.count = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(count, n.links.size()));
  for (std::uint32_t i = 0; i < n.count; ++i) {
    n.links[i].dev = in.read<std::uint64_t>();
    n.links[i].inode = in.read<std::uint64_t>();
  }
  return unless_failed(in, n);
}

std::optional<CgroupRecord> decode_cgroup(const PerfRecord& record) {
  ByteReader in = reader(record);
  CgroupRecord c;
  c.id = in.read<std::uint64_t>();
  c.path = text(in.rest());
  return unless_failed(in, c);
}

std::optional<KsymbolRecord> decode_ksymbol(const PerfRecord& record) {
  ByteReader in = reader(record);
  KsymbolRecord k;
  k.start = in.read<std::uint64_t>();
  k.size = in.read<std::uint32_t>();
  k.type = in.read<std::uint16_t>();
  k.unregister = (in.read<std::uint16_t>() & 1) != 0;
  k.name = text(in.rest());
  return unless_failed(in, k);
}

std::optional<BpfRecord> decode_bpf(const PerfRecord& record) {
  ByteReader in = reader(record);
  BpfRecord b;
  b.type = in.read<std::uint16_t>();
  b.flags = in.read<std::uint16_t>();
  b.id = in.read<std::uint32_t>();
  b.tag = in.read_bytes(8);
  return unless_failed(in, b);
}

std::optional<TextPokeRecord> decode_text_poke(const PerfRecord& record) {
  ByteReader in = reader(record);
  TextPokeRecord t;
  t.address = in.read<std::uint64_t>();
  const auto old_size = in.read<std::uint16_t>();
  const auto new_size = in.read<std::uint16_t>();
  t.old_bytes = in.read_bytes(old_size);
  t.new_bytes = in.read_bytes(new_size);
  return unless_failed(in, t);
}

std::optional<AuxRecord> decode_aux(const PerfRecord& record) {
  ByteReader in = reader(record);
  AuxRecord a;
  a.offset = in.read<std::uint64_t>();
  a.size = in.read<std::uint64_t>();
  a.flags = in.read<std::uint64_t>();
  return unless_failed(in, a);
}

std::optional<ItraceStartRecord> decode_itrace_start(const PerfRecord& record) {
  ByteReader in = reader(record);
  ItraceStartRecord i;
  i.pid = in.read<std::uint32_t>();
  i.tid = in.read<std::uint32_t>();
  return unless_failed(in, i);
}

std::optional<DeferredCallchain> decode_deferred(
    const PerfRecord& record, std::vector<std::uint64_t>& swapped) {
  ByteReader in = reader(record);
  DeferredCallchain d;
  d.cookie = in.read<std::uint64_t>();
  const auto count = in.read<std::uint64_t>();
  if (in.failed() || !in.fits(count, 8)) return std::nullopt;
  const auto size = static_cast<std::size_t>(count);
  if (record.swap) {
    swapped.clear();
    for (std::size_t i = 0; i < size; ++i)
      swapped.push_back(in.read<std::uint64_t>());
    d.callchain = swapped;
  } else {
    d.callchain = {reinterpret_cast<const std::uint64_t*>(in.rest().data()),
                   size};
  }
  return d;
}

}  // namespace wick
