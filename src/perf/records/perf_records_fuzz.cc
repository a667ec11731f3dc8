// SPDX-License-Identifier: Apache-2.0
// Decodes all of a recording, each record as its own kind and as all others,
// and adds up every byte that a view leads to, so that sanitizers see one that
// leads outside.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fuzz_target.h"
#include "perf/file/data_file.h"
#include "perf/records/registers.h"

namespace wick {
namespace {

class Sum {
 public:
  void add(std::uint64_t value) { sum_ = sum_ * 31 + value; }
  void add(std::string_view bytes) {
    for (const char c : bytes) add(static_cast<unsigned char>(c));
  }
  void add(std::span<const std::uint64_t> words) {
    for (const std::uint64_t word : words) add(word);
  }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

void add_sample(const PerfRecord& record, PerfSample& s, Sum& sum) {
  if (!decode_sample(record, s)) sum.add(1);
  sum.add(s.ip + s.time + s.pid + s.tid + s.period + s.weight);
  sum.add(s.callchain);
  sum.add(s.raw);
  for (const BranchEntry& branch : s.branches)
    sum.add(branch.from + branch.to + branch.flags);
  sum.add(s.user_registers.values);
  sum.add(s.interrupt_registers.values);
  sum.add(s.user_stack);
  sum.add(s.aux);
  for (std::size_t i = 0; i < s.read.size(); ++i) sum.add(s.read[i].value);
  for (const Machine machine :
       {Machine::kX86_64, Machine::kAArch64, Machine::kRiscV})
    sum.add(unwind_registers(machine, s.user_registers).known);
  if (const TracepointFormat* format = record.event->tracepoint)
    for (const TracepointField& field : format->fields) {
      sum.add(static_cast<std::uint64_t>(
          format->integer(field, s.raw).value_or(0)));
      sum.add(format->text(field, s.raw));
    }
}

void add_other(const PerfRecord& r, std::vector<std::uint64_t>& swapped,
               Sum& sum) {
  sum.add(decode_record_id(r).time);
  if (const auto v = decode_mmap(r)) {
    sum.add(v->path);
    sum.add(v->build_id);
  }
  if (const auto v = decode_comm(r)) sum.add(v->name);
  if (const auto v = decode_task(r)) sum.add(v->time);
  if (const auto v = decode_lost(r)) sum.add(v->lost);
  if (const auto v = decode_throttle(r)) sum.add(v->time);
  if (const auto v = decode_read(r)) sum.add(v->value);
  if (const auto v = decode_switch(r)) sum.add(v->other_tid);
  if (const auto v = decode_namespaces(r))
    for (const auto& link : v->links) sum.add(link.inode);
  if (const auto v = decode_cgroup(r)) sum.add(v->path);
  if (const auto v = decode_ksymbol(r)) sum.add(v->name);
  if (const auto v = decode_bpf(r)) sum.add(v->tag);
  if (const auto v = decode_text_poke(r)) {
    sum.add(v->old_bytes);
    sum.add(v->new_bytes);
  }
  if (const auto v = decode_aux(r)) sum.add(v->flags);
  if (const auto v = decode_itrace_start(r)) sum.add(v->tid);
  if (const auto v = decode_deferred(r, swapped)) sum.add(v->callchain);
}

void read_everything(std::string_view bytes) {
  InputFile input = InputFile::from_memory("perf.data", std::string(bytes));
  PerfData data(input);
  Sum sum;
  for (const PerfEvent& event : data.header().events) sum.add(event.name);
  for (const auto& id : data.header().build_ids) sum.add(id.path);
  PerfSample sample;
  std::vector<std::uint64_t> swapped;
  data.for_each_in_time_order([&](const PerfRecord& record) {
    sum.add(record.time);
    if (record.type == RecordType::kSample)
      add_sample(record, sample, sum);
    else
      add_other(record, swapped, sum);
  });
  volatile std::uint64_t result = sum.value();  // so that it is computed
  static_cast<void>(result);
}

}  // namespace

extern const FuzzTarget perf_records_fuzz = {.name = "perf-records",
                                             .run = read_everything};

}  // namespace wick
