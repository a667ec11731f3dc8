// SPDX-License-Identifier: Apache-2.0
// The value in the middle of wick. Readers make one, transforms turn one into
// another, writers and fold() read it.
//
// A Profile is a struct of public tables with these invariants, which check()
// verifies:
//   - every id is in range; row 0 of strings, modules, threads and stacks is
//     the empty one;
//   - in `stacks`, parents come before their children;
//   - with has_time, `samples` are ordered by time; without, they are in the
//     order of the input and `time` is 0;
//   - weights are not negative;
//   - `sample_counts` is no longer than `samples`, and empty with has_time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/setting.h"
#include "profile/diagnostics.h"
#include "profile/tables.h"

namespace wick {

// A file (or other origin) of code.
struct Module {
  StringId path = StringId::kEmpty;
  StringId build_id = StringId::kEmpty;  // hexadecimal
  // Why its functions have no names; empty if they have.
  StringId no_names = StringId::kEmpty;
  Settings no_names_helps = {};  // settings that would help
  friend bool operator==(const Module&, const Module&) = default;
};

struct Thread {
  static constexpr std::int32_t kUnknown = -1;
  std::int32_t pid = kUnknown;
  std::int32_t tid = kUnknown;
  StringId comm = StringId::kEmpty;  // the command's or the thread's name
  friend bool operator==(const Thread&, const Thread&) = default;
};

// In a difference, a stack has a weight before and a weight after, as samples
// of two events.
enum class EventRole : std::uint8_t { kPlain, kBefore, kAfter };

// Which time the samples of an event stand for.
enum class TimeKind : std::uint8_t {
  kNone,   // none, or unknown
  kOnCpu,  // taken while a thread runs
  // Spent off the CPU. A sample begins at its time and lasts as long as it
  // weighs.
  kOffCpu,
  kWall,  // on and off the CPU together
  // The clock of an instruction trace. A sample begins at its time and lasts as
  // many nanoseconds of the profile's clock as it weighs.
  kTraceClock,
};

// What a sample counts. A weight w stands for w × 10^-decimals of `unit`.
struct Event {
  StringId name = StringId::kEmpty;
  StringId unit = StringId::kEmpty;  // "samples" if empty
  std::uint8_t decimals = 0;
  EventRole role = EventRole::kPlain;
  TimeKind time = TimeKind::kNone;
  friend bool operator==(const Event&, const Event&) = default;
};

struct Sample {
  static constexpr std::uint32_t kNoCpu = 0xffffffff;
  std::uint64_t time = 0;  // nanoseconds of the input's clock
  std::int64_t weight = 0;
  StackId stack = StackId::kRoot;
  ThreadId thread = ThreadId::kUnknown;
  EventId event{0};
  std::uint32_t cpu = kNoCpu;
  friend bool operator==(const Sample&, const Sample&) = default;
};
static_assert(sizeof(Sample) == 32);

// A fact about the whole profile, for people: "command", "host", "format" …
struct About {
  StringId key, value;
  friend bool operator==(const About&, const About&) = default;
};

struct Profile {
  Profile();
  Profile(Profile&&) noexcept;
  Profile& operator=(Profile&&) noexcept;
  ~Profile();

  StringTable strings;
  Column<ModuleId, Module> modules;  // row 0: unknown
  FrameTable frames;
  StackTable stacks;
  Column<ThreadId, Thread> threads;  // row 0: unknown
  Column<EventId, Event> events;     // may be empty when samples is
  std::vector<Sample> samples;
  // How many samples were added up into each row of `samples` while reading.
  // Rows beyond the end stand for one.
  std::vector<std::uint32_t> sample_counts;
  bool has_time = false;
  // From an instruction trace: nothing was sampled. A row is a stack or a
  // stretch of time, and the events (cycles, instructions, calls) count one run
  // in several ways.
  bool is_trace = false;
  // Each sample of a text says how its event is called, and not what was
  // recorded: "cycles:u" and "cycles" may be the same one.
  bool has_loose_event_names = false;
  // The size of the files that it was read from, as they are stored. What may
  // be made of it is measured by that (see fit_to_output()).
  std::uint64_t input_bytes = 0;
  std::vector<About> about;
  Diagnostics diagnostics;

