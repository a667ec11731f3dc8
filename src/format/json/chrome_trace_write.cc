// SPDX-License-Identifier: Apache-2.0
// Writes Trace Event JSON for Perfetto and chrome://tracing: a flame chart for
// each thread, in which consecutive samples with common callers share slices.
//
// Samples are points in time and weights are rarely durations, so slices show
// when code ran, and their arguments have the weights:
//   - weights in nanoseconds are the durations, and so are cycles of a trace,
//     of which nothing else is written, since nothing else has times;
//   - otherwise a sample lasts until the next one of its thread, or as long as
//     most do there, if that is less;
//   - without times, weights are laid side by side, a microsecond for each
//   unit.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <vector>

#include "base/bytes.h"
#include "base/hash_index.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "profile/format.h"
#include "profile/kind_names.h"
#include "profile/stack_path.h"

namespace wick {
namespace {

struct WrittenSlice {
  std::int64_t start = 0, end = 0;
  FrameId frame{};
};

struct Self {  // a weight of a slice's own
  std::uint32_t slice;
  EventId event;
  std::int64_t weight;
};

// An order in which stacks with common callers are adjacent.
Column<StackId, std::uint32_t> preorder(const StackTable& stacks) {
  Column<StackId, std::uint32_t> size(stacks.size(), 1), rank(stacks.size());
  for (const StackId id : stacks.ids() | std::views::reverse)
    if (id != StackId::kRoot) size[stacks.parent(id)] += size[id];
  Column<StackId, std::uint32_t> next(stacks.size(), 1);
  for (const StackId id : stacks.ids()) {
    if (id == StackId::kRoot) continue;
    const StackId parent = stacks.parent(id);
    rank[id] = rank[parent] + next[parent];
    next[parent] += size[id];
  }
  return rank;
}

class ChromeTraceWriter {
 public:
  ChromeTraceWriter(const Profile& profile, const WriteOptions& options,
                    std::ostream& out)
      : profile_(profile), options_(options), out_(out) {}

  void run() {
    choose_events();
    choose_scale();
    describe_frames();
    frames_.emplace(profile_.stacks,
                    [this](FrameId id) { return index(names_[id]); });
    name_events();
    put_head();
    std::vector<std::vector<const Sample*>> lanes(profile_.threads.size());
    for (const Sample& sample : profile_.samples)
      if (is_written_[sample.event])
        lanes[index(sample.thread)].push_back(&sample);
    if (!profile_.has_time) sort_lanes(lanes);
    number_threads(lanes);
    for (const ThreadId id : profile_.threads.ids()) {
      if (lanes[index(id)].empty()) continue;
      lay_out(lanes[index(id)]);
      put_slices(id);
    }
    text_ += "\n]}\n";
    flush();
  }

 private:
  // Of what a trace counts, its cycles alone have times.
  void choose_events() {
    clock_ = clock_of_trace(profile_);
    for (const EventId id : profile_.events.ids())
      is_written_.push_back(!clock_ || id == *clock_);
  }

  // Durations are the weights if they are nanoseconds of one event.
  void choose_scale() {
    std::int64_t total = 0;
    bool zeros = false;
    for (const Sample& sample : profile_.samples) {
      total = saturating_add(total, sample.weight);
      zeros = zeros || sample.weight == 0;
    }
    for (const EventId id : profile_.events.ids()) {
      const Event& event = profile_.events[id];
      const std::int64_t unit =
          id == clock_ ? 1 : nanoseconds_in(profile_.strings[event.unit]);
      const std::int64_t power = power_of_ten(event.decimals);
      const bool is_time = unit >= power;
      // Long before the sum could overflow, a unit is a nanosecond.
      const std::int64_t micro = total > INT64_MAX / 2000 ? 1 : 1000;
      is_time_.push_back(is_time);
      scale_.push_back(is_time ? unit / power : micro);
      divide_.push_back(is_time || micro == 1 ? 1 : power);
    }
    if (profile_.events.size() != 1 || zeros) return;
    const Event& event = profile_.events[EventId{0}];
    durations_are_weights_ = profile_.strings[event.unit] == "nanoseconds" &&
                             event.decimals == 0 &&
                             event.role == EventRole::kPlain;
  }

