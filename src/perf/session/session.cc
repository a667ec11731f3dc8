// SPDX-License-Identifier: Apache-2.0
#include "perf/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <unordered_map>
#include <utility>

#include "base/parallel.h"
#include "base/text.h"
#include "perf/session/chain.h"
#include "perf/session/off_cpu.h"
#include "perf/session/process.h"
#include "perf/session/side_band.h"
#include "perf/session/stack_unwinding.h"

namespace wick {
namespace {

// perf writes what its BPF program added up at the end, with times from here.
constexpr std::uint64_t kMadeUpTime = 0xffffffff00000000;

class Session {
 public:
  Session(PerfData& data, Images& images, const ReadOptions& options)
      : data_(data),
        images_(images),
        options_(options),
        samples_(profile_, options.keep_time),
        unwinding_(data.header().machine, images, worker_count(options.threads),
                   !data.header().compressed) {
    for (const PerfHeader::BuildId& known : data.header().build_ids)
      side_band_.add_build_id(known.path, known.build_id);
    for (const PerfEvent& event : data.header().events) {
      constexpr std::int32_t kMonotonic = 1;
      has_monotonic_time_ &= event.attr.flag(attr_flag::kUseClockid) &&
                             event.attr.clockid == kMonotonic;
      events_.push_back(profile_.event_id(
          event.name, counts_time(event) ? "nanoseconds" : ""));
      if (main_event_ == EventId{0xffffffff} && !OffCpu::is_switch(event) &&
          !Wakers::is_waking(event))
        main_event_ = events_.back();
    }
    image_modules_.push_back(ModuleId::kUnknown);
    if (const auto begin = data.header().facts.begin_time) {
      off_cpu_.begin_at(*begin);
      wall_.begin_at(*begin);
    }
  }

  SessionResult run() {
    profile_.has_time = options_.keep_time;
    data_.for_each_in_time_order(
        [&](const PerfRecord& record) { visit(record); });
    finish();
    return {std::move(profile_), std::move(code_)};
  }

 private:
  static bool counts_time(const PerfEvent& event) {
    return (event.attr.type == event_type::kSoftware &&
            event.attr.config <= 1) ||  // cpu-clock, task-clock
           event.name == OffCpu::kEvent;
  }

  void visit(const PerfRecord& record) {
    if (record.time != 0 && record.time < kMadeUpTime)
      last_time_ = std::max(last_time_, record.time);
    switch (record.type) {
      case RecordType::kSample:
        return on_sample(record);
      case RecordType::kExit:
        if (const auto exit = decode_task(record)) {
          off_cpu_.on_exit(side_band_.task(exit->pid, exit->tid));
          wall_.on_exit(exit->tid, record.time);
        }
        break;
      case RecordType::kFork:
        return on_fork(record);
      case RecordType::kComm:
        // A program begins.
        if (const auto comm = decode_comm(record); comm && comm->exec)
          wall_.on_seen(comm->tid, record.time);
        break;
      case RecordType::kSwitch:
      case RecordType::kSwitchCpuWide:
        return decoded(decode_switch(record), [&](const SwitchRecord& change) {
          const RecordId id = decode_record_id(record);
          wall_.on_seen(id.tid, record.time);
          off_cpu_.on_switch(change, side_band_.task(id.pid, id.tid),
                             record.time);
        });
      case RecordType::kCallchainDeferred:
        return decoded(decode_deferred(record, swapped_),
                       [&](const DeferredCallchain& deferred) {
                         const RecordId id = decode_record_id(record);
                         chains_waiting_.complete(
                             id.tid, deferred,
                             [&](StacklessSample& sample, Chain& chain) {
                               add(sample, side_band_.space(id.pid), chain);
                             });
                       });
      default:
        break;
    }
    if (!side_band_.visit(record))
      profile_.diagnostics.note(Problem::kBadRecord);
  }

  void on_fork(const PerfRecord& record) {
    if (!side_band_.visit(record))
      profile_.diagnostics.note(Problem::kBadRecord);
    const auto fork = decode_task(record);
    if (!fork) return;
    wall_.on_seen(fork->tid, record.time);
    // Those that were there already are described as forks, too.
    Task& task = side_band_.task(fork->pid, fork->tid);
    if ((record.misc & misc::kForkExec) != 0)
      off_cpu_.on_described(task, record.time);
    else
      off_cpu_.on_born(task, record.time);
  }

  template <class Record, class Use>
  void decoded(const std::optional<Record>& record, Use use) {
    if (record)
      use(*record);
    else
      profile_.diagnostics.note(Problem::kBadRecord);
  }

