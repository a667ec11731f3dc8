// SPDX-License-Identifier: Apache-2.0
// Reads the Trace Event JSON of Chrome, which many tracers write. Its slices
// (phases X, B and E) are nested by their times on each thread; the time of a
// slice that is not covered by slices inside it is a sample. Samples in stack
// tables (phase P, "samples") and V8's CPU profiles are read too.
#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "format/json/json.h"
#include "format/json/v8_profile.h"
#include "profile/format.h"
#include "profile/kind_names.h"

namespace wick {
namespace {

// Microseconds, as a number or as text, in nanoseconds. Far from the ends of
// the range, so that times can be subtracted.
std::optional<std::int64_t> nanoseconds(const Json& value) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  const auto number =
      value.is_string() ? to_decimal(value.text()) : value.decimal();
  if (!number) return {};
  std::int64_t result = 0;
  if (number->decimals <= 3) {
    result = saturating_mul(number->value, power_of_ten(3 - number->decimals));
  } else {
    const std::int64_t divisor = power_of_ten(number->decimals - 3);
    const std::int64_t half = number->value < 0 ? -divisor / 2 : divisor / 2;
    result = saturating_add(number->value, half) / divisor;
  }
  return std::clamp(result, -kMost, kMost);
}

struct Slice {
  std::int64_t start = 0, end = 0;
  FrameId frame{};
  Json self;  // weights, in files that wick wrote
};

struct Mark {  // phase B or E
  std::int64_t time = 0;
  bool begins = false;
  FrameId frame{};
  Json self;
};

// What happens on one thread.
struct Lane {
  std::int64_t pid = 0, tid = 0;  // as keys: see ChromeTraceReader::id_of
  std::string_view name;
  std::vector<Slice> slices;
  std::vector<Mark> marks;
  std::int64_t last = INT64_MIN;
};

// The table "stackFrames": {id: {name, parent}}.
class StackFrames {
 public:
  StackFrames(Profile& profile, const Json& table) : profile_(profile) {
    for (const auto [id, frame] : table.members()) {
      const std::size_t row = index(ids_.intern(id));
      if (row >= frames_.size()) frames_.resize(row + 1);
      frames_[row] = frame;
    }
    stacks_.resize(frames_.size());
  }

  // The stack whose innermost frame has this id; kRoot if there is none.
  StackId stack(const Json& id) {
    path_.clear();
    StackId stack = StackId::kRoot;
    for (std::uint32_t row = row_of(id); row != kNone;
         row = row_of(frames_[row]["parent"])) {
      if (stacks_[row]) {
        stack = *stacks_[row];
        break;
      }
      if (path_.size() > frames_.size()) {
        profile_.diagnostics.note_at(Problem::kBadRecord,
                                     "stack frames in a circle");
        break;
      }
      path_.push_back(row);
    }
    for (std::size_t i = path_.size(); i-- > 0;) {
      std::string_view name = frames_[path_[i]]["name"].text();
      if (name.empty()) name = "[unknown]";
      stack = profile_.stacks.push(stack, profile_.named_frame(name));
      stacks_[path_[i]] = stack;
    }
    return stack;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::uint32_t row_of(const Json& id) {
    const auto number = id.integer();
    const std::string text =
        number ? std::to_string(*number) : std::string(id.text());
    if (text.empty()) return kNone;
    const std::uint32_t row = index(ids_.intern(text));
    return row < frames_.size() && frames_[row] ? row : kNone;
  }

  Profile& profile_;
  StringTable ids_;
  std::vector<Json> frames_;
  std::vector<std::optional<StackId>> stacks_;
  std::vector<std::uint32_t> path_;
};

class ChromeTraceReader {
 public:
  ChromeTraceReader(const Json& root, Profile& profile,
                    const ReadOptions& options)
      : root_(root),
        profile_(profile),
        options_(options),
        samples_(profile, options.keep_time),
        stack_frames_(profile, root["stackFrames"]) {}

  void run() {
    const Json events = root_.is_array() ? root_ : root_["traceEvents"];
    if (!events.is_array())
      fail("has no \"traceEvents\", which a Chrome trace must have");
    profile_.has_time = options_.keep_time;
    read_events_of_wick();
    for (const Json event : events.items()) read_event(event);
    for (const Json sample : root_["samples"].items()) read_sample(sample);
    finish();
  }