  // Everything of an event in the trace that depends on its frame alone.
  void describe_frames() {
    StringTable names;
    for (const FrameId id : profile_.frames.ids()) {
      const Frame& frame = profile_.frames[id];
      const std::string name = frame_name(profile_, frame, options_.fold);
      names_.push_back(names.intern(std::string(name_of(frame.kind)) + name));
      std::string text = R"(,"name":)";
      append_json_string(text, name);
      text += R"(,"cat":")";
      text += name_of(frame.kind);
      text += '"';
      texts_.push_back(std::move(text));
      args_.push_back(arguments(frame));
    }
  }

  std::string arguments(const Frame& frame) const {
    std::string text;
    const auto add = [&](std::string_view key, std::string_view value) {
      if (value.empty()) return;
      text += text.empty() ? "\"" : ",\"";
      text += key;
      text += "\":";
      append_json_string(text, value);
    };
    add("file", profile_.strings[frame.file]);
    if (frame.line != 0) {
      text += text.empty() ? R"("line":)" : R"(,"line":)";
      text += std::to_string(frame.line);
    }
    add("module", profile_.strings[profile_.modules[frame.module].path]);
    return text;
  }

  // The keys of weights are the names of events, or numbers where names repeat.
  void name_events() {
    StringTable seen;
    for (const EventId id : profile_.events.ids()) {
      std::string key(profile_.strings[profile_.events[id].name]);
      const std::size_t before = seen.size();
      while (seen.intern(key), seen.size() == before)
        key += " " + std::to_string(index(id));
      keys_.push_back(key);
    }
  }

  void put_head() {
    text_ += R"({"displayTimeUnit":"ns","otherData":{"wick":{"times":)";
    text_ += profile_.has_time ? "true" : "false";
    text_ += durations_are_weights_ ? R"(,"self":false)" : R"(,"self":true)";
    if (profile_.is_trace) text_ += R"(,"is_trace":true)";
    text_ += R"(,"events":[)";
    for (const EventId id : profile_.events.ids()) {
      if (!is_written_[id]) continue;
      const Event& event = profile_.events[id];
      text_ += text_.back() == '[' ? "{" : ",{";
      const auto add = [&](std::string_view key, std::string_view value) {
        text_ += key;
        append_json_string(text_, value);
      };
      add(R"("key":)", keys_[id]);
      add(R"(,"name":)", profile_.strings[event.name]);
      add(R"(,"unit":)", profile_.strings[event.unit]);
      add(R"(,"role":)", name_of(event.role));
      // The weight of a slice is not all at its beginning, as that of a trace's
      // sample is: callees interrupt it.
      if (event.time != TimeKind::kNone && event.time != TimeKind::kTraceClock)
        add(R"(,"time":)", name_of(event.time));
      text_ += R"(,"decimals":)" + std::to_string(event.decimals) + "}";
    }
    text_ += "]}},\n\"traceEvents\":[";
  }

  void sort_lanes(std::vector<std::vector<const Sample*>>& lanes) const {
    const auto rank = preorder(profile_.stacks);
    for (auto& lane : lanes)
      std::ranges::stable_sort(
          lane, {}, [&](const Sample* sample) { return rank[sample->stack]; });
  }

  // Every thread needs a pid and tid of its own; two programs that ran one
  // after the other in one thread are two.
  void number_threads(const std::vector<std::vector<const Sample*>>& lanes) {
    HashIndex seen;
    std::int32_t spare = 1 << 30;
    ids_.resize(profile_.threads.size());
    for (const ThreadId id : profile_.threads.ids()) {
      if (lanes[index(id)].empty()) continue;
      std::pair<std::int32_t, std::int32_t>& own = ids_[id];
      own = {std::max(0, profile_.threads[id].pid),
             std::max(0, profile_.threads[id].tid)};
      const auto taken = [&] {
        bool is_new = false;
        seen.find_or_add(
            hash_pair(static_cast<std::uint64_t>(own.first),
                      static_cast<std::uint64_t>(own.second)),
            [&](std::uint32_t row) { return ids_[ThreadId{row}] == own; },
            [&] {
              is_new = true;
              return index(id);
            });
        return !is_new;
      };
      while (taken()) own.second = spare++;
      if (const auto comm = profile_.threads[id].comm;
          comm != StringId::kEmpty) {
        begin_event('M', id);
        text_ += R"(,"name":"thread_name","args":{"name":)";
        append_json_string(text_, profile_.strings[comm]);
        text_ += "}}";
      }
    }
  }

