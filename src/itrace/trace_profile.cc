// SPDX-License-Identifier: Apache-2.0
#include "itrace/trace_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/metrics.h"
#include "base/text.h"
#include "itrace/code/address_spaces.h"
#include "itrace/code/code_map.h"
#include "itrace/code/places.h"
#include "itrace/ended_threads.h"
#include "itrace/process_names.h"
#include "itrace/stacks/accounts.h"
#include "itrace/stacks/contexts.h"
#include "itrace/stacks/fireperf.h"
#include "itrace/stacks/slices.h"
#include "itrace/stacks/stack_tracker.h"
#include "itrace/stacks/traced_machine.h"
#include "object/demangle/demangle.h"

namespace wick {
namespace {

// Selects the slices to keep: those around the wanted time, which select() cuts
// exactly, and the first one of each hart, since seconds count from the first
// sample.
class WantedSlices {
 public:
  explicit WantedSlices(const std::optional<TimeRange>& range)
      : range_(range) {}

  bool wants(const Slice& slice) {
    if (!range_) return true;
    const double time = static_cast<double>(slice.cycle) / 1e9;
    const double lasts = static_cast<double>(slice.weight) / 1e9;
    if (harts_.insert(slice.hart).second) {
      if (!range_->absolute) origin_ = std::min(origin_.value_or(time), time);
      return true;
    }
    const double from_origin = time - origin_.value_or(0);
    return from_origin + lasts >= range_->from - kSkew &&
           from_origin < range_->to + kSkew;
  }

 private:
  // A hart that is seen later than others may begin this much earlier.
  static constexpr double kSkew = 1e-3;
  std::optional<TimeRange> range_;
  std::optional<double> origin_;
  absl::flat_hash_set<std::uint32_t> harts_;
};

// Converts the tracker's tables to the Profile's.
class ProfileMaker {
 public:
  ProfileMaker(Profile& profile, const CodeMap& map, Places& places,
               const Accounts& accounts, const ReadOptions& options)
      : profile_(profile),
        map_(map),
        places_(places),
        accounts_(accounts),
        options_(options) {
    add_modules();
    under_.resize(accounts.size());
    has_under_.resize(accounts.size());
  }

  // `names` are theirs. To be called before thread().
  void add_threads(const std::vector<ThreadFacts>& threads,
                   const ProcessNames& names) {
    for (std::size_t i = 0; i < threads.size(); ++i)
      threads_.push_back(profile_.thread_id(
          {.pid = threads[i].pid,
           .tid = threads[i].tid,
           .comm = profile_.strings.intern(names.of_thread[i].name)}));
  }

  // The stack of a node at a place of its function.
  StackId at(CallNodeId id, std::uint32_t place) {
    StackId stack = under(id);
    for (const FrameId frame : frames(accounts_[id].function, place))
      stack = profile_.stacks.push(stack, frame);
    return stack;
  }
  // The same without inlined calls and line: anywhere in the function.
  StackId entered(CallNodeId id) {
    const auto& all = frames(accounts_[id].function, kAnywhere);
    return profile_.stacks.push(under(id), all.front());
  }
  ThreadId thread(CallNodeId id) const {
    return threads_[accounts_[id].thread];
  }

 private:
  static constexpr std::uint32_t kAnywhere = UINT32_MAX;  // no place

  // The stack of its caller. A caller may be a later row than its callees.
  StackId under(CallNodeId id) {
    path_.clear();
    for (CallNodeId at = id; !has_under_[index(at)];
         at = accounts_[at].caller) {
      path_.push_back(at);
      has_under_[index(at)] = true;
      if (accounts_[at].depth <= 1) break;
    }
    for (; !path_.empty(); path_.pop_back()) {
      const Accounts::Node& node = accounts_[path_.back()];
      if (node.depth <= 1) continue;
      StackId stack = under_[index(node.caller)];
      for (const FrameId frame :
           frames(accounts_[node.caller].function, node.place))
        stack = profile_.stacks.push(stack, frame);
      under_[index(path_.back())] = stack;
    }
    return under_[index(id)];
  }

  void add_modules() {
    modules_.push_back(ModuleId::kUnknown);
    for (std::uint32_t i = 1; i < map_.image_count(); ++i) {
      const CodeImage& image = map_.image(CodeImageId{i});
      modules_.push_back(profile_.module_id(
          image.path, image.elf == nullptr ? "" : image.elf->build_id()));
    }
  }

  const std::vector<FrameId>& frames(FunctionId function, std::uint32_t place) {
    std::vector<FrameId>& out =
        frames_[std::uint64_t{index(function)} << 32 | place];
    if (out.empty()) make_frames(function, place, out);
    return out;
  }

