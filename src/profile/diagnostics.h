// SPDX-License-Identifier: Apache-2.0
// The second error channel: what is missing or damaged in the data. Nothing
// here stops a run; everything here is reported after it, in the picture and in
// the written files. A profile that hides what it lost is a lie.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/setting.h"

namespace wick {

enum class Problem : std::uint8_t {
  kBadLine,         // lines that do not parse
  kBadRecord,       // the same for binary and JSON inputs
  kTruncated,       // inputs that end in the middle
  kNoStack,         // samples without any frame
  kOtherEvent,      // samples of events that were not selected
  kNotSelected,     // samples that the user left out
  kZeroWeight,      // samples of weight 0 in the input
  kNegativeWeight,  // negative values, which have no width
  kOverflow,        // weights too large to add up
  kRounded,         // digits that the output or the model cannot hold
  kTimeDisorder,    // samples or slices with timestamps out of order
  kLostSamples,     // samples that the profiler reports lost
  kNotCarried,      // repeated stacks, of which inferno counts the last
  kDeepStack,       // frames beyond the depth that is drawn
  kCutStack,        // stacks of more frames than a profile holds
  kCutToFit,        // stacks cut because the output would repeat them too often
  kCutName,         // names longer than are kept
  kHiddenNarrow,    // frames too narrow to be drawn
  kIdle,            // stacks of waiting threads, left out as by the peers
  kThrottled,       // times that the kernel paused sampling
  kAuxSkipped,      // bytes of hardware traces, which are not read
  kStackTooShort,   // stacks deeper than their copied bytes
  kStackBeyondCopy,  // the same if no more can be copied
  kStackBeyondAll,   // and if frame pointers do not lead further either
  kStackNotCopied,   // stacks that lead where the kernel could not copy them
  kReducedCopy,      // the same if there were too many copies for larger ones
  kNoUnwindRule,     // stacks that end at code without unwind rules
  // Stacks that end in a file that could not be read:
  kInGoneFile,       // while recording, since it was deleted or replaced
  kInMissingFile,    // when reading: it is not on this machine
  kInForbiddenFile,  // for lack of rights
  kInNetworkFile,    // since root does not read it
  kBadStack,         // stacks that could not be unwound
  kNoSymbol,         // samples in code without a name
  kCallchainLimit,   // stacks cut at the kernel's limit
  kWakersLimit,      // the same for wakers, whose stacks are never copied
  kResynchronised,   // steps of a trace that its stack does not explain
  kUnknownCode,      // instructions in code of no known file
  kNoTimes,          // changes of the stack, too many to keep their times
  kCutInstructions,  // instructions of a trace that the user left out
  kCutCycles,        // the same for cycles
  kCutCalls,         // and for calls
  kNobodysCycles,    // cycles of a trace that the attribution gives to no stack
  kUnplacedTrigger,  // files with a trigger's point at an unknown address
  kUnlistedModule,   // kernel modules missing from the console's list
  kNoModuleList,     // kernel modules, if the console has no such list
  kUnreadableInImage,  // files and directories of a sysroot's image
  kLeftOutOfImage,     // the same if they exceed a limit
  kDamagedImage,       // images that could not be read to their end
  kSourceOutside,      // source files outside of the directories for them
  kLargeFile,          // files that the recorder had no memory for
  kLargeProcess,       // processes whose code it had no memory for
  kLargeJitFile,       // lists of compiled functions that are too large
  kSwollenFile,        // files that claim many times what they store
  kCutInlining,        // addresses with too many inlined calls to keep
  // Samples that show the interpreter or virtual machine of a language and not
  // the functions that it ran.
  kHiddenPython,
  kHiddenPythonBefore312,  // which writes no perf map
  kHiddenPythonMap,        // which wrote one that is missing
  kHiddenRuby,
  kHiddenRubyBefore33,  // which writes no perf map
  kHiddenPhp,
  kHiddenPerl,
  kHiddenJava,
  kHiddenNode,
  kHiddenDotnet,
  kNamesNotKept,  // addresses whose names or lines a recording does not keep
  kDamagedNames,  // recordings whose names cannot be read
  // Nanoseconds of CPU time that the recorder knows of but has no samples of:
  kShortLived,          // of tasks that ended before their first sample
  kKernelOrShortLived,  // of these or in the kernel, which was not recorded
  kMayNotBeSampled,     // of programs that the kernel does not let users sample
  kNotSampled,          // for other reasons
  kShortLivedChildren,  // as kShortLived, of processes that ran already
  // Nanoseconds of threads of which it is not known whether they were on the
  // CPU, since records of switches were lost:
  kLostSwitches,
  kCount
};

struct ProblemInfo {
  std::string_view key;   // for JSON and tests: "bad-line"
  std::string_view one;   // "line could not be read", after the number 1
  std::string_view many;  // "lines could not be read", after other numbers
  // Weight or data is missing from the result, not just rounded or left out on
  // request.
  bool is_loss;
  Settings helps = {};           // settings that would help
  std::string_view remedy = {};  // what would help besides settings
  bool is_time = false;          // counts nanoseconds
};
const ProblemInfo& info(Problem problem);

class Diagnostics {
 public:
  // `weight` is what the profile misses by it, in units of the event.
  void note(Problem problem, std::uint64_t count = 1, std::int64_t weight = 0);
  // As note(problem), and keeps the first example to show: `what` is an
  // excerpt of the input, `where` a line number (0: none).
  void note_at(Problem problem, std::string_view what, std::uint64_t line = 0);

