// SPDX-License-Identifier: Apache-2.0
// What a format is: a name, a test of the first bytes, a function. A new format
// is one file that defines an InputFormat or an OutputFormat, and one line in
// format/registry.cc; the command line, detection, golden tests, damage tests
// and fuzzing follow from that line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "io/input_file.h"
#include "profile/draw_options.h"
#include "profile/fold.h"
#include "profile/function_code.h"
#include "profile/output_fit.h"
#include "profile/profile.h"
#include "profile/report_options.h"
#include "profile/time_range.h"

namespace wick {

// Whose rules decide about names and weights where the peers and wick differ.
// No choice reproduces a peer's crash or its loss of whole inputs.
enum class Compat { kWick, kInferno, kPerl };

// Where names and lines of recorded code come from. Named as in perf.
struct SymbolOptions {
  std::string symfs;     // the directory that recorded paths are relative to
  std::string vmlinux;   // the kernel with its symbols
  std::string kallsyms;  // the kernel's symbols as text
  bool debuginfod = false;
  bool inlines = true;
  bool use_cache = true;
};

// Which instruction gets the cycles between two of them.
enum class Attribution {
  kNextCommitting,  // the one that retires after them: the core waited for it
  kLastCommitted,   // the one that retired before them
  kTip,             // as the first, but the previous one if it flushed
  kFirePerf,        // FirePerf's stacks and bookkeeping, with its errors
};

struct TraceFormat;  // itrace/formats/trace_reader.h
class SysrootImage;  // sysroot/sysroot_image.h
class TraceWindows;  // itrace/trigger/trigger.h

// Which part of an instruction trace is read. A point is "cycle:N", "pc:HEX",
// "insn:HEX" or "symbol:NAME", with "#N" appended for the N-th time only;
// itrace/trigger/trigger.h has the rules.
struct TriggerOptions {
  std::string from, until;  // points; "": the beginning, the end
  // Which of the instructions that match a point are included.
  enum class Edges : std::uint8_t { kBoth, kFrom, kUntil, kNone };
  Edges edges = Edges::kBoth;
  // A match on one hart starts or stops all harts, of all files that are read.
  bool all_harts = false;
  // With all_harts: what reading all files beforehand found.
  std::shared_ptr<const TraceWindows> windows;
  // Only while this runs: "satp:HEX", "pid:N" or the name of a process; "":
  // always.
  std::string space;
};

// The root file system of the traced machine.
struct Sysroot {
  std::string path;  // a directory, or the path of `image`; "": none
  std::shared_ptr<const SysrootImage> image;
};

// Instruction traces (itrace/).
struct TraceOptions {
  // Files of code: ELF, or System.map for a kernel. User programs, libraries,
  // the kernel and the SBI, in any order.
  std::vector<std::string> elfs;
  Sysroot sysroot;                   // searched for user programs' files
  std::vector<std::string> modules;  // "FILE@ADDRESS": a kernel module
  std::string uartlog;               // holds lines of /proc/modules
  // Some of these files were found rather than named by the user, so none may
  // be a pipe or a device.
  bool only_regular_files = false;
  std::string layout;  // "": detected
  Attribution attribution = Attribution::kNextCommitting;
  int hart = -1;  // only this one; -1: all
  // Sums by line matter more than times: a profile with times has a sample for
  // each change of the stack, but for each change of the line only while those
  // are few (see Slices).
  bool lines_before_times = false;
  TriggerOptions trigger;
};

struct ReadOptions {
  // Store every sample with its time. If false, samples of equal stack, thread
  // and event may be added up (see SampleCollector).
  bool keep_time = true;
  // The times that select() is going to keep. A reader may drop others, except
  // the first sample: seconds count from it.
  std::optional<TimeRange> wanted_time;
  // Tell threads of one name apart by their ids. If not, samples of one may be
  // stored as those of another.
  bool thread_ids = true;
  // Store addresses in frames. Distinct addresses make distinct stacks, so
  // folding goes without.
  bool keep_addresses = false;
  // Keep argument lists in function names.
  bool full_names = false;
  Compat compat = Compat::kWick;
  // Threads to read with; 0: all cores.
  int threads = 0;