  std::string_view function(FrameId id) const {
    return strings[frames[id].function];
  }

  // The row with this content, added if there is none. A row that is changed
  // after it was added may not be found again, except for an event's decimals
  // and time.
  ModuleId module_id(std::string_view path, std::string_view build_id = "");
  ThreadId thread_id(const Thread& thread);
  EventId event_id(std::string_view name, std::string_view unit = "",
                   EventRole role = EventRole::kPlain);

  // The frame of a function known by its name only.
  FrameId named_frame(std::string_view function,
                      FrameKind kind = FrameKind::kUser) {
    return frames.intern({.function = strings.intern(function), .kind = kind});
  }

  // Facts beyond kMaxAbout are dropped: they are for people.
  void set_about(std::string_view key, std::string_view value);
  static constexpr std::size_t kMaxAbout = 10'000;

 private:
  // Finds rows by content. Tables are public: a look-up first indexes the rows
  // that were added since the last one.
  struct RowIndex {
    HashIndex hashes;
    std::uint32_t indexed = 0;
  };
  template <Id I, class Row>
  static I find_or_add(Column<I, Row>& rows, RowIndex& index, const Row& row);

  RowIndex module_index_, thread_index_, event_index_;
};

// Collects the samples of a reader. With `keep_time`, every sample is stored;
// without, samples of equal stack, thread and event are added up as they come,
// so memory grows with the number of distinct stacks. Negative weights and sums
// that overflow are noted, never kept.
class SampleCollector {
 public:
  SampleCollector(Profile& profile, bool keep_time)
      : profile_(profile), keep_time_(keep_time) {}

  // `count` samples of this weight in all.
  void add(const Sample& sample, std::uint32_t count = 1);

 private:
  Profile& profile_;
  bool keep_time_;
  HashIndex index_;
};

// Gives event `id` at least `decimals` decimals and scales the weights of its
// samples accordingly.
void raise_decimals(Profile& profile, EventId id, int decimals);

// The same for all events at once; wanted[id] may be less than an event has.
void raise_decimals(Profile& profile, const Column<EventId, int>& wanted);

// Lets samples whose stacks were cut (see StackTable) end in a frame that says
// so, and notes what was cut. Applied to the result of every reader.
void mark_cut_stacks(Profile& profile);

// Orders samples by time; equal times keep their order. Applied to the result
// of every reader.
void sort_samples(Profile& profile);

// How many samples of the profiler row `row` of `samples` stands for: its
// weight if the input holds sums of samples.
std::uint64_t samples_in_row(const Profile& profile, std::size_t row);

// Whether a weight of this event is a number of samples. Samples with times are
// never sums.
bool counts_samples(const Profile& profile, const Event& event);

bool is_difference(const Profile& profile);

// The event that is a trace's clock, if the profile still has times.
std::optional<EventId> clock_of_trace(const Profile& profile);

// The key of a trace's summary in Profile::about.
inline constexpr std::string_view kAboutTraceSummary = "trace";

// The names of events that perf and wick derive from context switches.
inline constexpr std::string_view kOffCpuEventName = "offcpu-time";
inline constexpr std::string_view kWallEventName = "wall-time";

// Sets the time of events that have none by their names, for formats that hold
// nothing but names.
void guess_event_times(Profile& profile);

// Keeps the samples and drops their times.
void forget_times(Profile& profile);

// How many nanoseconds a unit is; 0 if it is not a unit of time.
std::int64_t nanoseconds_in(std::string_view unit);

// The sum of the weights of all samples of `event`.
std::int64_t total_weight(const Profile& profile, EventId event);

// The first violated invariant, or "".
std::string check(const Profile& profile);

}  // namespace wick