  // --- Code ---------------------------------------------------------------

  ModuleId module_of(ImageId image, std::uint64_t kernel_start = 0) {
    if (index(image) >= image_modules_.size())
      image_modules_.resize(images_.size(), ModuleId::kUnknown);
    ModuleId& module = image_modules_[index(image)];
    if (module != ModuleId::kUnknown) return module;
    const CodeFile& file = images_.file(image);
    module = profile_.modules.push_back(
        {.path = profile_.strings.intern(file.path),
         .build_id = profile_.strings.intern(
             file.kind == CodeKind::kAnonymous ? "" : file.build_id)});
    code_.images.resize(profile_.modules.size(), ImageId::kNone);
    code_.images[module] = image;
    code_.kernel_starts.resize(profile_.modules.size());
    code_.kernel_starts[module] = kernel_start;
    return module;
  }

  // `pid` and `time` matter for code that was compiled while the program ran.
  FrameId user_frame(Space& space, std::uint64_t address, std::uint32_t pid,
                     std::uint64_t time) {
    const auto make = [&] {
      return make_user_frame(space, address, pid, time);
    };
    // What a jitdump says of an address changes with time.
    return space.jit.has_jitdump() ? make() : space.cache.frame(address, make);
  }

  FrameId make_user_frame(Space& space, std::uint64_t address,
                          std::uint32_t pid, std::uint64_t time) {
    Frame frame{.address = address};
    const Mapping* mapping = space.find(address);
    if (mapping != nullptr && has_file(mapping->image)) {
      frame.module = module_of(mapping->image);
      frame.address =
          images_.elf_addr(mapping->image, mapping->file_off_of(address));
      return profile_.frames.intern(frame);
    }
    if (const auto found = space.jit.find(pid, address, time)) {
      frame.kind = FrameKind::kJit;
      frame.module = profile_.module_id(found->file);
      frame.function = profile_.strings.intern(found->function->name);
      if (!options_.keep_addresses) frame.address = 0;
      if (const auto line = found->map->line(*found->function, address)) {
        frame.file = profile_.strings.intern(line->file);
        frame.line = line->line;
      }
    } else if (mapping != nullptr) {
      frame.kind = FrameKind::kJit;
      frame.module = module_of(mapping->image);
    }
    return profile_.frames.intern(frame);
  }

  // A jitdump is mapped to announce it, and has no code that runs.
  bool has_file(ImageId image) const {
    const CodeFile& file = images_.file(image);
    return file.kind != CodeKind::kAnonymous &&
           !ProcessJit::is_jitdump(file.path);
  }

  FrameId kernel_frame(std::uint64_t address) {
    return side_band_.kernel().cache.frame(address, [&] {
      const Mapping* mapping = side_band_.kernel().map.find(address);
      ImageId image;
      std::uint64_t start = side_band_.kernel_start();
      if (mapping != nullptr) {
        image = mapping->image;
        if (images_.file(image).kind != CodeKind::kKernel)
          start = mapping->start;
      } else {
        image = images_.intern({.path = std::string(SideBand::kKernelPath),
                                .kind = CodeKind::kKernel});
      }
      Frame frame{.module = module_of(image, start),
                  .address = address - start,
                  .kind = FrameKind::kKernel};
      const CodeFile& file = images_.file(image);
      if (file.path == SideBand::kBpfPath)
        frame.function = profile_.strings.intern(file.build_id);
      return profile_.frames.intern(frame);
    });
  }

  // --- Samples ------------------------------------------------------------

