// SPDX-License-Identifier: Apache-2.0
// The second error channel: what is missing or damaged in the data. Nothing
// here stops a run; everything here is said after it, beside the picture and in
// the written files. A profile that hides what it lost is a lie.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/setting.h"

namespace wick {

enum class Problem : std::uint8_t {
  kBadLine,          // a line of text that no rule of its format reads
  kBadRecord,        // the same for binary and JSON inputs
  kTruncated,        // the input ends in the middle
  kNoStack,          // samples without a single frame
  kOtherEvent,       // samples of events that were not asked for
  kNotSelected,      // samples left out by an option of the user
  kZeroWeight,       // samples whose weight the input gives as 0
  kNegativeWeight,   // values below 0, which have no width
  kOverflow,         // weights too large to add up
  kRounded,          // digits that the output or the model cannot hold
  kTimeDisorder,     // samples or slices whose times contradict each other
  kLostSamples,      // the profiler itself says that it lost them
  kNotCarried,       // repeated stacks, of which inferno counts the last
  kDeepStack,        // frames beyond the depth that is drawn
  kHiddenNarrow,     // frames too narrow to be drawn
  kIdle,             // stacks of waiting threads, left out as the peers do
  kThrottled,        // times that the kernel paused sampling
  kAuxSkipped,       // bytes of hardware traces, which are not read
  kStackTooShort,    // stacks deeper than the bytes that were copied of them
  kNoUnwindRule,     // stacks that end at code without unwind rules
  kBadStack,         // stacks that led nowhere
  kNoSymbol,         // samples in code that has no name
  kCallchainLimit,   // stacks of as many frames as the kernel follows
  kResynchronised,   // steps of a trace that its stack did not explain
  kUnknownCode,      // instructions of code that no file is known for
  kNoTimes,          // stacks that changed too often to keep their times
  kCutInstructions,  // of a trace, left out by an option of the user
  kCutCycles,        // the same, where cycles are what counts
  kCutCalls,         // and calls
  kNobodysCycles,    // of a trace, which the rule asked for gives to no stack
  kUnplacedTrigger,  // files with a trigger's point, at addresses not known
  kUnlistedModule,   // kernel modules that the console's list does not have
  kNoModuleList,     // kernel modules, where the console has no such list
  kCount
};

struct ProblemInfo {
  std::string_view key;   // for JSON and tests: "bad-line"
  std::string_view one;   // "1 line could not be read", behind the number
  std::string_view many;  // "{n} lines could not be read"
  bool is_loss;  // weight or data is missing from the result (not just rounded
                 // or left out at the user's wish)
  Settings helps = {};  // what the user could set
};
const ProblemInfo& info(Problem problem);

class Diagnostics {
 public:
  // `weight` is what the profile lacks because of it, in units of the event.
  void note(Problem problem, std::uint64_t count = 1, std::int64_t weight = 0);
  // As note(problem), and keeps the first example to show: `what` is an
  // excerpt of the input, `where` a line number (0: none).
  void note_at(Problem problem, std::string_view what, std::uint64_t line = 0);

  // Lowers the count of `problem` to `count`, if it is more: the others
  // concern samples that are not there any more.
  void keep_at_most(Problem problem, std::uint64_t count);

  struct Entry {
    Problem problem;
    std::uint64_t count = 0;
    std::int64_t weight = 0;
    std::string example;
    std::uint64_t line = 0;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  const std::vector<Entry>& entries() const { return entries_; }
  std::uint64_t count(Problem problem) const;
  std::int64_t weight(Problem problem) const;
  // The weight that is not in the profile, of all entries: with that of the
  // profile it is the whole.
  std::int64_t missing_weight() const;
  bool empty() const { return entries_.empty(); }

  // Adds what `other` counted. Line numbers of `other` grow by `lines_before`.
  void merge(const Diagnostics& other, std::uint64_t lines_before = 0);
  // For readers of stored diagnostics.
  void add(Entry entry);

  friend bool operator==(const Diagnostics&, const Diagnostics&) = default;

 private:
  Entry& entry(Problem problem);
  std::vector<Entry> entries_;  // in the order of Problem
};

// A sentence per entry: "3 lines could not be read (first: line 7: 'foo')".
// With `total`, a weight is also given as its share of the whole; with `names`,
// what the user could set is said too.
std::vector<std::string> describe(const Diagnostics& diagnostics,
                                  std::int64_t total = 0,
                                  SettingNames names = nullptr);

}  // namespace wick