  // How long most samples of a thread last, by the distances between them.
  static std::int64_t usual_distance(const std::vector<const Sample*>& lane) {
    std::vector<std::uint64_t> distances;
    for (std::size_t i = 1; i < lane.size(); ++i)
      if (lane[i]->time > lane[i - 1]->time)
        distances.push_back(lane[i]->time - lane[i - 1]->time);
    if (distances.empty()) return 1'000'000;
    const auto middle =
        distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::ranges::nth_element(distances, middle);
    return static_cast<std::int64_t>(
        std::min<std::uint64_t>(*middle, INT64_MAX / 4));
  }

  std::int64_t duration(const std::vector<const Sample*>& lane, std::size_t i,
                        std::int64_t usual) const {
    const Sample& sample = *lane[i];
    // Harts whose threads are not known share a lane.
    if (clock_ && i + 1 < lane.size() &&
        lane[i + 1]->time - sample.time <
            static_cast<std::uint64_t>(sample.weight))
      return static_cast<std::int64_t>(lane[i + 1]->time - sample.time);
    if (!profile_.has_time || is_time_[sample.event])
      return saturating_mul(sample.weight, scale_[sample.event]) /
             divide_[sample.event];
    if (i + 1 == lane.size()) return usual;
    const std::uint64_t distance = lane[i + 1]->time - sample.time;
    return distance <= static_cast<std::uint64_t>(usual + usual / 2)
               ? static_cast<std::int64_t>(distance)
               : usual;
  }

  // Makes slices_ and selves_ of the samples of a thread.
  void lay_out(const std::vector<const Sample*>& lane) {
    slices_.clear();
    selves_.clear();
    const std::int64_t usual = profile_.has_time ? usual_distance(lane) : 0;
    frames_->clear();
    std::vector<std::uint32_t> open;  // into slices_
    std::int64_t now = 0;
    const auto close = [&](std::size_t depth) {
      for (; open.size() > depth; open.pop_back())
        slices_[open.back()].end = now;
    };
    for (std::size_t i = 0; i < lane.size(); ++i) {
      const Sample& sample = *lane[i];
      const auto time = static_cast<std::int64_t>(
          std::min<std::uint64_t>(sample.time, INT64_MAX));
      const std::int64_t start = std::max(now, time);
      const auto begin = [&](FrameId frame) {
        open.push_back(static_cast<std::uint32_t>(slices_.size()));
        slices_.push_back({start, start, frame});
      };
      if (start != now) {
        close(0);
        frames_->clear();
      }
      const bool stackless = sample.stack == StackId::kRoot;
      const bool shows_stackless =
          open.size() == 1 && slices_[open.back()].frame == FrameId{kNoFrame};
      const std::uint32_t same = frames_->move_to(sample.stack);
      // A sample without frames must show, too.
      if (!stackless || !shows_stackless) close(same);
      for (const FrameId frame : frames_->new_frames()) begin(frame);
      if (stackless && !shows_stackless) begin(FrameId{kNoFrame});
      now = saturating_add(start,
                           std::max<std::int64_t>(1, duration(lane, i, usual)));
      selves_.push_back({open.back(), sample.event, sample.weight});
    }
    close(0);
    std::ranges::stable_sort(selves_, {}, &Self::slice);
  }