 private:
  struct Pending {  // a sample of phase P or of the table "samples"
    std::int64_t time;
    Sample sample;
    std::size_t lane;
  };
  struct Recording {  // a CPU profile of V8, in pieces
    std::size_t lane;
    V8Profile profile;
  };

  // Files written by wick describe their weights.
  void read_events_of_wick() {
    const Json wick = root_["otherData"]["wick"];
    from_wick_ = wick.is_object();
    if (!from_wick_) return;
    profile_.is_trace = wick["is_trace"].truth().value_or(false);
    self_weights_ = wick["self"].truth().value_or(false);
    if (!wick["times"].truth().value_or(true)) profile_.has_time = false;
    for (const Json event : wick["events"].items()) {
      const EventId id = profile_.events.push_back(
          {.name = profile_.strings.intern(event["name"].text()),
           .unit = profile_.strings.intern(event["unit"].text()),
           .decimals = static_cast<std::uint8_t>(std::clamp<std::int64_t>(
               event["decimals"].integer().value_or(0), 0, kMaxDecimals)),
           .role = event_role(event["role"].text()),
           .time = time_kind(event["time"].text())});
      const std::size_t row = index(event_keys_.intern(event["key"].text()));
      if (row >= events_by_key_.size()) events_by_key_.resize(row + 1);
      events_by_key_[row] = id;
    }
    if (profile_.events.empty()) self_weights_ = false;
  }

  void read_event(const Json& event) {
    if (!event.is_object()) {
      bad("an event that is not an object");
      return;
    }
    const std::string_view phase = event["ph"].text();
    const char kind = phase.size() == 1 ? phase[0] : '\0';
    switch (kind) {
      case 'X':
        read_complete(event);
        return;
      case 'B':
      case 'E':
        read_mark(event, kind == 'B');
        return;
      case 'M':
        read_metadata(event);
        return;
      case 'P':
      case 'I':
        read_instant(event);
        return;
      case '\0':
        bad("an event without a phase");
        return;
      default:
        profile_.diagnostics.note_at(
            Problem::kOtherEvent,
            fmt::format("the first: phase {}, which has no stack", phase));
    }
  }

  void bad(std::string_view what) {
    profile_.diagnostics.note_at(Problem::kBadRecord, what);
  }

  void read_complete(const Json& event) {
    const auto start = nanoseconds(event["ts"]);
    const auto duration = nanoseconds(event["dur"]);
    if (!start || !duration || *duration < 0) {
      bad("a slice without a time or a duration");
      return;
    }
    Lane& lane = lanes_[lane_of(event)];
    const std::int64_t end = saturating_add(*start, *duration);
    lane.last = std::max(lane.last, end);
    first_ = std::min(first_, *start);
    if (*duration == 0 && !self_weights_)
      profile_.diagnostics.note(Problem::kZeroWeight);
    else
      lane.slices.push_back({*start, end, frame_of(event), self_of(event)});
  }

  void read_mark(const Json& event, bool begins) {
    const auto time = nanoseconds(event["ts"]);
    if (!time) {
      bad("a slice without a time");
      return;
    }
    Lane& lane = lanes_[lane_of(event)];
    lane.last = std::max(lane.last, *time);
    first_ = std::min(first_, *time);
    // The name at the end is optional.
    const bool named = begins || event["name"].is_string();
    lane.marks.push_back({*time, begins,
                          named ? frame_of(event) : FrameId{kNoFrame},
                          self_of(event)});
  }

  void read_metadata(const Json& event) {
    const std::string_view what = event["name"].text();
    const std::string_view name = event["args"]["name"].text();
    if (what == "thread_name") {
      lanes_[lane_of(event)].name = name;
    } else if (what == "process_name") {
      const std::int64_t pid = id_of(event["pid"]);
      const std::uint32_t row = process_index_.find_or_add(
          hash_pair(static_cast<std::uint64_t>(pid), 0),
          [&](std::uint32_t i) { return processes_[i].first == pid; },
          [&] {
            processes_.emplace_back(pid, name);
            return static_cast<std::uint32_t>(processes_.size() - 1);
          });
      processes_[row].second = name;
    }
  }