  // sample, vsprof: only the last of equal stacks counts, and Visual Studio's
  // calls are counted by inferno's rules. For output that is compared with
  // inferno's; otherwise equal stacks are added up. What is left out is noted.
  bool inferno_counts = false;

  SymbolOptions symbols;  // perf.data, instruction traces
  TraceOptions trace;     // instruction traces

  // Options of single formats, named as in the peers.
  bool include_offset = false;  // dtrace: keep "+0x1a"
  bool no_modules = false;      // sample, vtune: no "module`" prefix
  bool srcline = false;  // perf script -F +srcline: ":file:line" in names
  enum class GhcColumn { kTime, kTicks, kBytes };
  GhcColumn ghc_column = GhcColumn::kTime;
  bool shorten_packages = false;    // Java: "o.e.Foo" for "org.example.Foo"
  bool no_packages = false;         // Java: "Foo" for "org.example.Foo"
  bool allocation_size = false;     // vtune-mc: bytes before allocations
  bool include_thread_name = true;  // jstack, ibmjava
  bool include_thread_id = false;   // jstack, ibmjava
};

struct InputFormat {
  std::string_view name, description;
  // Whether a file that begins like this has this format. `head` is up to
  // 64 KiB, cut anywhere.
  bool (*sniff)(std::string_view head);
  // Fails (wick::Error) only if the file cannot have this format at all. Damage
  // is noted in the diagnostics of the result.
  // Null for an instruction trace.
  Profile (*read)(InputFile& file, const ReadOptions& options);
  // Set for an instruction trace, whose samples read_trace() makes.
  const TraceFormat* trace = nullptr;
  // `sniff` recognises nothing: the content looks like another format's.
  bool never_detected = false;
};

// How many samples the sides of a difference are worth.
struct SideSamples {
  double before = 0, after = 0;
};

struct WriteOptions {
  FoldOptions fold;
  DrawOptions draw;
  ReportOptions report;
  // In a difference: counted before joining, which adds samples up.
  std::optional<SideSamples> side_samples;

  // For the viewer: the event to show first ("": the first one), and whether
  // the page includes the source of hot functions.
  std::string first_event;
  bool embed_source = false;
  // Where that source may be, besides the current directory.
  std::vector<std::string> source_roots;
  // Hot functions whose instructions the page includes.
  std::vector<FunctionCode> code;

  // If not null, gets what the writer noticed about this machine, and not about
  // the profile.
  Diagnostics* notes = nullptr;

  // How the reader of the result spells settings; null: it has none to set.
  SettingNames setting_names = nullptr;
};

struct OutputFormat {
  std::string_view name, extension, description;
  void (*write)(const Profile& profile, const WriteOptions& options,
                std::ostream& out);
  // What the format cannot hold: listed with the formats, and reported after a
  // conversion that loses it. "" if it holds everything.
  std::string_view lacks;
  bool binary = false;  // not for a terminal
  // Written from the sums of fold() alone, so readers may drop times and
  // addresses.
  bool only_sums = false;
  // Holds samples, but not their times.
  bool no_times = false;
  // Made from the tree of fold().
  bool folds = false;
  // Samples of events beyond the first so many are left out and noted.
  std::uint32_t max_events = UINT32_MAX;
  // What it repeats of stacks.
  OutputCost cost = {};
  // What a server calls it.
  std::string_view media_type = "application/octet-stream";
  // The scripts and styles in its output, for a server that lets a browser run
  // nothing else.
  std::vector<std::string> (*inline_code)(const WriteOptions& options) =
      nullptr;
};

}  // namespace wick
