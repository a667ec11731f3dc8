// SPDX-License-Identifier: Apache-2.0
// Writes a perf.data file that perf, Hotspot and wick read.
//
//   PerfDataWriter file(OutputName::chosen("perf.data"), events,
//                       {.compression_level = 1});
//   file.machine(machine_info());
//   file.write(record);          // as the kernel gave it
//   file.finished_round();
//   file.build_ids(…);
//   file.finish();
//
// The file has its final name from the start and can be read at any moment,
// even after the recorder was killed: everything flushed is in it. Hence the
// layout:
//
//   header │ ids │ attrs │ early sections │ records … │ table │ late sections
//
// A reader finds the table of feature sections after the records, by the size
// of the data in the header, but the sections themselves may be anywhere. Those
// that are known before the first record precede the records. A flush appends
// records and a new table of a few hundred bytes, which the next flush
// overwrites, and then updates the header. finish() adds what is known only at
// the end. perf itself leaves the size 0 until the end; its reader then takes
// the first records for the table and refuses files with tracepoints.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/output_name.h"
#include "perf/file/header.h"
#include "perf/file/machine_info.h"
#include "perf/records/attr.h"

namespace wick {

struct RecordedEvent {
  EventAttr attr;
  std::string name;                // as perf report shows it
  std::vector<std::uint64_t> ids;  // PERF_EVENT_IOC_ID of all its fds
};

class PerfDataWriter {
 public:
  struct Options {
    int compression_level = 0;  // zstd, 1 to 22; 0: none
    // perf's version becomes "6.1 (wick)": the perf whose layout the file has,
    // and the program that wrote it.
    std::string recorder = "wick";
    // Renames an older file of this name to NAME.old, as perf does.
    bool keep_old = true;
  };

  // Writes the header. Fails if the file cannot be written.
  PerfDataWriter(const OutputName& name, std::vector<RecordedEvent> events,
                 Options options);
  PerfDataWriter(const OutputName& name, std::vector<RecordedEvent> events)
      : PerfDataWriter(name, std::move(events), Options()) {}
  PerfDataWriter(PerfDataWriter&&) noexcept;
  // Without finish(), the file has what was flushed, as after a SIGKILL.
  ~PerfDataWriter();

  // One or several whole records, headers included. Buffered. Data after a
  // record of the perf tool (AUXTRACE) belongs into the same call.
  //
  // Throws Error once if the disk is full: the file is restored to the last
  // flush, and further records are only counted. finish() then still tries to
  // add its sections, and does not fail.
  void write(std::string_view records);
  // Records written so far are older than those written after the next call.
  // Also flushes once a second.
  void finished_round();
  // Lets a reader find everything written so far.
  void flush();

  // Sections, any time before finish(); those set before the first record
  // survive a SIGKILL. Events, the recorder, branch stacks and compression need
  // no call.
  void machine(const MachineInfo& info);
  void command_line(std::span<const std::string> words);
  void build_ids(std::span<const PerfHeader::BuildId> ids);
  void sample_times(std::uint64_t first, std::uint64_t last);
  // attr.clockid, its resolution, and one moment by it and by the wall clock.
  void clock(const PerfHeader::ClockData& clock, std::uint64_t resolution_ns);
  void pmus(std::span<const PerfHeader::Pmu> pmus);
  void groups(std::span<const PerfHeader::Group> groups);
  void tracing_data(std::string bytes);  // see tracing_data.h
  // Any section, with its raw content.
  void feature(Feature feature, std::string content);
  // Replace what was set before. Other readers see neither of them.
  void facts(RecordingFacts facts);
  void names(std::string bytes);  // of object/kept_names.h

  // Bytes of the file so far; of its part that a reader would find now; of
  // records before compression.
  std::uint64_t bytes() const;
  std::uint64_t flushed_bytes() const;
  std::uint64_t record_bytes() const;
  // Of records written after the disk was full.
  std::uint64_t dropped_bytes() const;
  const std::string& path() const;
  bool is_full() const;  // a write failed

  // Completes and closes the file.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wick