  // Samples: with a stack of the table, or a piece of a CPU profile of V8.
  void read_instant(const Json& event) {
    const std::string_view name = event["name"].text();
    if (name == "Profile" || name == "ProfileChunk" || name == "CpuProfile")
      read_v8(event);
    else if (event["sf"])
      read_sample(event);
    else
      profile_.diagnostics.note_at(Problem::kOtherEvent,
                                   "the first: an instant without a stack");
  }

  void read_v8(const Json& event) {
    const Json data = event["args"]["data"];
    const std::int64_t pid = id_of(event["pid"]), id = id_of(event["id"]);
    const std::uint32_t row = recording_index_.find_or_add(
        hash_pair(static_cast<std::uint64_t>(pid),
                  static_cast<std::uint64_t>(id)),
        [&](std::uint32_t i) {
          return recording_keys_[i] == std::pair(pid, id);
        },
        [&] {
          recording_keys_.emplace_back(pid, id);
          recordings_.push_back({lane_of(event), V8Profile(profile_)});
          return static_cast<std::uint32_t>(recordings_.size() - 1);
        });
    V8Profile& v8 = recordings_[row].profile;
    const Json calls = data["cpuProfile"];
    for (const Json& part : {data, calls}) {
      if (const auto start = part["startTime"].integer()) v8.set_start(*start);
      if (const auto end = part["endTime"].integer()) v8.set_end(*end);
    }
    v8.add_nodes(calls["nodes"]);
    v8.add_samples(calls["samples"], data["timeDeltas"].is_array()
                                         ? data["timeDeltas"]
                                         : calls["timeDeltas"]);
  }

  void read_sample(const Json& sample) {
    const auto time = nanoseconds(sample["ts"]);
    if (!time) {
      bad("a sample without a time");
      return;
    }
    const StackId stack = stack_frames_.stack(sample["sf"]);
    if (stack == StackId::kRoot) profile_.diagnostics.note(Problem::kNoStack);
    std::string_view name = sample["name"].text();
    if (name.empty()) name = "samples";
    const auto cpu = sample["cpu"].integer();
    first_ = std::min(first_, *time);
    pending_.push_back(
        {.time = *time,
         .sample = {.weight = sample["weight"].integer().value_or(1),
                    .stack = stack,
                    .event = profile_.event_id(name),
                    .cpu = cpu && *cpu >= 0 && *cpu < Sample::kNoCpu
                               ? static_cast<std::uint32_t>(*cpu)
                               : Sample::kNoCpu},
         .lane = lane_of(sample)});
  }

  FrameId frame_of(const Json& event) {
    std::string_view name = event["name"].text();
    if (name.empty()) name = "[unknown]";
    Frame frame{.function = profile_.strings.intern(name)};
    if (from_wick_) {
      const Json args = event["args"];
      frame.kind = frame_kind(event["cat"].text());
      frame.off_cpu = off_cpu_of(frame.kind, name);
      frame.file = profile_.strings.intern(args["file"].text());
      const auto line = args["line"].integer().value_or(0);
      if (line > 0 && line <= UINT32_MAX)
        frame.line = static_cast<std::uint32_t>(line);
      if (const std::string_view module = args["module"].text();
          !module.empty())
        frame.module = profile_.module_id(module);
    }
    return profile_.frames.intern(frame);
  }

  // wick writes a sample without a stack as a slice of this name.
  bool is_no_stack(FrameId id) const {
    return from_wick_ && profile_.frames[id].kind == FrameKind::kLabel &&
           profile_.function(id) == "[no stack]";
  }

  Json self_of(const Json& event) const {
    return self_weights_ ? event["args"]["self"] : Json();
  }

  // Ids are numbers or texts; texts get negative numbers of their own.
  std::int64_t id_of(const Json& id) {
    if (!id.is_string()) return id.integer().value_or(0);
    if (const auto number = to_number<std::int64_t>(id.text())) return *number;
    return -1 - std::int64_t{index(id_texts_.intern(id.text()))};
  }