  void on_sample(const PerfRecord& record) {
    if (!decode_sample(record, sample_)) {
      profile_.diagnostics.note(Problem::kBadRecord);
      return;
    }
    const PerfEvent& event = *record.event;
    Task& task = side_band_.task(sample_.pid, sample_.tid);
    StacklessSample out{
        .sample = {.time = record.time < kMadeUpTime ? record.time : last_time_,
                   .thread = thread_of(profile_, task),
                   .cpu = sample_.has(sample_type::kCpu) ? sample_.cpu
                                                         : Sample::kNoCpu}};
    if (off_cpu_.is_switch(event))
      out.switch_number = off_cpu_.on_sample(task, record.time, sample_.raw,
                                             event, side_band_.tasks());
    if (Wakers::is_waking(event))
      out.waking_number = off_cpu_.wakers().on_sample(
          task, record.time, sample_.raw, event, side_band_.tasks());
    else  // wakers may be strangers
      wall_.on_seen(sample_.tid, out.sample.time);
    if (event_of(event) == main_event_) off_cpu_.on_running(task);
    chain_.read(sample_, event.attr, record.cpu_mode());
    if (reaches_limit(event.attr))
      profile_.diagnostics.note(Problem::kCallchainLimit);
    Space& space = side_band_.space(sample_.pid);
    if (record.cpu_mode() == misc::kUser) side_band_.runs(space);
    if (!sample_.has(sample_type::kRead)) {
      out.sample.weight = weight_of(event);
      out.sample.event = event_of(event);
      return take(out, space, event);
    }
    // A group that is read together (":S"): what each member counted since it
    // was read before.
    for (std::size_t i = 0; i < sample_.read.size(); ++i) {
      const ReadValues::Value now = sample_.read[i];
      const PerfEvent* member = data_.header().event(now.id);
      std::uint64_t& before = counted_[now.id];
      const std::uint64_t count = now.value - std::exchange(before, now.value);
      if (member == nullptr || count == 0 || count > INT64_MAX) continue;
      out.sample.weight = static_cast<std::int64_t>(count);
      out.sample.event = event_of(*member);
      take(out, space, event);
    }
  }

  // The kernel follows frame pointers so far and no further; it counts its own
  // part too, and its markers not.
  bool reaches_limit(const EventAttr& attr) const {
    constexpr std::size_t kDefault = 127;
    return attr.samples(sample_type::kCallchain) &&
           chain_.user_count() + chain_.kernel_count() ==
               (attr.sample_max_stack > 0 ? attr.sample_max_stack : kDefault);
  }

  EventId event_of(const PerfEvent& event) const {
    return events_[static_cast<std::size_t>(&event -
                                            data_.header().events.data())];
  }

  // `event` says what sample_ holds.
  void take(StacklessSample& out, Space& space, const PerfEvent& event) {
    if (chain_.deferred_cookie) {
      chains_waiting_.add(sample_.tid, out, chain_);
      return;
    }
    if (wants_unwinding(event)) {
      unwinding_.add(space, out, chain_, sample_);
      ++space.waiting;
      waiting_.push_back(&space);
      if (unwinding_.is_full()) unwind_waiting();
      return;
    }
    add(out, space, chain_);
  }

  std::int64_t weight_of(const PerfEvent& event) {
    std::uint64_t period = sample_.period;
    if (!sample_.has(sample_type::kPeriod) && event.attr.is_frequency())
      period = 1;
    if (period == 0) {
      // The kernel counts a period of 0 where it could not know; the sample
      // was taken all the same.
      profile_.diagnostics.note(Problem::kZeroWeight);
      return 1;
    }
    return static_cast<std::int64_t>(
        std::min<std::uint64_t>(period, INT64_MAX));
  }

  bool wants_unwinding(const PerfEvent& event) const {
    return chain_.user_count() == 0 && !sample_.user_stack.empty() &&
           event.attr.samples(sample_type::kRegsUser) &&
           sample_.user_registers.abi != kRegsAbiNone;
  }

  void unwind_waiting() {
    unwinding_.run([&](Space& space, StacklessSample& sample, Chain& chain) {
      add(sample, space, chain);
    });
    for (Space* space : waiting_) space->waiting = 0;
    waiting_.clear();
  }

  void add(StacklessSample& stackless, Space& space, const Chain& chain) {
    Sample& sample = stackless.sample;
    if (space.kernel_version != side_band_.kernel().version) {
      space.cache.clear();
      space.kernel_version = side_band_.kernel().version;
    }
    const auto pid =
        static_cast<std::uint32_t>(profile_.threads[sample.thread].pid);
    const std::uint64_t jit_time =
        has_monotonic_time_ ? sample.time : JitMap::kAnyTime;
    const auto make = [&] {
      StackId stack = StackId::kRoot;
      for (const std::uint64_t address : chain.user_callers_first())
        stack = profile_.stacks.push(stack,
                                     user_frame(space, address, pid, jit_time));
      for (const std::uint64_t address : chain.kernel_callers_first())
        stack = profile_.stacks.push(stack, kernel_frame(address));
      return stack;
    };
    sample.stack = space.jit.has_jitdump()
                       ? make()
                       : space.cache.stack(chain.words(), make);
    if (sample.stack == StackId::kRoot)
      profile_.diagnostics.note(Problem::kNoStack);
    off_cpu_.on_stack(sample.thread, sample.stack);
    if (sample.event == main_event_)
      wall_.on_sample(sample.thread, sample.stack);
    if (stackless.switch_number != StacklessSample::kNoSwitch)
      off_cpu_.set_stack(stackless.switch_number, sample.stack);
    if (stackless.waking_number != StacklessSample::kNoSwitch)
      off_cpu_.wakers().set_stack(stackless.waking_number, sample.stack);
    samples_.add(sample);
  }

