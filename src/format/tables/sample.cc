// SPDX-License-Identifier: Apache-2.0
// Output of macOS `sample`: a call tree for each thread, with the number of
// samples of a function and its callees.
//
//   Call graph:
//       825 Thread_15758535
//       + 825 thread_start  (in libsystem_pthread.dylib) + 13  [0x7fff739c240d]
//       +   794 search  (in rg) + 1035  [0x10393278b]
//       +   ! 794 __open  (in libsystem_kernel.dylib) + 10  [0x7fff739051ee]
//       +   31 sleep  (in rg) + 4  [0x1039327aa]
//
//   Total number in stack (recursive counted multiple, when >=5):
//
// All threads are sampled, waiting or not. A stack that ends in one of ten
// system calls that wait is left out and counted as idle.
#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "format/tables/call_tree.h"
#include "format/tables/last_counts.h"
#include "io/line_reader.h"
#include "profile/about_keys.h"
#include "profile/format.h"
#include "profile/tidy.h"

namespace wick {
namespace {

constexpr std::string_view kGraph = "Call graph:";
constexpr std::string_view kGraphEnd = "Total number in stack";

constexpr std::array<std::string_view, 10> kWaits = {"__psynch_cvwait",
                                                     "__select",
                                                     "__semwait_signal",
                                                     "__ulock_wait",
                                                     "__wait4",
                                                     "__workq_kernreturn",
                                                     "kevent",
                                                     "mach_msg_trap",
                                                     "read",
                                                     "semaphore_wait_trap"};

// A line of the call tree.
struct TreeLine {
  std::size_t indent = 0;  // where the number begins
  std::int64_t samples = 0;
  std::string_view text;
};

std::optional<TreeLine> parse_tree_line(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(" +|:!");
  if (indent == line.npos || indent < 4) return {};
  std::string_view rest = line.substr(indent);
  const auto samples = to_number<std::int64_t>(take_word(rest));
  const std::string_view text = trim(rest);
  if (!samples || *samples < 0 || text.empty()) return {};
  return TreeLine{indent, *samples, text};
}

// "main  (in rg) + 41  [0x10384b549]  main.rs:12" in parts. Without a module,
// all of it is the function's name.
struct Place {
  std::string_view function, module, file;
  std::uint32_t line = 0;
  std::uint64_t address = 0;
};

Place parse_place(std::string_view text) {
  Place place{.function = text};
  const std::size_t in = text.find("  (in ");
  if (in == text.npos) return place;
  place.function = text.substr(0, in);
  std::string_view rest = text.substr(in + 6);
  // The name of a module may contain brackets; a blank follows it.
  std::size_t end = rest.find(')');
  while (end != rest.npos && end + 1 < rest.size() && rest[end + 1] != ' ')
    end = rest.find(')', end + 1);
  place.module = rest.substr(0, end);
  if (end == rest.npos) return place;
  rest.remove_prefix(end + 1);

  const std::size_t address = rest.find("[0x");
  if (address == rest.npos) return place;
  std::string_view digits = rest.substr(address + 3);
  digits = digits.substr(0, digits.find_first_of(",]"));
  place.address = to_number<std::uint64_t>(digits, 16).value_or(0);
  const std::size_t close = rest.find(']', address);
  if (close == rest.npos) return place;
  const std::string_view source = trim(rest.substr(close + 1));
  const std::size_t colon = source.rfind(':');
  if (colon == source.npos) return place;
  if (const auto line = to_number<std::uint32_t>(source.substr(colon + 1))) {
    place.file = source.substr(0, colon);
    place.line = *line;
  }
  return place;
}

std::string_view without_dylib(std::string_view module) {
  constexpr std::string_view kSuffix = ".dylib";
  if (module.ends_with(kSuffix)) module.remove_suffix(kSuffix.size());
  return module;
}

std::string tidy(std::string_view function, const ReadOptions& options) {
  // LLVM marks functions it made local: "do_call::h0123 (.llvm.788)".
  const std::size_t llvm = function.find(" (.llvm.");
  std::string name = rust_demangled(function.substr(0, llvm));
  if (!options.full_names) name = trim(without_arguments(name));
  if (name.empty()) name = function;
  std::ranges::replace(name, ';', ':');
  return name;
}

// "Thread_15758523   DispatchQueue_1: com.apple.main-thread  (serial)" with
// single blanks.
std::string thread_name(std::string_view text) {
  std::string name;
  while (!(text = trim_left(text)).empty()) {
    if (!name.empty()) name += ' ';
    name += take_word(text);
  }
  std::ranges::replace(name, ';', ':');
  return name;
}

bool waits(std::string_view function, std::string_view module, Compat compat) {
  // inferno takes any name that ends like one of them, as "my_read" does.
  if (compat == Compat::kInferno)
    return std::ranges::any_of(kWaits, [&](std::string_view wait) {
      return function.ends_with(wait);
    });
  return (module.empty() || without_dylib(module) == "libsystem_kernel") &&
         std::ranges::find(kWaits, function) != kWaits.end();
}

class SampleReader {
 public:
  explicit SampleReader(const ReadOptions& options)
      : options_(options), samples_(profile_, options.keep_time) {}

