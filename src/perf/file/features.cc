// SPDX-License-Identifier: Apache-2.0
#include "perf/file/features.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/bytes.h"
#include "base/text.h"
#include "object/elf/machine.h"

namespace wick {
namespace {

// More than any recording has; they bound the work for a hostile file.
constexpr std::size_t kMaxEvents = 1 << 16;
constexpr std::size_t kMaxPmus = 1 << 12;

// A u32 size, then that many bytes: a text, terminated and padded with zeros.
std::string read_text(ByteReader& in) {
  const auto size = in.read<std::uint32_t>();
  const std::string_view bytes = in.read_bytes(size);
  return std::string(bytes.substr(0, bytes.find('\0')));
}

std::string text_until_zero(std::string_view bytes) {
  return std::string(bytes.substr(0, bytes.find('\0')));
}

std::vector<std::uint64_t> read_ids(std::string_view bytes, bool swap) {
  std::vector<std::uint64_t> ids;
  for (ByteReader in(bytes, swap); in.fits(1, 8);)
    ids.push_back(in.read<std::uint64_t>());
  return ids;
}

}  // namespace

const PerfEvent* PerfHeader::event(std::uint64_t id) const {
  const auto found =
      std::lower_bound(id_index_.begin(), id_index_.end(), id,
                       [](const auto& entry, std::uint64_t wanted) {
                         return entry.first < wanted;
                       });
  if (found == id_index_.end() || found->first != id) return nullptr;
  return &events[found->second];
}

void PerfHeader::index_ids() {
  id_index_.clear();
  for (std::uint32_t i = 0; i < events.size(); ++i)
    for (const std::uint64_t id : events[i].ids) id_index_.emplace_back(id, i);
  std::stable_sort(
      id_index_.begin(), id_index_.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
}

void HeaderReader::feature(Feature feature, std::string_view bytes) {
  PerfHeader& h = header_;
  ByteReader in(bytes, h.swap);
  switch (feature) {
    case Feature::kTracingData:
      return tracing_data(bytes);
    case Feature::kBuildId:
      return build_ids(bytes);
    case Feature::kEventDesc:
      return event_names(bytes);
    case Feature::kHostname:
      h.hostname = read_text(in);
      break;
    case Feature::kOsRelease:
      h.os_release = read_text(in);
      break;
    case Feature::kVersion:
      h.perf_version = read_text(in);
      break;
    case Feature::kArch:
      h.arch = read_text(in);
      break;
    case Feature::kCpuDesc:
      h.cpu_description = read_text(in);
      break;
    case Feature::kCpuId:
      h.cpuid = read_text(in);
      break;
    case Feature::kNrCpus: {
      // Some versions of perf wrote them in reverse order.
      const auto a = in.read<std::uint32_t>(), b = in.read<std::uint32_t>();
      h.cpus_available = std::max(a, b);
      h.cpus_online = std::min(a, b);
      break;
    }
    case Feature::kTotalMem:
      h.total_memory_kb = in.read<std::uint64_t>();
      break;
    case Feature::kCmdline: {
      const auto count = in.read<std::uint32_t>();
      for (std::uint32_t i = 0; i < count && !in.at_end(); ++i)
        h.command_line.push_back(read_text(in));
      break;
    }
    case Feature::kBranchStack:
      h.has_branch_stacks = true;
      break;
    case Feature::kPmuMappings: {
      const auto count = in.read<std::uint32_t>();
      for (std::uint32_t i = 0; i < count && !in.at_end(); ++i) {
        if (h.pmus.size() >= kMaxPmus) break;
        const auto type = in.read<std::uint32_t>();
        h.pmus.push_back({.type = type, .name = read_text(in)});
      }
      break;
    }
    case Feature::kGroupDesc: {
      const auto count = in.read<std::uint32_t>();
      for (std::uint32_t i = 0; i < count && !in.at_end(); ++i) {
        PerfHeader::Group group;
        group.name = read_text(in);
        group.leader = in.read<std::uint32_t>();
        group.members = in.read<std::uint32_t>();
        if (!in.failed()) h.groups.push_back(std::move(group));
      }
      break;
    }
    case Feature::kSampleTime:
      h.first_sample_time = in.read<std::uint64_t>();
      h.last_sample_time = in.read<std::uint64_t>();
      break;
    case Feature::kClockId:
      h.clock_resolution_ns = in.read<std::uint64_t>();
      break;
    case Feature::kClockData: {
      in.read<std::uint32_t>();  // version
      PerfHeader::ClockData clock;
      clock.clockid = in.read<std::uint32_t>();
      clock.wall_ns = in.read<std::uint64_t>();
      clock.clock_ns = in.read<std::uint64_t>();
      if (!in.failed()) h.clock_data = clock;
      break;
    }
    case Feature::kCompressed:
      h.compressed = true;
      break;
    case Feature::kDirFormat:
      h.is_directory = true;
      break;
    default:  // topology, caches, BPF programs: not needed for a profile
      break;
  }
}

bool HeaderReader::add_event(std::string_view attr, std::string_view ids) {
  if (header_.events.size() >= kMaxEvents) return false;
  const auto read = read_attr(attr, header_.swap);
  if (!read) return false;
  PerfEvent event;
  event.attr = *read;
  event.layout = id_layout(*read);
  event.ids = read_ids(ids, header_.swap);
  header_.events.push_back(std::move(event));
  return true;
}

void HeaderReader::header_attr(std::string_view body) {
  ByteReader in(body, header_.swap);
  in.read<std::uint32_t>();
  const auto size = std::max<std::size_t>(in.read<std::uint32_t>(), 64);
  if (body.size() < size) return;
  add_event(body.substr(0, size), body.substr(size));
}

void HeaderReader::event_update(std::string_view body) {
  ByteReader in(body, header_.swap);
  const auto kind = in.read<std::uint64_t>();
  const auto id = in.read<std::uint64_t>();
  if (in.failed() || (kind != 0 && kind != 2)) return;
  event_updates_.push_back(
      {.id = id, .is_unit = kind == 0, .text = text_until_zero(in.rest())});
}

PerfEvent* HeaderReader::event(std::uint64_t id) {
  return const_cast<PerfEvent*>(header_.event(id));
}

void HeaderReader::build_id(std::string_view body, std::uint16_t misc) {
  ByteReader in(body, header_.swap);
  PerfHeader::BuildId result;
  result.pid = in.read<std::int32_t>();
  result.cpu_mode = misc & misc::kCpuModeMask;
  std::string_view id = in.read_bytes(24);
  if (in.failed()) return;
  if ((misc & misc::kBuildIdSize) != 0) {
    id = id.substr(
        0, std::min<std::size_t>(static_cast<unsigned char>(id[20]), 20));
  } else {
    // Older files do not give its length: 20 bytes, zero-padded.
    id = id.substr(0, 20);
    while (id.ends_with(std::string_view("\0\0\0\0", 4))) id.remove_suffix(4);
  }
  result.build_id = to_hexadecimal(id);
  result.path = text_until_zero(in.rest());
  header_.build_ids.push_back(std::move(result));
}

void HeaderReader::build_ids(std::string_view bytes) {
  while (bytes.size() >= kRecordHeaderSize) {
    ByteReader in(bytes, header_.swap);
    in.read<std::uint32_t>();
    const auto misc = in.read<std::uint16_t>();
    const auto size = in.read<std::uint16_t>();
    if (size < kRecordHeaderSize || size > bytes.size()) return;
    build_id(bytes.substr(kRecordHeaderSize, size - kRecordHeaderSize), misc);
    bytes.remove_prefix(size);
  }
}

void HeaderReader::tracing_data(std::string_view bytes) {
  if (header_.tracepoints.empty())
    header_.tracepoints = read_tracing_data(bytes);
}

// EVENT_DESC: u32 events, u32 size of an attr; for each its attr, u32 ids, its
// name, its ids.
void HeaderReader::event_names(std::string_view bytes) {
  ByteReader in(bytes, header_.swap);
  const auto count = in.read<std::uint32_t>();
  const auto attr_size = in.read<std::uint32_t>();
  for (std::uint32_t i = 0; i < count && !in.at_end(); ++i) {
    in.read_bytes(attr_size);
    const auto ids = in.read<std::uint32_t>();
    EventName event;
    event.name = read_text(in);
    if (!in.fits(ids, 8)) return;
    event.ids = read_ids(in.read_bytes(std::uint64_t{ids} * 8), header_.swap);
    if (!in.failed()) event_names_.push_back(std::move(event));
  }
}

std::string HeaderReader::name_of(const PerfEvent& event) const {
  const EventAttr& attr = event.attr;
  if (event.tracepoint != nullptr)
    return event.tracepoint->system + ":" + event.tracepoint->name;
  const auto pmu_name = [&](std::uint64_t type) -> std::string_view {
    for (const PerfHeader::Pmu& pmu : header_.pmus)
      if (pmu.type == type) return pmu.name;
    return {};
  };
  std::string name = default_event_name(attr);
  if (attr.type == event_type::kHardware || attr.type == event_type::kHwCache) {
    const std::string_view pmu = pmu_name(attr.config >> 32);
    if (attr.config >> 32 != 0 && !pmu.empty() && !name.empty())
      return fmt::format("{}/{}/", pmu, name);
  }
  if (!name.empty()) return name;
  if (attr.type == event_type::kTracepoint)
    return fmt::format("tracepoint {}", attr.config);
  const std::string_view pmu = pmu_name(attr.type);
  if (!pmu.empty()) return fmt::format("{}/config={:#x}/", pmu, attr.config);
  return fmt::format("event {}:{:#x}", attr.type, attr.config);
}

void HeaderReader::find_tracepoints() {
  std::vector<const TracepointFormat*> formats;
  for (const auto& format : header_.tracepoints)
    formats.push_back(format.get());
  std::ranges::stable_sort(formats, {}, &TracepointFormat::id);
  for (PerfEvent& event : header_.events) {
    if (event.attr.type != event_type::kTracepoint) continue;
    const auto found = std::ranges::lower_bound(formats, event.attr.config, {},
                                                &TracepointFormat::id);
    if (found != formats.end() && (*found)->id == event.attr.config)
      event.tracepoint = *found;
  }
}

void HeaderReader::name_events() {
  for (EventUpdate& update : event_updates_)
    if (PerfEvent* found = event(update.id))
      (update.is_unit ? found->unit : found->name) = std::move(update.text);
  // By id; in files without ids, names are in the order of the events.
  for (std::size_t i = 0; i < event_names_.size(); ++i) {
    EventName& named = event_names_[i];
    PerfEvent* found = named.ids.empty() ? nullptr : event(named.ids.front());
    if (found == nullptr && event_names_.size() == header_.events.size())
      found = &header_.events[i];
    if (found != nullptr && found->name.empty())
      found->name = std::move(named.name);
  }
  for (PerfEvent& event : header_.events)
    if (event.name.empty()) event.name = name_of(event);
}

void HeaderReader::group_events() {
  const auto count = static_cast<std::uint32_t>(header_.events.size());
  for (std::uint32_t i = 0; i < count; ++i) header_.events[i].group_leader = i;
  std::uint32_t grouped = 0;  // groups follow each other, so this stays linear
  for (const PerfHeader::Group& group : header_.groups) {
    if (group.leader < grouped || group.leader >= count) continue;
    const std::uint32_t end =
        group.leader + std::min(group.members, count - group.leader);
    for (grouped = group.leader; grouped < end; ++grouped)
      header_.events[grouped].group_leader = group.leader;
  }
}

Machine HeaderReader::guess_machine() const {
  if (!header_.arch.empty()) return machine_named(header_.arch);
  for (const PerfEvent& event : header_.events) {
    const std::uint64_t mask = event.attr.sample_regs_user;
    if (mask != 0) return machine_of_registers(mask);
  }
  return header_.swap ? Machine::kOther : own_machine();
}

void HeaderReader::finish() {
  PerfHeader& h = header_;
  h.index_ids();
  find_tracepoints();
  name_events();
  group_events();
  h.machine = guess_machine();
}

}  // namespace wick