  std::size_t lane_of(const Json& event) {
    const std::int64_t pid = id_of(event["pid"]), tid = id_of(event["tid"]);
    if (last_lane_ < lanes_.size() && lanes_[last_lane_].pid == pid &&
        lanes_[last_lane_].tid == tid)
      return last_lane_;
    last_lane_ = lane_index_.find_or_add(
        hash_pair(static_cast<std::uint64_t>(pid),
                  static_cast<std::uint64_t>(tid)),
        [&](std::uint32_t i) {
          return lanes_[i].pid == pid && lanes_[i].tid == tid;
        },
        [&] {
          lanes_.push_back({.pid = pid, .tid = tid});
          if (event["tid"].is_string())
            lanes_.back().name = event["tid"].text();
          return static_cast<std::uint32_t>(lanes_.size() - 1);
        });
    return last_lane_;
  }

  ThreadId thread_of(const Lane& lane) {
    const auto number = [](std::int64_t id) {
      return id >= 0 && id <= INT32_MAX ? static_cast<std::int32_t>(id)
                                        : Thread::kUnknown;
    };
    std::string_view name = lane.name;
    if (name.empty()) {
      const std::uint32_t row = process_index_.find(
          hash_pair(static_cast<std::uint64_t>(lane.pid), 0),
          [&](std::uint32_t i) { return processes_[i].first == lane.pid; });
      if (row != HashIndex::kNone) name = processes_[row].second;
    }
    return profile_.thread_id({.pid = number(lane.pid),
                               .tid = number(lane.tid),
                               .comm = profile_.strings.intern(name)});
  }

  void finish() {
    std::vector<ThreadId> threads;
    for (const Lane& lane : lanes_) threads.push_back(thread_of(lane));
    // A CPU profile was recorded on purpose, so it comes before the slices.
    for (Recording& recording : recordings_)
      recording.profile.finish(samples_, threads[recording.lane]);
    shift_ = -first_;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      close_marks(lanes_[i]);
      if (lanes_[i].slices.empty()) continue;
      if (profile_.events.empty() || (!from_wick_ && slices_ == kNoEvent))
        slices_ = profile_.event_id("slices", "nanoseconds");
      nest(lanes_[i], threads[i]);
    }
    for (Pending& pending : pending_) {
      pending.sample.thread = threads[pending.lane];
      pending.sample.time = time_of(pending.time);
      samples_.add(pending.sample);
    }
  }

  std::uint64_t time_of(std::int64_t time) const {
    if (!profile_.has_time) return 0;
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(0, saturating_add(time, shift_)));
  }

  // Makes slices of begins and ends.
  void close_marks(Lane& lane) {
    std::ranges::stable_sort(lane.marks, {}, &Mark::time);
    std::vector<std::size_t> open;  // places in lane.slices
    for (const Mark& mark : lane.marks) {
      if (mark.begins) {
        open.push_back(lane.slices.size());
        lane.slices.push_back({mark.time, mark.time, mark.frame, mark.self});
        continue;
      }
      if (open.empty()) {
        bad("a slice that ends without having begun");
        continue;
      }
      Slice& slice = lane.slices[open.back()];
      open.pop_back();
      slice.end = mark.time;
      if (mark.frame != FrameId{kNoFrame} &&
          profile_.frames[mark.frame].function !=
              profile_.frames[slice.frame].function)
        profile_.diagnostics.note_at(Problem::kTimeDisorder,
                                     "a slice ends under another name");
    }
    for (const std::size_t i : open) {
      lane.slices[i].end = lane.last;
      profile_.diagnostics.note_at(Problem::kTruncated,
                                   "a slice that does not end");
    }
  }

