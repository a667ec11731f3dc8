// SPDX-License-Identifier: Apache-2.0
// Lines of /proc, whose names other processes choose, and lists of events. What
// is read as a mapping must be the same after it was written as a record.
#include <cstdlib>

#include "base/bytes.h"
#include "base/error.h"
#include "base/fuzz_target.h"
#include "base/text.h"
#include "io/process_stat.h"
#include "perf/events/event_spec.h"
#include "perf/events/proc_files.h"
#include "perf/events/proc_thread.h"
#include "perf/records/record_encoder.h"

namespace wick {
namespace {

void check_mapping(const ProcMapping& mapping) {
  EventAttr attr;
  attr.sample_type = sample_type::kTid | sample_type::kTime;
  attr.flags = attr_flag::kSampleIdAll;
  const PerfEvent event{.attr = attr, .layout = id_layout(attr)};
  RecordEncoder encoder(attr, 1, 2);
  const std::string_view bytes =
      encoder.mmap2({.start = mapping.start,
                     .size = mapping.end - mapping.start,
                     .inode = mapping.inode,
                     .path = mapping.path});
  PerfRecord record;
  record.type = RecordType::kMmap2;
  record.body = bytes.substr(kRecordHeaderSize);
  record.event = &event;
  const auto read = decode_mmap(record);
  std::string_view path = mapping.path;
  path = path.substr(0, path.find('\0')).substr(0, 4095);
  if (!read || read->start != mapping.start || read->path != path ||
      read->inode != mapping.inode || bytes.size() % 8 != 0)
    std::abort();
}

void check_events(std::string_view list) {
  const SystemPaths nowhere{.proc = "/nowhere",
                            .sys = "/nowhere",
                            .tracefs = "/nowhere",
                            .debug_tracefs = "/nowhere",
                            .modules = "/nowhere"};
  try {
    for (const EventSpec& spec : parse_events(list, nowhere)) {
      EventAttr attr;
      spec.apply_to(attr);
      if (spec.name.empty()) std::abort();
    }
  } catch (const UsageError&) {
  }
}

void fuzz_proc_files(std::string_view bytes) {
  parse_status(bytes);
  parse_process_stat(bytes);
  parse_switch_counts(bytes);
  parse_blocked_at(bytes);
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::string_view line = take_line(rest);
    parse_modules_line(line);
    parse_kernel_frame(line);
    if (const auto mapping = parse_maps_line(line)) check_mapping(*mapping);
  }
  check_events(bytes);
}

}  // namespace

extern const FuzzTarget proc_files_fuzz = {.name = "proc-files",
                                           .run = fuzz_proc_files};

}  // namespace wick
