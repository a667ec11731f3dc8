// SPDX-License-Identifier: Apache-2.0
// Time off the CPU, from `perf script` of scheduler events recorded with
// stacks:
//
//   perf record -g -e sched:sched_switch -e sched:sched_stat_sleep
//       -e sched:sched_stat_blocked -e sched:sched_stat_iowait …
//
// sched_switch has the stack of a thread that leaves the CPU. sched_stat_*,
// when the thread is woken, has the time it slept. Kernels without scheduler
// statistics lack these events; then the time from switching out to switching
// in counts, which includes waiting for a CPU.
//
// perf_script.cc reads the same text for another purpose, so this format is
// never detected.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "format/text/perf_line.h"
#include "format/text/text_stacks.h"

namespace wick {
namespace {

// The value after " key=" in the arguments of a tracepoint, up to the blank
// before `next` (names may contain blanks) or the next blank.
std::string_view argument(std::string_view args, std::string_view key,
                          std::string_view next = " ") {
  std::size_t at = args.starts_with(key) ? 0 : args.npos;
  if (at == args.npos) {
    const std::string spaced = " " + std::string(key);
    at = args.find(spaced);
    if (at == args.npos) return {};
    ++at;
  }
  const std::string_view value = args.substr(at + key.size());
  return value.substr(0, value.find(next));
}

struct Switch {
  std::int32_t from = -1, to = -1;
  std::string_view from_comm;
};

// "prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b
// next_pid=2 …", or, as perf also prints it, "a:1 [120] S ==> b:2 [120]".
std::optional<Switch> parse_switch(std::string_view args) {
  const std::size_t arrow = args.find(" ==> ");
  if (arrow == args.npos) return {};
  const std::string_view from = args.substr(0, arrow);
  const std::string_view to = args.substr(arrow + 5);
  const auto short_id = [](std::string_view text) {
    text = text.substr(0, text.rfind(" ["));
    const std::size_t colon = text.rfind(':');
    return colon == text.npos ? std::string_view() : text.substr(colon + 1);
  };
  const bool is_long = from.find("prev_pid=") != from.npos;
  const auto from_id = to_number<std::int32_t>(
      is_long ? argument(from, "prev_pid=") : short_id(from));
  const auto to_id = to_number<std::int32_t>(is_long ? argument(to, "next_pid=")
                                                     : short_id(to));
  if (!from_id || !to_id) return {};
  return Switch{*from_id, *to_id,
                is_long ? argument(from, "prev_comm=", " prev_pid=")
                        : from.substr(0, from.rfind(':'))};
}

class PerfSchedReader {
 public:
  explicit PerfSchedReader(const ReadOptions& options)
      : options_(options), stack_(profile_, options) {}

  Profile read(InputFile& file) {
    for_each_line(file, [&](std::string_view line, std::uint64_t number) {
      number_ = number;
      read_line(line);
    });
    end_event();
    if (slept_.empty()) slept_ = std::move(switched_);
    SampleCollector samples(profile_, options_.keep_time);
    for (const Sample& sample : slept_) samples.add(sample);
    profile_.has_time = options_.keep_time && !slept_.empty();
    return std::move(profile_);
  }

 private:
  // Where a thread left the CPU.
  struct Sleep {
    StackId stack;
    std::uint64_t since;
    ThreadId thread;
    bool off_cpu;
  };

  void bad_line(std::string_view line) {
    profile_.diagnostics.note_at(Problem::kBadLine, line, number_);
  }

  void read_line(std::string_view line) {
    if (trim(line).empty()) {
      end_event();
    } else if (line.starts_with('#')) {
      return;
    } else if (const auto frame = parse_perf_frame(line);
               frame && is_blank(line.front())) {
      if (switch_) push(*frame);
    } else if (const auto event = parse_perf_event(line)) {
      end_event();
      read_event(*event, line);
    } else {
      bad_line(line);
    }
  }

