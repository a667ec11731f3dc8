// SPDX-License-Identifier: Apache-2.0
// What a perf.data file says about itself, apart from its records.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "object/elf/machine.h"
#include "perf/file/recording_facts.h"
#include "perf/records/attr.h"
#include "perf/records/tracepoint.h"

namespace wick {

struct PerfHeader {
  bool pipe_mode = false;
  bool swap = false;  // recorded with the other byte order

  // In the order of the file; never empty in a file that can be read.
  std::vector<PerfEvent> events;
  std::vector<std::unique_ptr<const TracepointFormat>> tracepoints;

  // From the build id section, by file.
  struct BuildId {
    std::string path;      // "[kernel.kallsyms]" for the kernel
    std::string build_id;  // hexadecimal
    std::int32_t pid = 0;  // -1: the host
    std::uint16_t cpu_mode = 0;
  };
  std::vector<BuildId> build_ids;

  // "" or 0 if the file does not say.
  std::string hostname, os_release, perf_version, arch, cpu_description, cpuid;
  std::uint32_t cpus_online = 0, cpus_available = 0;
  std::uint64_t total_memory_kb = 0;
  std::vector<std::string> command_line;  // of perf record
  // Times of the first and the last sample.
  std::uint64_t first_sample_time = 0, last_sample_time = 0;
  std::uint64_t clock_resolution_ns = 0;

  // One moment by the recording's clock and by the wall clock.
  struct ClockData {
    std::uint32_t clockid = 0;
    std::uint64_t wall_ns = 0, clock_ns = 0;
  };
  std::optional<ClockData> clock_data;

  struct Group {
    std::string name;
    std::uint32_t leader = 0, members = 0;  // indices among events
  };
  std::vector<Group> groups;
  struct Pmu {
    std::uint32_t type = 0;
    std::string name;
  };
  std::vector<Pmu> pmus;
  RecordingFacts facts;  // if wick recorded it
  // The names of its code, as object/kept_names.h encodes them; "" if it has
  // none. Lives as long as the file's bytes.
  std::string_view names;
  bool has_branch_stacks = false;
  bool compressed = false;
  bool is_directory = false;  // perf record --threads

  // By arch; without it (a file that is cut off), by the recorded registers,
  // else this machine's own.
  Machine machine = Machine::kOther;

  // The event of this id; null if there is none. Needs index_ids(), once all
  // events are known.
  const PerfEvent* event(std::uint64_t id) const;
  void index_ids();

 private:
  // Ids and the index of their event, in the order of the ids.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> id_index_;
};

}  // namespace wick
