// SPDX-License-Identifier: Apache-2.0
// perf_event_attr: how an event was recorded, and so what its records contain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/records/abi.h"

namespace wick {

struct TracepointFormat;

// As in the kernel; fields that an older file lacks are 0.
struct EventAttr {
  std::uint32_t type = 0;
  std::uint32_t size = 0;
  std::uint64_t config = 0;
  std::uint64_t sample_period = 0;  // a frequency if is_frequency()
  std::uint64_t sample_type = 0;
  std::uint64_t read_format = 0;
  std::uint64_t flags =
      0;  // attr_flag, in the order of a little-endian machine
  std::uint32_t wakeup_events = 0;  // bytes if attr_flag::kWatermark
  std::uint32_t bp_type = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  std::uint64_t branch_sample_type = 0;
  std::uint64_t sample_regs_user = 0;
  std::uint32_t sample_stack_user = 0;
  std::int32_t clockid = 0;
  std::uint64_t sample_regs_intr = 0;
  std::uint32_t aux_watermark = 0;
  std::uint16_t sample_max_stack = 0;
  std::uint32_t aux_sample_size = 0;
  std::uint64_t sig_data = 0;
  std::uint64_t config3 = 0;

  bool samples(std::uint64_t bits) const { return (sample_type & bits) != 0; }
  bool flag(std::uint64_t bit) const { return (flags & bit) != 0; }
  std::uint64_t precise_ip() const {
    return (flags & attr_flag::kPrecise) >> attr_flag::kPreciseShift;
  }
  bool is_frequency() const { return flag(attr_flag::kFreq); }
  // Excluding the kernel would leave nothing of it.
  bool happens_in_kernel() const {
    return type == event_type::kTracepoint ||
           (type == event_type::kSoftware &&
            (config == software_event::kContextSwitches ||
             config == software_event::kCpuMigrations ||
             config == software_event::kCgroupSwitches));
  }
  bool sample_id_all() const { return flag(attr_flag::kSampleIdAll); }

  friend bool operator==(const EventAttr&, const EventAttr&) = default;
};

// `bytes` is one attr as stored, which may be shorter or longer than EventAttr.
// Nothing if it has fewer than 64 bytes, the size of the oldest version.
std::optional<EventAttr> read_attr(std::string_view bytes, bool swap);

// As the kernel takes it and files store it, in this machine's byte order and
// attr.size bytes long; kAttrSize includes every field.
inline constexpr std::uint32_t kAttrSize = 136;
std::string write_attr(const EventAttr& attr);
// The smallest size that includes all fields that are not 0, of those that the
// kernel has used from 112 (Linux 4.8) on. perf refuses attrs longer than its
// own.
std::uint32_t needed_attr_size(const EventAttr& attr);

// Where a record's id and time are, in words of 8 bytes: in a SAMPLE from the
// start of its body, in other records back from its end (1 is the last word).
// -1: it has none.
struct IdLayout {
  std::int8_t sample_id = -1, sample_time = -1;
  std::int8_t trailer_id = -1, trailer_time = -1;
  std::int8_t trailer_words = 0;  // of the sample_id trailer
  friend bool operator==(const IdLayout&, const IdLayout&) = default;
};
IdLayout id_layout(const EventAttr& attr);

// One event of a recording: "cycles", "sched:sched_switch".
struct PerfEvent {
  std::string name;
  EventAttr attr;
  IdLayout layout;
  std::vector<std::uint64_t> ids;  // each of its records has one of them
  std::string unit;                // of the counts; rarely given
  // The layout of its samples' raw bytes; null if it is not a tracepoint or the
  // file does not describe it. Lives as long as the PerfData.
  const TracepointFormat* tracepoint = nullptr;
  // Index of the group's leader among the events; its own outside of a group.
  std::uint32_t group_leader = 0;
};

// The name that type and config imply: "cpu-clock", "cache-misses",
// "L1-dcache-load-misses", "r1a8", "mem:0x1000". "" if none.
std::string default_event_name(const EventAttr& attr);

}  // namespace wick