  void put_slices(ThreadId thread) {
    std::size_t self = 0;
    for (std::uint32_t i = 0; i < slices_.size(); ++i) {
      const WrittenSlice& slice = slices_[i];
      begin_event('X', thread);
      text_ += ",\"ts\":";
      put_microseconds(slice.start);
      text_ += ",\"dur\":";
      put_microseconds(slice.end - slice.start);
      const bool known = slice.frame != FrameId{kNoFrame};
      text_ += known ? std::string_view(texts_[slice.frame])
                     : R"(,"name":"[no stack]","cat":"label")";
      const std::size_t first = self;
      while (self < selves_.size() && selves_[self].slice == i) ++self;
      std::string_view args;
      if (known) args = args_[slice.frame];
      const bool weights = self > first && !durations_are_weights_;
      if (weights || !args.empty()) {
        text_ += ",\"args\":{";
        text_ += args;
        if (weights) put_weights(first, self, !args.empty());
        text_ += '}';
      }
      text_ += '}';
      if (text_.size() > (64 << 10)) flush();
    }
  }

  void put_weights(std::size_t first, std::size_t end, bool comma) {
    std::sort(selves_.begin() + static_cast<std::ptrdiff_t>(first),
              selves_.begin() + static_cast<std::ptrdiff_t>(end),
              [](const Self& a, const Self& b) { return a.event < b.event; });
    text_ += comma ? R"(,"self":{)" : R"("self":{)";
    for (std::size_t i = first; i < end;) {
      const EventId event = selves_[i].event;
      std::int64_t sum = 0;
      if (i != first) text_ += ',';
      for (; i < end && selves_[i].event == event; ++i)
        sum = saturating_add(sum, selves_[i].weight);
      append_json_string(text_, keys_[event]);
      text_ += ':';
      put_number(sum);
    }
    text_ += '}';
  }

  void begin_event(char phase, ThreadId thread) {
    text_ += first_event_ ? "\n" : ",\n";
    first_event_ = false;
    text_ += R"({"ph":")";
    text_ += phase;
    text_ += R"(","pid":)";
    put_number(ids_[thread].first);
    text_ += R"(,"tid":)";
    put_number(ids_[thread].second);
  }

  void put_number(std::int64_t number) {
    const fmt::format_int digits(number);
    text_.append(digits.data(), digits.size());
  }

  void put_microseconds(std::int64_t nanoseconds) {
    put_number(nanoseconds / 1000);
    const auto rest = static_cast<int>(nanoseconds % 1000);
    if (rest == 0) return;
    text_ += '.';
    text_ += static_cast<char>('0' + rest / 100);
    text_ += static_cast<char>('0' + rest / 10 % 10);
    text_ += static_cast<char>('0' + rest % 10);
  }

  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  static constexpr std::uint32_t kNoFrame = 0xffffffff;

  const Profile& profile_;
  const WriteOptions& options_;
  std::ostream& out_;
  std::string text_;
  bool first_event_ = true;
  bool durations_are_weights_ = false;
  std::optional<EventId> clock_;  // of a trace
  Column<EventId, bool> is_written_;
  // Nanoseconds of a weight: weight × scale / divide.
  Column<EventId, bool> is_time_;
  Column<EventId, std::int64_t> scale_, divide_;
  Column<EventId, std::string> keys_;
  Column<FrameId, StringId> names_;  // with their kinds
  std::optional<StackPath> frames_;
  Column<FrameId, std::string> texts_, args_;
  Column<ThreadId, std::pair<std::int32_t, std::int32_t>> ids_;
  std::vector<WrittenSlice> slices_;  // of one thread; callers before callees
  std::vector<Self> selves_;
};

void write_chrome_trace(const Profile& profile, const WriteOptions& options,
                        std::ostream& out) {
  ChromeTraceWriter(profile, options, out).run();
}

}  // namespace

extern const OutputFormat chrome_trace_output = {
    .name = "chrome-trace",
    .extension = ".trace.json",
    .description = "Trace Event JSON for Perfetto and chrome://tracing",
    .write = write_chrome_trace,
    .lacks =
        "times of single samples, cpus, addresses, build ids, "
        "unknown process ids, counts of a trace other than cycles",
    .cost = {.repeats = Repeats::kTimeline, .frame_bytes = 90, .names = true},
    .media_type = "application/json; charset=utf-8",
};

}  // namespace wick