  void read_event(const PerfEventLine& event, std::string_view line) {
    std::string_view name = event.event;
    name.remove_prefix(name.rfind(':') + 1);  // 0 if there is none
    const std::uint64_t now = event.time_ns.value_or(0);
    if (name == "sched_switch") {
      const auto parsed = parse_switch(trim(event.rest));
      if (!parsed) return bad_line(line);
      resume(parsed->to, now);
      switch_ = parsed->from;
      since_ = now;
      thread_ = profile_.thread_id({.pid = event.pid,
                                    .tid = parsed->from,
                                    .comm = profile_.strings.intern(
                                        without_separator(parsed->from_comm))});
    } else if (name == "sched_stat_sleep" || name == "sched_stat_blocked" ||
               name == "sched_stat_iowait") {
      if (!read_delay(trim(event.rest), now)) bad_line(line);
    } else {
      profile_.diagnostics.note(Problem::kOtherEvent);
    }
  }

  // "comm=worker pid=101 delay=250999 [ns]".
  bool read_delay(std::string_view args, std::uint64_t now) {
    const auto tid = to_number<std::int32_t>(argument(args, "pid="));
    const auto delay = to_number<std::int64_t>(argument(args, "delay="));
    if (!tid || !delay) return false;
    const auto sleep = sleeps_.find(*tid);
    const auto slept =
        static_cast<std::uint64_t>(std::max(*delay, std::int64_t{0}));
    Sample sample{
        .time = now - std::min(slept, now), .weight = *delay, .event = event()};
    if (sleep == sleeps_.end()) {
      // It fell asleep before the recording began.
      profile_.diagnostics.note(Problem::kNoStack);
      sample.thread =
          profile_.thread_id({.tid = *tid,
                              .comm = profile_.strings.intern(without_separator(
                                  argument(args, "comm=", " pid=")))});
    } else {
      sample.stack = sleep->second.stack;
      sample.thread = sleep->second.thread;
    }
    slept_.push_back(sample);
    return true;
  }

  // The thread is on a CPU again.
  void resume(std::int32_t tid, std::uint64_t now) {
    const auto at = sleeps_.find(tid);
    if (tid == 0 || at == sleeps_.end() || !at->second.off_cpu) return;
    Sleep& sleep = at->second;
    sleep.off_cpu = false;
    if (now < sleep.since) {
      profile_.diagnostics.note(Problem::kTimeDisorder);
      return;
    }
    switched_.push_back({.time = sleep.since,
                         .weight = static_cast<std::int64_t>(now - sleep.since),
                         .stack = sleep.stack,
                         .thread = sleep.thread,
                         .event = event()});
  }

  void push(const PerfFrameLine& parsed) {
    Frame frame;
    if (!parsed.module.empty() && parsed.module != "[unknown]") {
      frame.module = profile_.module_id(parsed.module);
      if (is_kernel_module(parsed.module, false))
        frame.kind = FrameKind::kKernel;
    }
    if (options_.keep_addresses)
      frame.address = to_number<std::uint64_t>(parsed.address, 16).value_or(0);
    stack_.push_symbol(parsed.symbol == "[unknown]" ? "" : parsed.symbol,
                       frame);
  }

  void end_event() {
    if (switch_ && *switch_ != 0)  // 0: the CPU was idle
      sleeps_[*switch_] = {stack_.take_stack(), since_, thread_, true};
    stack_.clear();
    switch_.reset();
  }

  EventId event() {
    const EventId id = profile_.event_id("off-cpu", "microseconds");
    profile_.events[id].decimals = 3;  // nanoseconds
    profile_.events[id].time = TimeKind::kOffCpu;
    return id;
  }

  const ReadOptions& options_;
  Profile profile_;
  StackBuffer stack_;
  std::uint64_t number_ = 0;
  std::optional<std::int32_t> switch_;  // the thread whose frames are read
  std::uint64_t since_ = 0;
  ThreadId thread_ = ThreadId::kUnknown;
  std::unordered_map<std::int32_t, Sleep> sleeps_;
  std::vector<Sample> slept_, switched_;
};

}  // namespace

extern const InputFormat perf_sched_input = {
    .name = "perf-sched",
    .description = "time off the CPU from perf script of scheduler events",
    .sniff = [](std::string_view) { return false; },
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return PerfSchedReader(options).read(file);
        },
    .never_detected = true,
};

}  // namespace wick
