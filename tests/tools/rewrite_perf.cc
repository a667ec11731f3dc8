// SPDX-License-Identifier: Apache-2.0
// Writes a perf.data file again, through the writer that wick records with, so
// that perf can be asked whether both say the same.
//
//   rewrite_perf IN OUT [LEVEL [RECORDS]]
//
// LEVEL is of zstd, 0 for none. After RECORDS of them it kills itself.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/bytes.h"
#include "base/error.h"
#include "io/compress.h"
#include "io/input_file.h"
#include "perf/file/build_ids.h"
#include "perf/file/data_file.h"
#include "perf/file/data_writer.h"
#include "perf/recording/tracing_data.h"
#include "perf/records/record_scanner.h"

namespace wick {
namespace {

std::vector<RecordedEvent> events_of(const PerfHeader& header) {
  std::vector<RecordedEvent> events;
  for (const PerfEvent& event : header.events)
    events.push_back(
        {.attr = event.attr, .name = event.name, .ids = event.ids});
  return events;
}

void describe(const PerfHeader& h, PerfDataWriter& out) {
  out.machine({.hostname = h.hostname,
               .os_release = h.os_release,
               .arch = h.arch,
               .cpus_online = h.cpus_online,
               .cpus_available = h.cpus_available,
               .cpu_description = h.cpu_description,
               .cpuid = h.cpuid,
               .total_memory_kb = h.total_memory_kb});
  out.command_line(h.command_line);
  out.pmus(h.pmus);
  if (!h.groups.empty()) out.groups(h.groups);
  if (h.clock_data) out.clock(*h.clock_data, h.clock_resolution_ns);
  std::vector<std::string> tracepoints;
  for (const PerfEvent& event : h.events)
    if (event.tracepoint != nullptr) tracepoints.push_back(event.name);
  if (!tracepoints.empty()) out.tracing_data(collect_tracing_data(tracepoints));
}

class Rewriter {
 public:
  Rewriter(PerfDataWriter& out, std::uint64_t records)
      : out_(out), left_(records) {}

  void write_all(std::string_view records) {
    RecordScanner scanner(records, false);
    for (RecordScanner::Item item; scanner.next(item);) write(item);
  }

 private:
  void write(const RecordScanner::Item& item) {
    if (item.header.type == RecordType::kCompressed) return inflate(item.body);
    if (item.header.type == RecordType::kFinishedRound)
      out_.finished_round();
    else
      out_.write({item.start,
                  kRecordHeaderSize + item.body.size() + item.payload.size()});
    if (--left_ == 0) {
      out_.flush();
      out_.write({item.start, item.body.size() + kRecordHeaderSize});
      ::kill(::getpid(), SIGKILL);
    }
  }

  void inflate(std::string_view body) {
    std::string piece(1 << 20, '\0');
    while (true) {
      const std::size_t made = zstd_.step(body, piece.data(), piece.size());
      plain_.append(piece, 0, made);
      if (made == 0 && body.empty()) break;
    }
    std::size_t whole = 0;
    while (plain_.size() - whole >= kRecordHeaderSize) {
      const std::size_t size =
          read_record_header(plain_.data() + whole, false).size;
      if (size > plain_.size() - whole) break;
      whole += size;
    }
    write_all(std::string_view(plain_).substr(0, whole));
    plain_.erase(0, whole);
  }

  PerfDataWriter& out_;
  std::uint64_t left_;  // of the records before the end; it wraps at 0
  Decompressor zstd_{Compression::kZstd};
  std::string plain_;
};

void rewrite(const std::string& from, const std::string& to, int level,
             std::uint64_t records) {
  InputFile input = InputFile::open(from);
  const PerfData data(input);
  const PerfHeader& header = data.header();
  PerfDataWriter out(OutputName::typed(to), events_of(header),
                     {.compression_level = level, .recorder = "wick test"});
  describe(header, out);
  const std::string_view file = input.bytes();
  ByteReader section(file.substr(40));
  const auto offset = section.read<std::uint64_t>();
  const auto size = section.read<std::uint64_t>();
  Rewriter(out, records).write_all(file.substr(offset, size));
  out.build_ids(header.build_ids);
  out.sample_times(header.first_sample_time, header.last_sample_time);
  out.finish();
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) try {
  if (argc < 3) return 2;
  wick::rewrite(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 0,
                argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 0);
  return 0;
} catch (const wick::Error& error) {
  fmt::print(stderr, "rewrite_perf: {}\n", error.what());
  return 1;
}