  void make_frames(FunctionId id, std::uint32_t place,
                   std::vector<FrameId>& out) {
    const CodeFunction& function = map_.function(id);
    Frame frame{.module = modules_[index(function.image)],
                .kind = function.layer == Layer::kUser ||
                                function.layer == Layer::kUnknown
                            ? FrameKind::kUser
                            : FrameKind::kKernel};
    if (options_.keep_addresses && function.image != CodeImageId::kNone)
      frame.address = places_.elf_addr(id, place);
    if (function.image == CodeImageId::kNone)
      frame.function = profile_.strings.intern(unknown_name(function.layer));
    else if (!function.name.empty())
      frame.function =
          profile_.strings.intern(demangle(function.name, Demangle::kShort));
    const auto found = places_.frames(id, place == kAnywhere ? 0 : place);
    if (!found.empty()) {
      frame.file = profile_.strings.intern(found.front().file);
      frame.line = place == kAnywhere ? 0 : found.front().line;
    }
    out.push_back(profile_.frames.intern(frame));
    if (place == kAnywhere) return;
    for (const Places::Frame& inlined :
         found.subspan(std::min<std::size_t>(found.size(), 1))) {
      frame.function = profile_.strings.intern(inlined.function);
      frame.file = profile_.strings.intern(inlined.file);
      frame.line = inlined.line;
      frame.kind = FrameKind::kInlined;
      out.push_back(profile_.frames.intern(frame));
    }
  }

  Profile& profile_;
  const CodeMap& map_;
  Places& places_;
  const Accounts& accounts_;
  const ReadOptions& options_;
  std::vector<ModuleId> modules_;
  std::vector<ThreadId> threads_;
  std::vector<StackId> under_;  // by node; see under()
  std::vector<bool> has_under_;
  std::vector<CallNodeId> path_;  // of under()
  absl::flat_hash_map<std::uint64_t, std::vector<FrameId>> frames_;
};

class TraceProfile {
 public:
  TraceProfile(TraceReader& reader, CodeMap& map, const ReadOptions& options)
      : reader_(reader),
        map_(map),
        options_(options),
        keeps_time_(options.keep_time && !options.trace.lines_before_times),
        wanted_(options.wanted_time),
        places_(map, !options.symbols.inlines ? Places::Detail::kFunctions
                     : options.keep_time || options.keep_addresses
                         ? Places::Detail::kLines
                         : Places::Detail::kInlines) {}

  Profile read() {
    track();
    Profile profile;
    const ProcessNames names = name_processes(contexts_, accounts_, map_);
    {
      const Timer timer("stacks of the trace");
      add_samples(profile, names);
    }
    places_.save();
    summarize(profile);
    describe_processes(names, profile);
    profile.diagnostics.merge(reader_.diagnostics());
    profile.diagnostics.merge(map_.diagnostics());
    return profile;
  }

 private:
  std::unique_ptr<StackTracker> make_tracker(StackTracker::Options options) {
    options.attribution = options_.trace.attribution;
    if (keeps_time_)
      options.slice = [this, hart = options.hart](
                          std::uint64_t cycle, CallNodeId node,
                          std::uint16_t place, std::uint64_t weight) {
        const Slice slice{cycle, weight, node, hart, place};
        if (wanted_.wants(slice))
          slices_.add(slice);
        else
          unwanted_ += weight;
      };
    return std::make_unique<StackTracker>(map_, places_, accounts_, contexts_,
                                          std::move(options));
  }

  void track() {
    const Timer timer("trace");
    TracedMachine machine(reader_, map_, [this](StackTracker::Options options) {
      return make_tracker(std::move(options));
    });
    EndedThreads ended(accounts_, contexts_, map_, options_.thread_ids);
    machine.track([&] {
      // Slices refer to nodes as they are.
      if (!keeps_time_) ended.merge_if_worthwhile();
    });
    counts_ = machine.counts();
    accounts_.settle_rest();
    if (keeps_time_)
      slices_.resolve(accounts_);
    else
      ended.merge_all();
  }