  // Slices are nested; the time of a slice outside its children is a sample.
  void nest(Lane& lane, ThreadId thread) {
    std::ranges::stable_sort(lane.slices, [](const Slice& a, const Slice& b) {
      return std::tuple(a.start, b.end) < std::tuple(b.start, a.end);
    });
    struct Open {
      std::int64_t end;
      StackId stack;
    };
    std::vector<Open> open;
    std::int64_t now = INT64_MIN;
    const auto spend = [&](std::int64_t until) {
      if (until > now && !self_weights_)
        samples_.add({.time = time_of(now),
                      .weight = saturating_add(until, -now),
                      .stack = open.back().stack,
                      .thread = thread,
                      .event = slices_ == kNoEvent ? EventId{0} : slices_});
      now = std::max(now, until);
    };
    for (Slice& slice : lane.slices) {
      while (!open.empty() && open.back().end <= slice.start) {
        spend(open.back().end);
        open.pop_back();
      }
      if (!open.empty()) {
        spend(slice.start);
        cut(slice, open.back().end);
      }
      now = slice.start;
      const StackId caller = open.empty() ? StackId::kRoot : open.back().stack;
      open.push_back(
          {slice.end, is_no_stack(slice.frame)
                          ? caller
                          : profile_.stacks.push(caller, slice.frame)});
      add_self(slice, open.back().stack, thread);
    }
    while (!open.empty()) {
      spend(open.back().end);
      open.pop_back();
    }
  }

  // A slice cannot outlast its parent. One nanosecond more is a rounding error.
  void cut(Slice& slice, std::int64_t end) {
    if (slice.end <= end) return;
    if (slice.end - end > 1)
      profile_.diagnostics.note(Problem::kTimeDisorder, 1, slice.end - end);
    slice.end = end;
  }

  void add_self(const Slice& slice, StackId stack, ThreadId thread) {
    for (const auto [key, weight] : slice.self.members()) {
      const std::size_t row = index(event_keys_.intern(key));
      const auto number = weight.integer();
      if (row >= events_by_key_.size() || !events_by_key_[row] || !number) {
        bad("a weight of an event that is not listed");
        continue;
      }
      samples_.add({.time = time_of(slice.start),
                    .weight = *number,
                    .stack = stack,
                    .thread = thread,
                    .event = *events_by_key_[row]});
    }
  }

  static constexpr EventId kNoEvent{0xffffffff};
  static constexpr std::uint32_t kNoFrame = 0xffffffff;

  Json root_;
  Profile& profile_;
  const ReadOptions& options_;
  SampleCollector samples_;
  StackFrames stack_frames_;
  bool from_wick_ = false, self_weights_ = false;
  StringTable event_keys_;
  std::vector<std::optional<EventId>> events_by_key_;
  EventId slices_ = kNoEvent;
  StringTable id_texts_;
  std::vector<Lane> lanes_;
  HashIndex lane_index_;
  std::size_t last_lane_ = 0;
  std::vector<std::pair<std::int64_t, std::string_view>> processes_;
  HashIndex process_index_;
  std::vector<Recording> recordings_;
  std::vector<std::pair<std::int64_t, std::int64_t>> recording_keys_;
  HashIndex recording_index_;
  std::vector<Pending> pending_;
  std::int64_t first_ = 0;  // the earliest time if that is below 0, else 0
  std::int64_t shift_ = 0;  // so that no time is below 0
};

bool sniff_chrome_trace(std::string_view head) {
  const auto keys = json_keys(head);
  const auto has = [&](std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
  };
  if (has("traceEvents")) return true;
  return trim_left(without_byte_order_mark(head)).starts_with('[') &&
         has("ph") && (has("ts") || has("pid") || has("name"));
}

Profile read_chrome_trace(InputFile& file, const ReadOptions& options) {
  Profile profile;
  const std::string_view text = file.bytes();
  Diagnostics found;
  const JsonDocument document(text, found);
  // Tracers leave the last bracket of an array out, so that a program that
  // dies leaves a good file; the format allows it.
  const std::string_view end = trim_right(text);
  const bool open_array =
      document.root().is_array() && (end.ends_with('}') || end.ends_with(','));
  if (!open_array) profile.diagnostics.merge(found);
  ChromeTraceReader(document.root(), profile, options).run();
  return profile;
}

}  // namespace

extern const InputFormat chrome_trace_input = {
    .name = "chrome-trace",
    .description = "Trace Event JSON (Chrome, Perfetto, clang -ftime-trace)",
    .sniff = sniff_chrome_trace,
    .read = read_chrome_trace,
};

}  // namespace wick