  void finish() {
    unwind_waiting();
    chains_waiting_.give_up([&](StacklessSample& sample, Chain& chain) {
      const Thread& thread = profile_.threads[sample.sample.thread];
      add(sample, side_band_.space(static_cast<std::uint32_t>(thread.pid)),
          chain);
    });
    for (auto& [tid, task] : side_band_.tasks())
      off_cpu_.on_end(task, last_time_);
    off_cpu_.add_samples(samples_, wall_);
    if (off_cpu_.has_switches()) wall_.add_samples(samples_, last_time_);
    code_.images.resize(profile_.modules.size(), ImageId::kNone);
    code_.kernel_starts.resize(profile_.modules.size());
    const PerfCounts& counts = data_.counts();
    Diagnostics& notes = profile_.diagnostics;
    notes.note(Problem::kLostSamples,
               std::max(counts.lost, counts.lost_samples));
    notes.note(Problem::kThrottled, counts.throttles);
    notes.note(Problem::kAuxSkipped, counts.aux_bytes);
    notes.note(Problem::kBadRecord,
               counts.bad_records + counts.damaged_streams +
                   counts.unknown_ids + side_band_.refused());
    notes.note(Problem::kTimeDisorder, counts.out_of_order);
    if (counts.truncated) notes.note(Problem::kTruncated);
    unwinding_.note_ends(notes);
    const PerfHeader& header = data_.header();
    notes.merge(header.facts.losses);
    const auto about = [&](std::string_view key, const std::string& value) {
      if (!value.empty()) profile_.set_about(key, value);
    };
    about("host", header.hostname);
    about("kernel", header.os_release);
    about("cpu", header.cpu_description);
    std::string command;
    for (const std::string& word : header.command_line)
      command += (command.empty() ? "" : " ") + word;
    about("command", command);
    about("rate", rates());
    if (header.clock_data) about("date", date_of(header.clock_data->wall_ns));
  }

  static std::string date_of(std::uint64_t wall_ns) {
    const auto seconds = static_cast<std::time_t>(wall_ns / 1'000'000'000);
    std::tm parts{};
    char text[40] = "";
    if (::gmtime_r(&seconds, &parts) != nullptr)
      std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
    return text;
  }

  // "999 Hz of cpu-clock, every 1000 of page-faults".
  std::string rates() const {
    std::string text;
    for (const PerfEvent& event : data_.header().events) {
      const EventAttr& attr = event.attr;
      const bool has_samples = attr.type != event_type::kSoftware ||
                               attr.config != software_event::kDummy;
      if (attr.sample_period == 0 || !has_samples) continue;
      text += fmt::format("{}{}{} of {}", text.empty() ? "" : ", ",
                          attr.is_frequency() ? "" : "every ",
                          attr.is_frequency()
                              ? fmt::format("{} Hz", attr.sample_period)
                              : fmt::format("{}", attr.sample_period),
                          event.name);
    }
    return text;
  }

  PerfData& data_;
  Images& images_;
  const ReadOptions& options_;
  Profile profile_;
  SampleCollector samples_;
  std::vector<EventId> events_;  // by index in the header

  // What waits to be unwound needs the map as it is.
  SideBand side_band_{images_, [this](Space& space) {
                        if (space.waiting > 0) unwind_waiting();
                      }};
  std::vector<ModuleId> image_modules_;
  CodeLocations code_;

  PerfSample sample_;
  std::unordered_map<std::uint64_t, std::uint64_t> counted_;  // by event id
  Chain chain_;
  DeferredChains chains_waiting_;
  StackUnwinding unwinding_;
  OffCpu off_cpu_{profile_, data_.header().events};
  WallTime wall_{profile_};
  // The first one that samples what runs.
  EventId main_event_{0xffffffff};
  std::vector<Space*> waiting_;
  std::vector<std::uint64_t> swapped_;
  std::uint64_t last_time_ = 0;
  // The clock of jitdumps.
  bool has_monotonic_time_ = true;
};

}  // namespace

SessionResult read_session(PerfData& data, Images& images,
                           const ReadOptions& options) {
  return Session(data, images, options).run();
}

}  // namespace wick