  // As note(problem, nanoseconds), for a problem that counts time: a part of
  // `whole`, which is at least as much (0: not known).
  void note_time(Problem problem, std::uint64_t nanoseconds,
                 std::uint64_t whole);

  // As note(problem, count), for stacks that were cut because no more than
  // `copied_bytes` of each were copied (0: not known).
  void note_short_copies(Problem problem, std::uint64_t count,
                         std::uint64_t copied_bytes);

  // For the time that samples are dropped: counts of samples and stacks that
  // cannot be counted anew are of the whole input, and say so.
  void mark_as_of_whole_input();

  // Lowers the count of `problem` to `count` if it is larger: the others
  // concern samples that were dropped.
  void keep_at_most(Problem problem, std::uint64_t count);

  struct Entry {
    Problem problem;
    std::uint64_t count = 0;
    std::int64_t weight = 0;
    std::string example;
    std::uint64_t line = 0;
    // If the problem counts time: the nanoseconds that `count` is a part of,
    // seen or not. 0: not known.
    std::uint64_t whole = 0;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  const std::vector<Entry>& entries() const { return entries_; }
  std::uint64_t count(Problem problem) const;
  std::int64_t weight(Problem problem) const;
  // The weight of all entries that is missing from the profile; together with
  // the profile's own it is the whole.
  std::int64_t missing_weight() const;
  bool empty() const { return entries_.empty(); }

  // Adds the entries of `other`, with `lines_before` added to line numbers.
  void merge(const Diagnostics& other, std::uint64_t lines_before = 0);
  // The same for those of another input. Of a time that only one of them
  // misses, the whole is not known.
  void merge_input(Diagnostics other);
  // For readers of stored diagnostics.
  void add(Entry entry);

  friend bool operator==(const Diagnostics&, const Diagnostics&) = default;

 private:
  Entry& entry(Problem problem);
  void forget_wholes_unlike(const Diagnostics& other);
  std::vector<Entry> entries_;  // in the order of Problem
};

// "3 lines could not be read (first: line 7: 'foo')". With `total`, a weight is
// also given as its share of that; with `names`, the settings that would help
// are appended; with `raw`, numbers are plain.
std::string describe(const Diagnostics::Entry& entry, std::int64_t total = 0,
                     SettingNames names = nullptr, bool raw = false);
// The same for each entry.
std::vector<std::string> describe(const Diagnostics& diagnostics,
                                  std::int64_t total = 0,
                                  SettingNames names = nullptr);

}  // namespace wick
