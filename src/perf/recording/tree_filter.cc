// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/tree_filter.h"

#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "perf/events/bpf.h"
#include "perf/events/event_open.h"
#include "perf/recording/tracing_data.h"
#include "perf/records/abi.h"
#include "perf/records/attr.h"
#include "perf/records/tracepoint.h"

namespace wick {
namespace {

// From the frame pointer, in what follows.
constexpr std::int16_t kThread = -4, kChild = -8, kValue = -12, kZero = -16;

struct Tables {
  UniqueFd threads;  // those of the tree
  UniqueFd is_full;  // one number
};

// What a program for a tracepoint returns decides whether others, too, get an
// event of it.
constexpr std::int32_t kForOthers = 1;

BpfAssembler on_sample(const Tables& tables) {
  BpfAssembler out;
  out.call(BPF_FUNC_get_current_pid_tgid);
  out.store(BPF_W, BPF_REG_10, kThread, BPF_REG_0);
  out.look_up(tables.threads.get(), kThread);
  out.end_unless_zero(BPF_REG_0, 1);
  out.store_value(BPF_REG_10, kZero, 0);
  out.look_up(tables.is_full.get(), kZero);
  out.end_if_zero(BPF_REG_0, 1);
  out.load(BPF_W, BPF_REG_1, BPF_REG_0, 0);
  out.end_if_zero(BPF_REG_1, 0);
  out.end(1);
  return out;
}

BpfAssembler on_begin(const Tables& tables, std::int16_t parent,
                      std::int16_t child) {
  BpfAssembler out;
  out.move(BPF_REG_6, BPF_REG_1);
  out.load(BPF_W, BPF_REG_1, BPF_REG_6, parent);
  out.store(BPF_W, BPF_REG_10, kThread, BPF_REG_1);
  out.look_up(tables.threads.get(), kThread);
  out.end_if_zero(BPF_REG_0, kForOthers);
  out.load(BPF_W, BPF_REG_1, BPF_REG_6, child);
  out.store(BPF_W, BPF_REG_10, kChild, BPF_REG_1);
  out.store_value(BPF_REG_10, kValue, 1);
  out.move(BPF_REG_2, BPF_REG_10);
  out.add(BPF_REG_2, kChild);
  out.move(BPF_REG_3, BPF_REG_10);
  out.add(BPF_REG_3, kValue);
  out.set(BPF_REG_4, BPF_ANY);
  out.set_map(BPF_REG_1, tables.threads.get());
  out.call(BPF_FUNC_map_update_elem);
  out.end_if_zero(BPF_REG_0, kForOthers);
  out.store_value(BPF_REG_10, kZero, 0);
  out.look_up(tables.is_full.get(), kZero);
  out.end_if_zero(BPF_REG_0, kForOthers);
  out.store_value(BPF_REG_0, 0, 1);
  out.end(kForOthers);
  return out;
}

// A thread that has ended still runs for a moment; it is removed when the
// kernel frees it.
BpfAssembler on_end(const Tables& tables, std::int16_t thread) {
  BpfAssembler out;
  out.load(BPF_W, BPF_REG_1, BPF_REG_1, thread);
  out.store(BPF_W, BPF_REG_10, kThread, BPF_REG_1);
  out.move(BPF_REG_2, BPF_REG_10);
  out.add(BPF_REG_2, kThread);
  out.set_map(BPF_REG_1, tables.threads.get());
  out.call(BPF_FUNC_map_delete_elem);
  out.end(kForOthers);
  return out;
}

bool put(const UniqueFd& map, std::uint32_t key, std::uint32_t value) {
  return call_bpf(BPF_MAP_UPDATE_ELEM, [&](bpf_attr& attr) {
           attr.map_fd = static_cast<__u32>(map.get());
           attr.key = reinterpret_cast<std::uintptr_t>(&key);
           attr.value = reinterpret_cast<std::uintptr_t>(&value);
         }) == 0;
}

bool attach(int event_fd, const UniqueFd& program) {
  return ::ioctl(event_fd, PERF_EVENT_IOC_SET_BPF, program.get()) == 0;
}

// The program runs wherever the tracepoint is met, whatever the event's CPU.
UniqueFd run_at(const TracepointFormat& tracepoint, const UniqueFd& program) {
  const EventAttr attr{.type = event_type::kTracepoint,
                       .size = kAttrSize,
                       .config = tracepoint.id};
  UniqueFd event(std::max(-1, raw_open_event(attr, {.cpu = 0})));
  if (!event || !attach(event.get(), program) ||
      ::ioctl(event.get(), PERF_EVENT_IOC_ENABLE, 0) != 0)
    return UniqueFd();
  return event;
}

// Nothing if they are not there or may not be read.
std::vector<std::unique_ptr<const TracepointFormat>> describe_tracepoints(
    const SystemPaths& paths) {
  const std::string names[] = {"sched:sched_process_fork",
                               "sched:sched_process_free"};
  const std::string tracefs = readable_tracefs(paths);
  if (tracefs.empty()) return {};
  try {
    return read_tracing_data(collect_tracing_data(names, tracefs));
  } catch (const Error&) {
    return {};
  }
}

// Where a field of four bytes is in the tracepoint's record.
std::optional<std::int16_t> place_of(const TracepointFormat& tracepoint,
                                     std::string_view field) {
  const TracepointField* found = tracepoint.field(field);
  if (found == nullptr || found->size != 4 || found->offset > 1024) return {};
  return static_cast<std::int16_t>(found->offset);
}

}  // namespace

bool TreeFilter::is_likely(const KernelLimits& limits) {
  return limits.may(CAP_BPF) && limits.privileged() &&
         !limits.tracefs.empty() && is_in_initial_pid_namespace({});
}

std::optional<TreeFilter> TreeFilter::load(pid_t program, unsigned most_threads,
                                           const SystemPaths& paths) {
  if (!is_in_initial_pid_namespace(paths)) return {};
  const auto tracepoints = describe_tracepoints(paths);
  const auto find = [&](std::string_view name) {
    const auto at = std::ranges::find_if(
        tracepoints, [&](const auto& one) { return one->name == name; });
    return at == tracepoints.end() ? nullptr : at->get();
  };
  const TracepointFormat* begin = find("sched_process_fork");
  const TracepointFormat* end = find("sched_process_free");
  if (begin == nullptr || end == nullptr) return {};
  const auto parent = place_of(*begin, "parent_pid"),
             child = place_of(*begin, "child_pid"),
             thread = place_of(*end, "pid");
  if (!parent || !child || !thread) return {};

  const Tables tables{
      make_bpf_map(BPF_MAP_TYPE_HASH, sizeof(std::uint32_t), most_threads),
      make_bpf_map(BPF_MAP_TYPE_ARRAY, sizeof(std::uint32_t), 1)};
  if (!tables.threads || !tables.is_full ||
      !put(tables.threads, static_cast<std::uint32_t>(program), 1))
    return {};
  TreeFilter filter;
  filter.filter_ = load_bpf_program(BPF_PROG_TYPE_PERF_EVENT, on_sample(tables),
                                    "wick_sample");
  filter.on_begin_ =
      load_bpf_program(BPF_PROG_TYPE_TRACEPOINT,
                       on_begin(tables, *parent, *child), "wick_begin");
  filter.on_end_ = load_bpf_program(BPF_PROG_TYPE_TRACEPOINT,
                                    on_end(tables, *thread), "wick_end");
  if (!filter.filter_ || !filter.on_begin_ || !filter.on_end_) return {};
  filter.begin_event_ = run_at(*begin, filter.on_begin_);
  filter.end_event_ = run_at(*end, filter.on_end_);
  if (!filter.begin_event_ || !filter.end_event_) return {};
  return filter;
}

bool TreeFilter::apply(int event_fd) const { return attach(event_fd, filter_); }

}  // namespace wick
