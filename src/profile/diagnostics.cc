// SPDX-License-Identifier: Apache-2.0
#include "profile/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/append.h"
#include "base/bytes.h"
#include "base/text.h"
#include "base/time_text.h"

namespace wick {
namespace {

// After a length of time.
constexpr std::string_view kShortLivedText =
    "of CPU time was not sampled: processes or threads ended before their "
    "first sample";
constexpr std::string_view kKernelOrShortLivedText =
    "of CPU time was not sampled: it was spent in the kernel, which was not "
    "recorded, or in processes that ended before their first sample";
constexpr std::string_view kMayNotBeSampledText =
    "of CPU time was spent in programs that the kernel does not let you "
    "sample, because they are setuid, have file capabilities, or you may not "
    "read them";
constexpr std::string_view kNotSampledText = "of CPU time was not sampled";
constexpr std::string_view kLostSwitchesText =
    "of the threads' time is unknown: the records of when they left the CPU or "
    "returned were lost";
constexpr std::string_view kSampledByCpu =
    "record as root or after `sudo sysctl kernel.perf_event_paranoid=0` to "
    "sample all of it";

constexpr std::string_view kFramePointersLead =
    "programs with frame pointers can be followed further";

// Stacks of more frames are cut by wick, too.
constexpr std::string_view kMoreFrames =
    "`sudo sysctl kernel.perf_event_max_stack=4096` raises it";

constexpr std::array<ProblemInfo, static_cast<std::size_t>(Problem::kCount)>
    kInfos = {{
        {"bad-line", "line could not be read", "lines could not be read", true},
        {"bad-record", "record could not be read", "records could not be read",
         true},
        {"truncated", "input ends in the middle", "inputs end in the middle",
         true},
        {"no-stack", "sample has no stack; it is at the root",
         "samples have no stack; they are at the root", false},
        {"other-event", "sample of other events is left out",
         "samples of other events are left out", false, Setting::kEvent},
        {"not-selected", "sample is left out by the options given",
         "samples are left out by the options given", false},
        {"zero-weight", "sample has weight 0 in the input",
         "samples have weight 0 in the input", false},
        {"negative-weight", "negative value cannot be drawn",
         "negative values cannot be drawn", true},
        {"overflow", "sum is too large and was cut",
         "sums are too large and were cut", true},
        {"rounded", "value was rounded", "values were rounded", false},
        {"time-disorder", "timestamp is out of order",
         "timestamps are out of order", false},
        {"lost-samples", "sample was lost by the profiler",
         "samples were lost by the profiler", true},
        {"not-carried", "repetition of a stack is not counted, as in inferno",
         "repetitions of stacks are not counted, as in inferno", false,
         Setting::kCompat},
        {"deep-stack", "frame is beyond the depth limit",
         "frames are beyond the depth limit", false},
        {"cut-stack",
         "stack has more than 16,384 frames and ends in [truncated]",
         "stacks have more than 16,384 frames and end in [truncated]", false},
        {"cut-to-fit",
         "sample's stack is cut at its leaf, because the output would be many "
         "times the input",
         "samples' stacks are cut at their leaves, because the output would be "
         "many times the input",
         false},
        {"cut-name", "name is too long and was cut",
         "names are too long and were cut", false},
        {"hidden-narrow", "frame is too narrow to be drawn",
         "frames are too narrow to be drawn", false, Setting::kMinWidth},
        {"idle", "stack of a waiting thread is left out",
         "stacks of waiting threads are left out", false},
        {"throttled", "time the kernel paused sampling (lower the rate)",
         "times the kernel paused sampling (lower the rate)", true},
        {"aux-skipped", "byte of hardware traces is not read",
         "bytes of hardware traces are not read", false},
        {"stack-too-short", "stack is deeper than its copied bytes",
         "stacks are deeper than their copied bytes", false,
         Setting::kCallGraph},
        {"stack-beyond-copy",
         "stack is deeper than the 64 kB that the kernel can copy",
         "stacks are deeper than the 64 kB that the kernel can copy", false,
         Setting::kFramePointers, kFramePointersLead},
        {"stack-beyond-all",
         "stack is deeper than the 64 kB that the kernel can copy",
         "stacks are deeper than the 64 kB that the kernel can copy", false,
         Setting::kFramePointers,
         "programs with frame pointers can be followed further after `sudo "
         "sysctl kernel.perf_event_max_stack=4096`"},
        {"stack-not-copied",
         "stack leads to memory that the kernel could not copy: untouched, "
         "swapped out, or beyond the stack's end",
         "stacks lead to memory that the kernel could not copy: untouched, "
         "swapped out, or beyond the stack's end",
         false, Setting::kFramePointers, kFramePointersLead},
        {"reduced-copy",
         "stack is deeper than its copied bytes, and the buffers had no room "
         "for more",
         "stacks are deeper than their copied bytes, and the buffers had no "
         "room for more",
         false, Setting::kBufferSize, "larger buffers have room"},
        {"no-unwind-rule", "stack ends at code without unwind rules",
         "stacks end at code without unwind rules", false},
        {"in-gone-file",
         "stack ends in a file that was deleted or replaced before it could be "
         "read",
         "stacks end in files that were deleted or replaced before they could "
         "be read",
         false},
        {"in-missing-file",
         "stack ends in a file that is not on this machine, or in another "
         "build",
         "stacks end in files that are not on this machine, or in another "
         "build",
         false,
         {Setting::kSymfs, Setting::kDebuginfod}},
        {"in-forbidden-file", "stack ends in a file that this user cannot read",
         "stacks end in files that this user cannot read", false, Settings{},
         "root may be able to"},
        {"in-network-file",
         "stack ends in a file on a network file system, which is not read as "
         "root",
         "stacks end in files on a network file system, which are not read as "
         "root",
         false, Settings{},
         "run wick as another user, or in a directory of that file system"},
        {"bad-stack", "stack could not be followed to its root",
         "stacks could not be followed to their root", false},
        {"no-symbol", "sample is in code without a name",
         "samples are in code without a name", false},
        {"callchain-limit",
         "stack reaches the kernel's limit of frames (sysctl "
         "kernel.perf_event_max_stack) and most likely lacks its root",
         "stacks reach the kernel's limit of frames (sysctl "
         "kernel.perf_event_max_stack) and most likely lack their root",
         false, Setting::kCallGraph, kMoreFrames},
        {"wakers-limit",
         "waker's stack reaches the kernel's limit of frames and most likely "
         "lacks its root",
         "wakers' stacks reach the kernel's limit of frames and most likely "
         "lack their root",
         false,
         {},
         kMoreFrames},
        {"resynchronised",
         "step does not follow from the stack before it; the stack starts over",
         "steps do not follow from the stack before them; the stack starts "
         "over",
         false},
        {"unknown-code",
         "instruction is in code of no given file",
         "instructions are in code of no given file",
         false,
         {Setting::kElf, Setting::kSysroot, Setting::kModule}},
        {"no-times",
         "change of the stack, too many to keep their times; select part of "
         "the trace",
         "changes of the stack, too many to keep their times; select part of "
         "the trace",
         false},
        {"cut-instructions", "instruction is left out by the options given",
         "instructions are left out by the options given", false},
        {"cut-cycles", "cycle is left out by the options given",
         "cycles are left out by the options given", false},
        {"cut-calls", "call is left out by the options given",
         "calls are left out by the options given", false},
        {"nobodys-cycles", "cycle has no stack under the chosen attribution",
         "cycles have no stack under the chosen attribution", true,
         Setting::kAttribution},
        {"unplaced-trigger",
         "file has the trigger's point, too, but the trace does not say at "
         "which address; use pc:HEX",
         "files have the trigger's point, too, but the trace does not say at "
         "which addresses; use pc:HEX",
         true},
        {"unlisted-module",
         "kernel module is not in the console's module list and has no code "
         "here",
         "kernel modules are not in the console's module list and have no code "
         "here",
         false, Setting::kModule},
        {"no-module-list",
         "kernel module is left out: the console lists no modules with their "
         "addresses",
         "kernel modules are left out: the console lists no modules with their "
         "addresses",
         false, Setting::kModule},
        {"unreadable-in-image",
         "file or directory of the sysroot's image could not be read",
         "files and directories of the sysroot's image could not be read",
         false},
        {"left-out-of-image",
         "file or directory of the sysroot's image is left out: it has too "
         "many or too large ones",
         "files and directories of the sysroot's image are left out: it has "
         "too many or too large ones",
         false,
         {},
         "give the program itself, or a mounted image"},
        {"damaged-image",
         "image of a sysroot could not be read to its end; some programs may "
         "be missing",
         "images of sysroots could not be read to their end; some programs may "
         "be missing",
         false},
        {"source-outside",
         "source file is not embedded: it is neither in the current directory "
         "nor in one given for sources",
         "source files are not embedded: they are neither in the current "
         "directory nor in one given for sources",
         false, Setting::kSourceRoot},
        {"large-file",
         "file needs more memory than the recording may use; stacks end in it",
         "files need more memory than the recording may use; stacks end in "
         "them",
         false, Setting::kMemory},
        {"large-process",
         "process has more code mapped than the recording has memory for; its "
         "stacks end early",
         "processes have more code mapped than the recording has memory for; "
         "their stacks end early",
         false, Setting::kMemory},
        {"large-jit-file",
         "perf map or jitdump is too large; some of its names are missing",
         "perf maps or jitdumps are too large; some of their names are missing",
         false},
        {"swollen-file",
         "file of code claims many times what it contains and is only partly "
         "read",
         "files of code claim many times what they contain and are only partly "
         "read",
         false},
        {"cut-inlining",
         "address has too many inlined calls; the innermost are "
         "left out",
         "addresses have too many inlined calls; the innermost are left out",
         false},
        {"hidden-python",
         "sample is in Python's interpreter, without the names of Python "
         "functions",
         "samples are in Python's interpreter, without the names of Python "
         "functions",
         false, Setting::kLanguages,
         "start it with `python3 -X perf` or with PYTHONPERFSUPPORT=1 in the "
         "environment (3.12 or later)"},
        {"hidden-python-before-3.12",
         "sample is in a Python before 3.12, which does not tell the names of "
         "Python functions",
         "samples are in a Python before 3.12, which does not tell the names "
         "of Python functions",
         false, Setting::kLanguages,
         "use a later version with `python3 -X perf`, or py-spy"},
        {"hidden-python-map",
         "sample is in Python's interpreter, whose perf map "
         "(/tmp/perf-PID.map) is missing",
         "samples are in Python's interpreter, whose perf map "
         "(/tmp/perf-PID.map) is missing",
         false, Setting::kLanguages,
         "keep it until the recording has been read"},
        {"hidden-ruby",
         "sample is in Ruby's interpreter, without the names of Ruby methods",
         "samples are in Ruby's interpreter, without the names of Ruby methods",
         false, Setting::kLanguages,
         "start it with `ruby --yjit-perf` (3.3 or later, built with YJIT), or "
         "use rbspy"},
        {"hidden-ruby-before-3.3",
         "sample is in a Ruby before 3.3, which does not tell the names of "
         "Ruby methods",
         "samples are in a Ruby before 3.3, which does not tell the names of "
         "Ruby methods",
         false, Setting::kLanguages, "use rbspy"},
        {"hidden-php",
         "sample is in PHP's interpreter, without the names of PHP functions",
         "samples are in PHP's interpreter, without the names of PHP functions",
         false, Setting::kLanguages,
         "start it with `php -d opcache.enable_cli=1 -d opcache.jit=function "
         "-d opcache.jit_buffer_size=64M -d opcache.jit_debug=0x10` (8.0 or "
         "later)"},
        {"hidden-perl",
         "sample is in Perl's interpreter, which does not tell the names of "
         "Perl subroutines",
         "samples are in Perl's interpreter, which does not tell the names of "
         "Perl subroutines",
         false, Setting::kLanguages,
         "use `perl -d:NYTProf` and draw the output of `nytprofcalls`"},
        {"hidden-java",
         "sample is in a Java virtual machine, without the names of Java "
         "methods",
         "samples are in a Java virtual machine, without the names of Java "
         "methods",
         false, Setting::kLanguages,
         "start it with `java -XX:+PreserveFramePointer "
         "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit`, which takes "
         "effect when it ends, or run `jcmd PID Compiler.perfmap` while it is "
         "recorded (17 or later)"},
        {"hidden-node",
         "sample is in Node.js, without the names of JavaScript functions",
         "samples are in Node.js, without the names of JavaScript functions",
         false, Setting::kLanguages,
         "start it with `node --perf-basic-prof "
         "--interpreted-frames-native-stack`"},
        {"hidden-dotnet",
         "sample is in .NET's runtime, without the names of methods",
         "samples are in .NET's runtime, without the names of methods", false,
         Setting::kLanguages,
         "start it with DOTNET_PerfMapEnabled=1 in the environment"},
        {"names-not-kept",
         "address has no name or line kept with the recording, for lack of "
         "room",
         "addresses have no names or lines kept with the recording, for lack "
         "of room",
         false},
        {"damaged-names",
         "recording has damaged names, which were looked up again",
         "recordings have damaged names, which were looked up again", false},
        {.key = "short-lived",
         .one = kShortLivedText,
         .many = kShortLivedText,
         .is_loss = true,
         .remedy = kSampledByCpu,
         .is_time = true},
        {.key = "kernel-or-short-lived",
         .one = kKernelOrShortLivedText,
         .many = kKernelOrShortLivedText,
         .is_loss = true,
         .remedy = kSampledByCpu,
         .is_time = true},
        {.key = "may-not-be-sampled",
         .one = kMayNotBeSampledText,
         .many = kMayNotBeSampledText,
         .is_loss = true,
         .remedy = "record as root",
         .is_time = true},
        {.key = "not-sampled",
         .one = kNotSampledText,
         .many = kNotSampledText,
         .is_loss = true,
         .is_time = true},
        {.key = "short-lived-children",
         .one = kShortLivedText,
         .many = kShortLivedText,
         .is_loss = true,
         .remedy = "recording the whole machine (-a) samples all of it",
         .is_time = true},
        {.key = "lost-switches",
         .one = kLostSwitchesText,
         .many = kLostSwitchesText,
         .is_loss = true,
         .helps = Setting::kBufferSize,
         .is_time = true},
    }};

// Whether the samples of a part of the input have a part of the count, which
// is not known.
bool concerns_samples(Problem problem) {
  switch (problem) {
    case Problem::kZeroWeight:
    case Problem::kNegativeWeight:
    case Problem::kLostSamples:
    case Problem::kDeepStack:
    case Problem::kCutStack:
    case Problem::kIdle:
    case Problem::kThrottled:
    case Problem::kStackTooShort:
    case Problem::kStackBeyondCopy:
    case Problem::kStackBeyondAll:
    case Problem::kStackNotCopied:
    case Problem::kReducedCopy:
    case Problem::kNoUnwindRule:
    case Problem::kInGoneFile:
    case Problem::kInMissingFile:
    case Problem::kInForbiddenFile:
    case Problem::kInNetworkFile:
    case Problem::kBadStack:
    case Problem::kCallchainLimit:
    case Problem::kWakersLimit:
    case Problem::kShortLived:
    case Problem::kKernelOrShortLived:
    case Problem::kMayNotBeSampled:
    case Problem::kNotSampled:
    case Problem::kShortLivedChildren:
    case Problem::kLostSwitches:
      return true;
    default:
      return false;
  }
}

std::string count_text(const Diagnostics::Entry& entry, bool raw) {
  if (!info(entry.problem).is_time)
    return number_text(static_cast<std::int64_t>(entry.count), raw);
  return raw ? fmt::format("{} ns", entry.count)
             : time_text(static_cast<double>(entry.count));
}

// "25% of 4 s, in the whole input", "first: line 7: 'foo'".
std::string share_and_example(const Diagnostics::Entry& entry) {
  std::string text;
  if (entry.whole > 0) {
    const auto whole = static_cast<double>(entry.whole);
    const double share = static_cast<double>(entry.count) / whole;
    text = fmt::format("{:.0f}% of {}", 100 * std::min(share, 1.0),
                       time_text(whole));
  }
  if (entry.example.empty()) return text;
  if (!text.empty()) text += ", ";
  if (entry.line > 0) append(text, "first: line {}: ", entry.line);
  return text + entry.example;
}

}  // namespace

const ProblemInfo& info(Problem problem) {
  return kInfos[static_cast<std::size_t>(problem)];
}

Diagnostics::Entry& Diagnostics::entry(Problem problem) {
  auto at = std::ranges::lower_bound(entries_, problem, {}, &Entry::problem);
  if (at == entries_.end() || at->problem != problem) {
    at = entries_.insert(at, Entry{});
    at->problem = problem;
  }
  return *at;
}

void Diagnostics::note(Problem problem, std::uint64_t count,
                       std::int64_t weight) {
  if (count == 0) return;
  Entry& e = entry(problem);
  e.count += count;
  e.weight = saturating_add(e.weight, weight);
}

void Diagnostics::note_at(Problem problem, std::string_view what,
                          std::uint64_t line) {
  Entry& e = entry(problem);
  if (e.count == 0) {
    e.example = excerpt(what);
    e.line = line;
  }
  ++e.count;
}

void Diagnostics::note_time(Problem problem, std::uint64_t nanoseconds,
                            std::uint64_t whole) {
  if (nanoseconds == 0) return;
  add({.problem = problem,
       .count = nanoseconds,
       .example = {},
       .whole = whole});
}

void Diagnostics::note_short_copies(Problem problem, std::uint64_t count,
                                    std::uint64_t copied_bytes) {
  if (count == 0) return;
  Entry noted{.problem = problem, .count = count, .example = {}};
  if (copied_bytes > 0)
    noted.example =
        fmt::format("at most {} bytes each",
                    with_commas(static_cast<std::int64_t>(copied_bytes)));
  add(std::move(noted));
}

void Diagnostics::mark_as_of_whole_input() {
  constexpr std::string_view kMark = "in the whole input";
  for (Entry& e : entries_) {
    if (!concerns_samples(e.problem) || e.example.ends_with(kMark)) continue;
    if (!e.example.empty()) e.example += ", ";
    e.example += kMark;
  }
}

void Diagnostics::keep_at_most(Problem problem, std::uint64_t count) {
  if (this->count(problem) <= count) return;
  if (count == 0)
    std::erase_if(entries_,
                  [&](const Entry& e) { return e.problem == problem; });
  else
    entry(problem).count = count;
}

std::uint64_t Diagnostics::count(Problem problem) const {
  for (const Entry& e : entries_)
    if (e.problem == problem) return e.count;
  return 0;
}

std::int64_t Diagnostics::weight(Problem problem) const {
  for (const Entry& e : entries_)
    if (e.problem == problem) return e.weight;
  return 0;
}

std::int64_t Diagnostics::missing_weight() const {
  std::int64_t sum = 0;
  for (const Entry& e : entries_)
    if (e.problem != Problem::kNoStack) sum = saturating_add(sum, e.weight);
  return sum;
}

void Diagnostics::merge(const Diagnostics& other, std::uint64_t lines_before) {
  for (Entry e : other.entries_) {
    if (e.line > 0) e.line += lines_before;
    add(std::move(e));
  }
}

void Diagnostics::merge_input(Diagnostics other) {
  other.forget_wholes_unlike(*this);
  forget_wholes_unlike(other);
  merge(other);
}

void Diagnostics::forget_wholes_unlike(const Diagnostics& other) {
  for (Entry& e : entries_)
    if (other.count(e.problem) == 0) e.whole = 0;
}

void Diagnostics::add(Entry added) {
  Entry& e = entry(added.problem);
  if (e.count == 0)
    e.whole = added.whole;
  else if (e.whole > 0)
    e.whole = added.whole > 0
                  ? std::min(added.whole, UINT64_MAX - e.whole) + e.whole
                  : 0;
  if (e.example.empty()) {
    e.example = std::move(added.example);
    e.line = added.line;
  }
  e.count += added.count;
  e.weight = saturating_add(e.weight, added.weight);
}

std::string describe(const Diagnostics::Entry& entry, std::int64_t total,
                     SettingNames names, bool raw) {
  const ProblemInfo& problem = info(entry.problem);
  std::string line = fmt::format("{} {}", count_text(entry, raw),
                                 entry.count == 1 ? problem.one : problem.many);
  if (entry.weight != 0 && total > 0)
    append(
        line, ", {:.2f}% of the whole",
        100.0 * static_cast<double>(entry.weight) / static_cast<double>(total));
  if (const std::string more = share_and_example(entry); !more.empty())
    append(line, " ({})", more);
  if (!problem.remedy.empty()) append(line, "; {}", problem.remedy);
  return with_hint(line, problem.helps, names);
}

std::vector<std::string> describe(const Diagnostics& diagnostics,
                                  std::int64_t total, SettingNames names) {
  std::vector<std::string> lines;
  for (const Diagnostics::Entry& entry : diagnostics.entries())
    lines.push_back(describe(entry, total, names));
  return lines;
}

}  // namespace wick
