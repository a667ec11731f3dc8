// SPDX-License-Identifier: Apache-2.0
// Reads speedscope's JSON: a list of frames, and any number of profiles over
// them, each of one thread or one event. A profile is "sampled" (stacks and
// their weights, in the order of time) or "evented" (frames opened and closed
// at times). A weight in a unit of time is the span until the next sample.
//
// The writer adds "thread" and "event" to a profile and "kind" to a frame,
// which speedscope ignores; without them the name of a profile is taken for
// that of a thread if there are several.
#include <algorithm>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "format/common/event_label.h"
#include "format/json/json.h"
#include "profile/format.h"
#include "profile/kind_names.h"

namespace wick {
namespace {

class SpeedscopeReader {
 public:
  SpeedscopeReader(Profile& profile, const ReadOptions& options,
                   const Json& root)
      : profile_(profile),
        root_(root),
        keep_time_(options.keep_time),
        samples_(profile, options.keep_time) {}

  void read() {
    read_frames();
    std::size_t count = 0;
    for (const Json json : root_["profiles"].items()) count += json.is_object();
    for (const Json json : root_["profiles"].items()) {
      if (!json.is_object()) continue;
      describe(json, count > 1);
      if (json["events"])
        read_evented(json);
      else
        read_sampled(json);
    }
    profile_.has_time = keep_time_ && timed_ && !untimed_;
    if (!profile_.has_time)
      for (Sample& sample : profile_.samples) sample.time = 0;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  void bad_record(std::string_view what) {
    profile_.diagnostics.note_at(Problem::kBadRecord, what);
  }

  void read_frames() {
    for (const Json json : root_["shared"]["frames"].items()) {
      const std::int64_t line = json["line"].integer().value_or(0);
      const FrameKind kind = frame_kind(json["kind"].text());
      frames_.push_back(profile_.frames.intern(
          {.function = profile_.strings.intern(json["name"].text()),
           .file = profile_.strings.intern(json["file"].text()),
           .line = line > 0 && line <= UINT32_MAX
                       ? static_cast<std::uint32_t>(line)
                       : 0,
           .kind = kind,
           .off_cpu = off_cpu_of(kind, json["name"].text())}));
    }
    open_count_.resize(frames_.size());
  }

  // The thread and the event of a profile.
  void describe(const Json& json, bool one_of_many) {
    Thread thread;
    if (const Json known = json["thread"]) {
      const auto id = [&](std::string_view key) {
        const std::int64_t number = known[key].integer().value_or(-1);
        return number >= 0 && number <= INT32_MAX
                   ? static_cast<std::int32_t>(number)
                   : Thread::kUnknown;
      };
      thread = {id("pid"), id("tid"),
                profile_.strings.intern(known["name"].text())};
    } else if (one_of_many) {
      thread.comm = profile_.strings.intern(json["name"].text());
    }
    thread_ =
        thread == Thread{} ? ThreadId::kUnknown : profile_.thread_id(thread);

    std::string_view unit = json["unit"].text();
    if (unit == "none") unit = "";
    time_decimals_ = time_unit_decimals(unit);
    const Json known = json["event"];
    const EventLabel label = parse_event_label(known["name"].text());
    std::string_view name = label.name;
    if (name.empty()) name = unit.empty() ? "samples" : unit;
    if (known["unit"].is_string()) unit = known["unit"].text();
    event_ = profile_.event_id(name, unit, label.role);
    profile_.events[event_].time = time_kind(known["time"].text());
  }

  std::uint32_t frame_index(const Json& json) {
    const std::int64_t number = json.integer().value_or(-1);
    if (number < 0 || number >= static_cast<std::int64_t>(frames_.size())) {
      bad_record("a frame that is not in the list");
      return kNone;
    }
    return static_cast<std::uint32_t>(number);
  }

  // All numbers of a profile get the same number of decimals before any is
  // used.
  void raise(const Json& numbers, std::string_view key) {
    int decimals = profile_.events[event_].decimals;
    for (const Json item : numbers.items())
      if (const auto n = (key.empty() ? item : item[key]).decimal())
        decimals = std::max(decimals, n->decimals);
    raise_decimals(profile_, event_, decimals);
  }

  std::int64_t scaled(const Decimal& number) const {
    const int shift = profile_.events[event_].decimals - number.decimals;
    return shift >= 0 ? saturating_mul(number.value, power_of_ten(shift))
                      : number.value / power_of_ten(-shift);
  }

  // In nanoseconds.
  std::uint64_t time_of(std::int64_t value) const {
    const int shift = 9 - time_decimals_ - profile_.events[event_].decimals;
    const std::int64_t time = shift >= 0
                                  ? saturating_mul(value, power_of_ten(shift))
                                  : value / power_of_ten(-shift);
    return time > 0 ? static_cast<std::uint64_t>(time) : 0;
  }

  void add(StackId stack, std::int64_t weight, std::int64_t at) {
    const bool has_time = time_decimals_ >= 0;
    (has_time ? timed_ : untimed_) = true;
    if (stack == StackId::kRoot) profile_.diagnostics.note(Problem::kNoStack);
    samples_.add({.time = has_time ? time_of(at) : 0,
                  .weight = weight,
                  .stack = stack,
                  .thread = thread_,
                  .event = event_});
  }

  StackId stack_of(const Json& sample) {
    std::size_t depth = 0;
    StackId stack = StackId::kRoot;
    bool shared = true;
    for (const Json item : sample.items()) {
      const std::uint32_t frame = frame_index(item);
      if (frame == kNone) continue;
      // Neighbours often begin alike, and comparing is quicker than looking up.
      shared = shared && depth < path_.size() && path_[depth].first == frame;
      if (!shared) {
        path_.resize(depth);
        path_.emplace_back(frame, profile_.stacks.push(stack, frames_[frame]));
      }
      stack = path_[depth].second;
      ++depth;
    }
    path_.resize(depth);
    return stack;
  }

  void read_sampled(const Json& json) {
    const Json weights = json["weights"];
    raise(weights, "");
    std::int64_t at = scaled(json["startValue"].decimal().value_or(Decimal{}));
    auto weight = weights.items().begin();
    const auto end = weights.items().end();
    std::uint64_t without_weight = 0;
    for (const Json sample : json["samples"].items()) {
      if (!(weight != end)) {
        ++without_weight;
        continue;
      }
      const std::int64_t span = scaled((*weight).decimal().value_or(Decimal{}));
      ++weight;
      if (span == 0)
        profile_.diagnostics.note(Problem::kZeroWeight);
      else
        add(stack_of(sample), span, at);
      at = saturating_add(at, std::max<std::int64_t>(span, 0));
    }
    if (without_weight > 0)
      profile_.diagnostics.note(Problem::kBadRecord, without_weight);
  }

  void read_evented(const Json& json) {
    const Json events = json["events"];
    raise(events, "at");
    std::vector<std::pair<std::uint32_t, StackId>> open;
    std::int64_t last =
        scaled(json["startValue"].decimal().value_or(Decimal{}));
    for (const Json event : events.items()) {
      const auto at = event["at"].decimal();
      const std::uint32_t frame = frame_index(event["frame"]);
      if (!at || frame == kNone) continue;
      const std::int64_t now = scaled(*at);
      if (now < last)
        profile_.diagnostics.note(Problem::kTimeDisorder);
      else if (now > last && !open.empty())
        add(open.back().second, now - last, last);
      last = std::max(now, last);
      if (event["type"].text() == "O") {
        const StackId caller =
            open.empty() ? StackId::kRoot : open.back().second;
        open.emplace_back(frame, profile_.stacks.push(caller, frames_[frame]));
        ++open_count_[frame];
      } else if (open_count_[frame] == 0) {
        bad_record("a frame is closed that is not open");
      } else {
        if (open.back().first != frame)
          bad_record("a frame is closed before those it called");
        std::uint32_t closed = kNone;
        do {
          closed = open.back().first;
          --open_count_[closed];
          open.pop_back();
        } while (closed != frame);
      }
    }
    if (!open.empty())
      bad_record("frames are still open at the end of a profile");
    for (const auto& [frame, stack] : open) open_count_[frame] = 0;
  }

  Profile& profile_;
  Json root_;
  bool keep_time_;
  SampleCollector samples_;
  std::vector<FrameId> frames_;
  std::vector<std::pair<std::uint32_t, StackId>> path_;  // of the last sample
  std::vector<std::uint32_t> open_count_;  // by frame, of an evented profile
  ThreadId thread_ = ThreadId::kUnknown;
  EventId event_{0};
  int time_decimals_ = -1;
  bool timed_ = false, untimed_ = false;
};

bool sniff_speedscope(std::string_view head) {
  if (!trim(head).starts_with('{')) return false;
  const auto keys = json_keys(head);
  const auto has = [&](std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
  };
  const auto contains = [&](std::string_view text) {
    return head.find(text) != head.npos;
  };
  return (has("$schema") && contains("speedscope.app/file-format")) ||
         (has("shared") && contains("\"frames\"")) ||
         (has("profiles") &&
          (contains("\"sampled\"") || contains("\"evented\"")));
}

Profile read_speedscope(InputFile& file, const ReadOptions& options) {
  Profile profile;
  const JsonDocument document(file.bytes(), profile.diagnostics);
  const Json root = document.root();
  const bool cut = profile.diagnostics.count(Problem::kTruncated) > 0;
  if (!root["profiles"].is_array() && !(cut && root.is_object()))
    fail("has no \"profiles\", which a speedscope file must have");
  SpeedscopeReader(profile, options, root).read();
  for (const std::string_view key : {"name", "exporter"})
    if (const auto text = root[key].text(); !text.empty())
      profile.set_about(key, text);
  profile.is_trace = root["is_trace"].truth().value_or(false);
  for (const auto [key, value] : root["about"].members())
    profile.set_about(key, value.text());
  return profile;
}

}  // namespace

extern const InputFormat speedscope_input = {
    .name = "speedscope",
    .description = "speedscope JSON (py-spy, rbspy, .NET, Zig and others)",
    .sniff = sniff_speedscope,
    .read = read_speedscope,
};

}  // namespace wick
