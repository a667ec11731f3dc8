// SPDX-License-Identifier: Apache-2.0
// The value in the middle of wick. Readers make one, transforms turn one into
// another, writers and fold() read it.
//
// A Profile is a struct of public tables with these invariants, which check()
// verifies:
//   - every id is in range; row 0 of strings, modules, threads and stacks is
//     the empty one;
//   - in `stacks`, parents stand before their children;
//   - `samples` are ordered by time where has_time holds; where it does not,
//     they are in the order of the input and `time` is 0;
//   - weights are not negative;
//   - `sample_counts` is not longer than `samples`, and empty where has_time
//     holds.
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
  // Why functions of it have no names; empty if they have.
  StringId no_names = StringId::kEmpty;
  Settings no_names_helps;  // would help
  friend bool operator==(const Module&, const Module&) = default;
};

struct Thread {
  static constexpr std::int32_t kUnknown = -1;
  std::int32_t pid = kUnknown;
  std::int32_t tid = kUnknown;
  StringId comm = StringId::kEmpty;  // the command's or the thread's name
  friend bool operator==(const Thread&, const Thread&) = default;
};

// In a difference, stacks have a weight before and a weight after, as samples
// of two events.
enum class EventRole : std::uint8_t { kPlain, kBefore, kAfter };

// What a sample counts. A weight w stands for w × 10^-decimals of `unit`.
struct Event {
  StringId name = StringId::kEmpty;
  StringId unit = StringId::kEmpty;  // "samples" where empty
  std::uint8_t decimals = 0;
  EventRole role = EventRole::kPlain;
  friend bool operator==(const Event&, const Event&) = default;
};

struct Sample {
  static constexpr std::uint32_t kNoCpu = 0xffffffff;
  std::uint64_t time = 0;  // nanoseconds, of the clock that the input uses
  std::int64_t weight = 0;
  StackId stack = StackId::kRoot;
  ThreadId thread = ThreadId::kUnknown;
  EventId event{0};
  std::uint32_t cpu = kNoCpu;
  friend bool operator==(const Sample&, const Sample&) = default;
};
static_assert(sizeof(Sample) == 32);

// Something that is known about the whole: "command", "host", "format" …
struct About {
  StringId key, value;
  friend bool operator==(const About&, const About&) = default;
};

struct Profile {
  Profile();
  Profile(Profile&&) noexcept = default;
  Profile& operator=(Profile&&) noexcept = default;

  StringTable strings;
  Column<ModuleId, Module> modules;  // row 0: unknown
  FrameTable frames;
  StackTable stacks;
  Column<ThreadId, Thread> threads;  // row 0: unknown
  Column<EventId, Event> events;     // may be empty when samples is
  std::vector<Sample> samples;
  // Where samples were added up while they were read: how many each row of
  // `samples` stands for. Rows beyond the end stand for one.
  std::vector<std::uint32_t> sample_counts;
  bool has_time = false;
  std::vector<About> about;
  Diagnostics diagnostics;

  std::string_view function(FrameId id) const {
    return strings[frames[id].function];
  }

  // The row with this content, added if there is none. Rows that are changed
  // after they were added may not be found again.
  ModuleId module_id(std::string_view path, std::string_view build_id = "");
  ThreadId thread_id(const Thread& thread);
  EventId event_id(std::string_view name, std::string_view unit = "",
                   EventRole role = EventRole::kPlain);

  // The frame of a function of which nothing but the name is known.
  FrameId named_frame(std::string_view function,
                      FrameKind kind = FrameKind::kUser) {
    return frames.intern({.function = strings.intern(function), .kind = kind});
  }

  void set_about(std::string_view key, std::string_view value);

 private:
  // Finds rows by content. Tables are public: rows may have been added since
  // the last look, which the next one catches up with.
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
// so that memory follows the number of distinct stacks. Weights below 0 and
// sums that overflow are noted, never kept.
class SampleCollector {
 public:
  SampleCollector(Profile& profile, bool keep_time)
      : profile_(profile), keep_time_(keep_time) {}

  void add(const Sample& sample);

 private:
  Profile& profile_;
  bool keep_time_;
  HashIndex index_;
};

// Gives event `id` at least `decimals` digits behind the point: the weights of
// its samples grow accordingly.
void raise_decimals(Profile& profile, EventId id, int decimals);

// Puts samples in the order of time (equal times keep their order). Every
// reader's result passes through this.
void sort_samples(Profile& profile);

// How many samples of the profiler row `row` of `samples` stands for: its
// weight where that is a number of samples, summed by whoever wrote the input.
std::uint64_t samples_in_row(const Profile& profile, std::size_t row);

// Whether a weight of this event is such a number. Where samples have times,
// nobody summed them.
bool counts_samples(const Profile& profile, const Event& event);

// Nothing of an instruction trace was sampled: a row is a stack or a stretch of
// time, and its events (cycles, instructions, calls) are one run, counted in
// several ways.
bool is_trace(const Profile& profile);

// What is said about such a profile alone: what its trace counted, and which of
// its events its times are of.
inline constexpr std::string_view kAboutTrace = "trace";
inline constexpr std::string_view kAboutTraceClock = "trace clock";

// The event whose samples are stretches of a trace, each of which begins at its
// time and lasts as many nanoseconds of the profile's clock as it weighs.
std::optional<EventId> clock_of_trace(const Profile& profile);

// Sums are left, without their times.
void forget_times(Profile& profile);

// How many nanoseconds a unit is; 0 where that is not time.
std::int64_t nanoseconds_in(std::string_view unit);

// The sum of the weights of all samples of `event`.
std::int64_t total_weight(const Profile& profile, EventId event);

// The first invariant that does not hold, or "".
std::string check(const Profile& profile);

}  // namespace wick