  void add_samples(Profile& profile, const ProcessNames& names) {
    const std::string& unit = reader_.info().unit;
    profile.is_trace = true;
    const EventId time = profile.event_id(unit, unit);
    profile.events[time].time = TimeKind::kTraceClock;
    const EventId calls = profile.event_id("calls", "calls");
    const bool count_instructions = unit != "instructions";
    EventId instructions{};
    if (count_instructions)
      instructions = profile.event_id("instructions", "instructions");
    ProfileMaker maker(profile, map_, places_, accounts_, options_);
    maker.add_threads(contexts_.threads(), names);
    profile.has_time = keeps_time_ && !slices_.are_too_many();
    profile.diagnostics.note(
        count_instructions ? Problem::kCutCycles : Problem::kCutInstructions,
        unwanted_,
        static_cast<std::int64_t>(
            std::min<std::uint64_t>(unwanted_, INT64_MAX)));
    if (slices_.are_too_many())
      profile.diagnostics.note(Problem::kNoTimes, slices_.count());
    const std::uint64_t when = profile.has_time ? counts_.last_cycle : 0;
    const auto add = [&](CallNodeId id, StackId stack, EventId event,
                         std::uint64_t weight) {
      if (weight > 0)
        profile.samples.push_back({.time = when,
                                   .weight = static_cast<std::int64_t>(weight),
                                   .stack = stack,
                                   .thread = maker.thread(id),
                                   .event = event});
    };
    if (profile.has_time)
      for (const Slice& slice : slices_.all())
        profile.samples.push_back(
            {.time = slice.cycle,
             .weight = static_cast<std::int64_t>(slice.weight),
             .stack = slices_.has_places() ? maker.at(slice.node, slice.place)
                                           : maker.entered(slice.node),
             .thread = maker.thread(slice.node),
             .event = time,
             .cpu = slice.hart});
    for (const CallNodeId id : accounts_.ids()) {
      const Accounts::Node& node = accounts_[id];
      if (node.depth == 0) continue;
      for (std::uint32_t place = 0; place < node.places; ++place) {
        const Accounts::Counter& counter = accounts_.counter(id, place);
        if (counter.instructions == 0 && counter.weight == 0) continue;
        const StackId stack = maker.at(id, place);
        if (!profile.has_time) add(id, stack, time, counter.weight);
        if (count_instructions)
          add(id, stack, instructions, counter.instructions);
        const CodeFunction& function = map_.function(node.function);
        if (function.image == CodeImageId::kNone) {
          unknown_ += counter.weight;
          unknown_instructions_ += counter.instructions;
        } else if (function.name.empty()) {
          nameless_ += counter.weight;
        }
      }
      if (node.calls > 0) add(id, maker.entered(id), calls, node.calls);
    }
    slices_ = {};
  }

  // The line that summarizes the trace after a run.
  std::string summary(const TrackerCounts& all) const {
    const auto number = [](std::uint64_t n) {
      return with_commas(static_cast<std::int64_t>(n));
    };
    const auto share = [&](std::uint64_t part) {
      return all.weight == 0
                 ? 0.0
                 : static_cast<double>(part) / static_cast<double>(all.weight);
    };
    std::string text;
    if (reader_.info().unit != "instructions")
      text =
          fmt::format("{} {}, {:.3f} instructions each; ", number(all.weight),
                      reader_.info().unit, share(all.instructions));
    text += fmt::format(
        "{} instructions, {} calls, {} traps, {} thread switches, {} "
        "resynchronisations; {:.2f} % in unknown code",
        number(all.instructions), number(all.calls), number(all.traps),
        number(all.switches), number(all.resynchronised),
        100 * share(unknown_));
    if (nameless_ > 0)
      text += fmt::format(", {:.2f} % in files without a symbol for it",
                          100 * share(nameless_));
    if (const std::uint64_t pages = map_.pages_relearnt(); pages > 0)
      text += fmt::format("; {} pages of user code held other code later",
                          number(pages));
    return text;
  }

  void summarize(Profile& profile) {
    profile.set_about(kAboutTraceSummary, summary(counts_));
    if (!reader_.info().layout.empty())
      profile.set_about("trace layout", reader_.info().layout);
    if (!reader_.info().clock_domain.empty())
      profile.set_about("clock domain", reader_.info().clock_domain);
    profile.diagnostics.note(Problem::kResynchronised, counts_.resynchronised);
    profile.diagnostics.note(Problem::kUnknownCode, unknown_instructions_);
    // A reader that notes these itself has corrected some of them.
    if (reader_.diagnostics().count(Problem::kTimeDisorder) == 0)
      profile.diagnostics.note(Problem::kTimeDisorder, counts_.time_disorder);
    profile.diagnostics.note(Problem::kDeepStack, accounts_.too_deep());
  }

  void describe_processes(const ProcessNames& names, Profile& profile) const {
    constexpr std::size_t kMost = 1000;
    for (std::size_t i = 0; i < std::min(kMost, names.processes.size()); ++i) {
      const auto& [name, space] = names.processes[i];
      if (const std::string satp = map_.space_name(space); !satp.empty())
        profile.set_about("process " + name, satp);
    }
  }

  TraceReader& reader_;
  CodeMap& map_;
  const ReadOptions& options_;
  const bool keeps_time_;
  WantedSlices wanted_;
  Places places_;
  Accounts accounts_;
  Contexts contexts_;
  TrackerCounts counts_;
  Slices slices_;
  std::uint64_t unwanted_ = 0;
  std::uint64_t unknown_ = 0, unknown_instructions_ = 0, nameless_ = 0;
};

}  // namespace

Profile read_trace(TraceReader& reader, CodeMap& map,
                   const ReadOptions& options) {
  if (options.trace.attribution == Attribution::kFirePerf)
    return read_fireperf(reader, map, options);
  return TraceProfile(reader, map, options).read();
}

Profile read_trace(TraceReader& reader, const ReadOptions& options) {
  CodeMap map(options.trace, reader.info(), options.symbols);
  // FirePerf's rule uses only files at fixed addresses.
  if (options.trace.attribution != Attribution::kFirePerf)
    map.set_user_code(std::make_unique<AddressSpaces>(map, reader.info(),
                                                      options.trace.sysroot));
  return read_trace(reader, map, options);
}

}  // namespace wick