  Profile read(InputFile& file) {
    profile_.event_id("samples");
    LineReader lines(file);
    while (const auto line = lines.next()) {
      if (!in_graph_)
        read_outside(*line);
      else if (line->empty() || line->starts_with(kGraphEnd))
        end_graph();
      else if (const auto tree_line = parse_tree_line(*line))
        add(*tree_line);
      else
        profile_.diagnostics.note_at(Problem::kBadLine, *line, lines.number());
    }
    if (in_graph_) note_rest();
    last_counts_.finish(profile_, samples_);
    if (!found_graph_)
      fail("has no line 'Call graph:', so it is not output of `sample`");
    return std::move(profile_);
  }

 private:
  void read_outside(std::string_view line) {
    constexpr std::string_view kTitle = "Analysis of sampling ";
    if (line.starts_with(kGraph)) {
      in_graph_ = found_graph_ = true;
    } else if (line.starts_with(kTitle)) {
      line.remove_prefix(kTitle.size());
      const std::size_t pid = line.find(" (pid ");
      profile_.set_about(kAboutCommand, line.substr(0, pid));
      if (pid == line.npos) return;
      line.remove_prefix(pid + 6);
      pid_ = to_number<std::int32_t>(take_until(line, ')'))
                 .value_or(Thread::kUnknown);
    }
  }

  void add(const TreeLine& line) {
    const auto done = [this](const CallTree::Line& l) { end_line(l); };
    // Threads are furthest to the left.
    if (line.indent <= 4) {
      tree_.push_thread(0, line.samples, done);
      begin_thread(line);
      return;
    }
    const Place place = parse_place(line.text);
    tree_.push(profile_.stacks, line.indent, frame_of(place), line.samples,
               done);
    last_waits_ = waits(place.function, place.module, options_.compat);
  }

  FrameId frame_of(const Place& place) {
    std::string name = tidy(place.function, options_);
    if (!place.module.empty() && !options_.no_modules)
      name = std::string(without_dylib(place.module)) + "`" + name;
    std::ranges::replace(name, ';', ':');
    // Stacks are equal by their names alone.
    if (options_.inferno_counts) return profile_.named_frame(name);
    Frame frame{.function = profile_.strings.intern(name),
                .file = profile_.strings.intern(place.file),
                .line = place.line,
                .address = options_.keep_addresses ? place.address : 0};
    if (!place.module.empty()) frame.module = profile_.module_id(place.module);
    return profile_.frames.intern(frame);
  }

  void begin_thread(const TreeLine& line) {
    constexpr std::string_view kThread = "Thread_";
    std::int32_t tid = Thread::kUnknown;
    if (line.text.starts_with(kThread)) {
      std::string_view digits = line.text.substr(kThread.size());
      digits = digits.substr(0, digits.find_first_not_of("0123456789"));
      tid = to_number<std::int32_t>(digits).value_or(Thread::kUnknown);
    }
    thread_ = profile_.thread_id(
        {.pid = pid_,
         .tid = tid,
         .comm = profile_.strings.intern(thread_name(line.text))});
  }

  void end_line(const CallTree::Line& line) {
    // Lines end in the order of the text, so the leaf is the last one read.
    const bool idle = line.is_leaf && last_waits_;
    last_waits_ = false;
    if (line.self() == 0) return;
    if (idle) {
      profile_.diagnostics.note(Problem::kIdle, 1, line.self());
      return;
    }
    const Sample sample{
        .weight = line.self(), .stack = line.stack, .thread = thread_};
    if (options_.inferno_counts)
      last_counts_.put(sample);
    else
      samples_.add(sample);
  }

  void end_graph() {
    tree_.close(0, [this](const CallTree::Line& l) { end_line(l); });
    in_graph_ = false;
  }

  // What the open lines have left may belong to callees that were cut off.
  void note_rest() {
    std::int64_t rest = 0;
    tree_.close(0, [&](const CallTree::Line& line) {
      rest = saturating_add(rest, line.self());
    });
    profile_.diagnostics.note(Problem::kTruncated, 1, rest);
  }

  const ReadOptions& options_;
  Profile profile_;
  SampleCollector samples_;
  LastCounts last_counts_;
  CallTree tree_;
  std::int32_t pid_ = Thread::kUnknown;
  ThreadId thread_ = ThreadId::kUnknown;
  bool last_waits_ = false;
  bool in_graph_ = false, found_graph_ = false;
};

Profile read_sample(InputFile& file, const ReadOptions& options) {
  return SampleReader(options).read(file);
}

bool sniff_sample(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = take_line(head);
    if (line.starts_with("Analysis of sampling ")) return true;
    // The tree alone, without the lines above it.
    if (line.starts_with(kGraph))
      return parse_tree_line(take_line(head)).has_value();
    if (line.find('\0') != line.npos) return false;
  }
  return false;
}

}  // namespace

extern const InputFormat sample_input = {
    .name = "sample",
    .description = "macOS `sample`",
    .sniff = sniff_sample,
    .read = read_sample,
};

}  // namespace wick
