// SPDX-License-Identifier: Apache-2.0
// Prints the records of a perf.data file in the order of time, in the words of
// `perf script -D`, for tests/e2e/perf_records.py to compare.
#include <cstdio>

#include "base/error.h"
#include "perf/file/data_file.h"

namespace wick {
namespace {

// perf prints ids with a sign: a thread that has ended is -1.
std::int32_t number(std::uint32_t id) { return static_cast<std::int32_t>(id); }

void print_sample(const PerfRecord& record, const PerfSample& s) {
  fmt::print("{} SAMPLE(IP, {:#x}): {}/{}: {:#x} period: {} addr: {:#x}\n",
             record.time, record.misc, number(s.pid), number(s.tid), s.ip,
             s.period, s.addr);
  for (const std::uint64_t ip : s.callchain) fmt::print("  chain {:x}\n", ip);
  for (const std::uint64_t value : s.user_registers.values)
    fmt::print("  register {:x}\n", value);
  if (s.has(sample_type::kStackUser))
    fmt::print("  stack {}\n", s.user_stack.size());
  if (s.has(sample_type::kRead))
    for (std::size_t i = 0; i < s.read.size(); ++i)
      fmt::print("  read {:x} {:x}\n", s.read[i].id, s.read[i].value);
  const TracepointFormat* format = record.event->tracepoint;
  if (format == nullptr) return;
  for (const char* name : {"prev_pid", "next_pid"})
    if (const TracepointField* field = format->field(name))
      fmt::print("  {} {}\n", name,
                 format->integer(*field, s.raw).value_or(-1));
}

std::string place(const PerfRecord& record, const MmapRecord& m) {
  std::string file;
  if (!m.build_id.empty()) {
    for (const char c : m.build_id)
      file += fmt::format("{:02x}", static_cast<unsigned char>(c));
    file = " <" + file + ">";
  } else if (record.type == RecordType::kMmap2) {
    file = fmt::format(" {:02x}:{:02x} {} {}", m.dev_major, m.dev_minor,
                       m.inode, m.inode_generation);
  }
  return fmt::format(
      "[{:#x}({:#x}) @ {}{}]", m.start, m.size,
      m.page_offset == 0 ? "0" : fmt::format("{:#x}", m.page_offset), file);
}

std::string protection(const PerfRecord& record, const MmapRecord& m) {
  if (record.type == RecordType::kMmap) return m.is_data ? "r" : "x";
  std::string text = "---p";
  if (m.protection & 1) text[0] = 'r';
  if (m.protection & 2) text[1] = 'w';
  if (m.protection & 4) text[2] = 'x';
  if (m.flags & 1) text[3] = 's';  // MAP_SHARED
  return text;
}

void print_other(const PerfRecord& r) {
  const auto start = [&](const char* kind) {
    fmt::print("{} {}", r.time, kind);
  };
  if (r.type == RecordType::kMmap || r.type == RecordType::kMmap2) {
    if (const auto m = decode_mmap(r)) {
      start(r.type == RecordType::kMmap ? "MMAP" : "MMAP2");
      fmt::print(" {}/{}: {}: {} {}\n", number(m->pid), number(m->tid),
                 place(r, *m), protection(r, *m), m->path);
      return;
    }
  } else if (r.type == RecordType::kComm) {
    if (const auto c = decode_comm(r)) {
      start(c->exec ? "COMM exec" : "COMM");
      fmt::print(": {}:{}/{}\n", c->name, number(c->pid), number(c->tid));
      return;
    }
  } else if (r.type == RecordType::kFork || r.type == RecordType::kExit) {
    if (const auto t = decode_task(r)) {
      start(r.type == RecordType::kFork ? "FORK" : "EXIT");
      fmt::print("({}:{}):({}:{})\n", t->pid, t->tid, t->parent_pid,
                 t->parent_tid);
      return;
    }
  } else if (r.type == RecordType::kSwitchCpuWide ||
             r.type == RecordType::kSwitch) {
    if (const auto s = decode_switch(r)) {
      const bool wide = r.type == RecordType::kSwitchCpuWide;
      start(wide ? "SWITCH_CPU_WIDE" : "SWITCH");
      fmt::print(" {}{}", s->out ? "OUT" : "IN",
                 s->preempted ? " preempt" : "");
      if (wide)
        fmt::print(" {} pid/tid: {}/{}", s->out ? "next" : "prev",
                   number(s->other_pid), number(s->other_tid));
      fmt::print("\n");
      return;
    }
  }
  fmt::print("{} type {}\n", r.time, static_cast<std::uint32_t>(r.type));
}

void dump(PerfData& data) {
  PerfSample sample;
  std::uint64_t damaged = 0;
  data.for_each_in_time_order([&](const PerfRecord& record) {
    if (record.type != RecordType::kSample)
      print_other(record);
    else if (decode_sample(record, sample))
      print_sample(record, sample);
    else
      ++damaged;
  });
  const PerfCounts& c = data.counts();
  for (const PerfEvent& event : data.header().events)
    fmt::print("event {}\n", event.name);
  fmt::print("late {}\n", c.out_of_order);
  fmt::print("problems {}\n", damaged + c.bad_records + c.unknown_records +
                                  c.unknown_ids + c.damaged_streams +
                                  (c.truncated ? 1 : 0));
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) try {
  if (argc != 2) wick::fail_usage("usage: dump_perf FILE");
  if (wick::PerfData::is_perf_directory(argv[1])) {
    wick::PerfData data = wick::PerfData::open_directory(argv[1]);
    wick::dump(data);
  } else {
    wick::InputFile input = wick::InputFile::open(argv[1]);
    wick::PerfData data(input);
    wick::dump(data);
  }
} catch (const wick::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
