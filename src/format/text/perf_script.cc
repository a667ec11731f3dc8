// SPDX-License-Identifier: Apache-2.0
// The text of `perf script`, in every layout of its -F option.
//
// Speed rests on three facts. A call site has one return address, so the lines
// of a sample's callers repeat exactly and are found as a whole by a hash of
// their text. In new callers the same frame lines repeat, so each distinct line
// is parsed once. And samples are separated by blank lines, so the text is cut
// there and distributed to several workers, whose profiles are merged at the
// end.
//
// docs/flame-graphs.md lists the rules that differ from other tools, because
// theirs lose or corrupt samples.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "base/text.h"
#include "format/common/text_cache.h"
#include "format/text/perf_line.h"
#include "profile/format.h"
#include "profile/tidy.h"
#include "profile/wasm_names.h"
#include "transform/event_choice.h"
#include "transform/merge.h"

namespace wick {
namespace {

bool begins_with_blank(std::string_view line) {
  return !line.empty() && is_blank(line.front());
}

// A frame line, seen from afar: blanks, then hexadecimal digits, then a blank
// or the end. Returns where the address ends, 0 if it is none.
std::size_t end_of_address(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && is_blank(line[at])) ++at;
  const std::size_t digits = at;
  while (at < line.size() && is_hex_digit(line[at])) ++at;
  const bool whole = at == line.size() || is_blank(line[at]);
  return digits > 0 && at > digits && whole ? at : 0;
}

bool looks_like_frame(std::string_view line) {
  return end_of_address(line) > 0;
}

// The same without blanks in front, as text that was pasted somewhere has it.
// An event line may begin with a command that is a number, so a frame must show
// its module.
bool looks_like_bare_frame(std::string_view line) {
  const auto frame = parse_perf_frame(line);
  return frame && !frame->module.empty() && !parse_perf_event(line);
}

// Turns the symbol of a frame line into the names of its frames.
class FrameNames {
 public:
  explicit FrameNames(const ReadOptions& options) : options_(options) {}

  // "a->b->c" is how JIT maps print c inlined into b inlined into a.
  // Outermost first.
  std::vector<std::string> operator()(std::string_view symbol,
                                      bool java) const {
    std::vector<std::string> names;
    while (true) {
      const std::size_t arrow = next_arrow(symbol);
      std::string name = tidy(symbol.substr(0, arrow), java);
      if (!names.empty()) name += "_[i]";
      names.push_back(std::move(name));
      if (arrow == symbol.npos) return names;
      symbol.remove_prefix(arrow + 2);
    }
  }

 private:
  // The next arrow that separates two functions: not that of `operator->`, nor
  // one inside brackets.
  std::size_t next_arrow(std::string_view symbol) const {
    if (options_.compat != Compat::kWick) return symbol.find("->");
    int depth = 0;
    for (std::size_t i = 0; i < symbol.size(); ++i) {
      const char c = symbol[i];
      if (c == '-' && symbol.substr(i).starts_with("->")) {
        if (depth <= 0 && i > 0 && i + 2 < symbol.size() &&
            !symbol.substr(0, i).ends_with("operator"))
          return i;
        ++i;
      } else if (c == '(' || c == '<' || c == '{' || c == '[') {
        ++depth;
      } else if (c == ')' || c == '>' || c == '}' || c == ']') {
        --depth;
      }
    }
    return symbol.npos;
  }

  std::string tidy(std::string_view symbol, bool java) const {
    std::string name = options_.compat == Compat::kPerl
                           ? std::string(symbol)
                           : rust_demangled(symbol);
    std::ranges::replace(name, ';', ':');
    if (!options_.full_names) {
      name = options_.compat == Compat::kPerl ? without_arguments_perl(name)
                                              : without_arguments(name);
      if (options_.compat == Compat::kPerl)
        std::erase_if(name, [](char c) { return c == '"' || c == '\''; });
    }
    if (java && is_class_descriptor(name)) name.erase(0, 1);
    return name;
  }

  // "Ljava/lang/String": a class as the JVM spells it, whose L means nothing.
  bool is_class_descriptor(std::string_view name) const {
    if (!name.starts_with('L')) return false;
    const std::size_t end = options_.compat == Compat::kWick
                                ? name.find_first_of(":.(")
                                : name.npos;
    return name.substr(0, end).find('/') != name.npos;
  }

  const ReadOptions& options_;
};

// Reads pieces of the text into a profile of its own.
class PerfScriptWorker {
 public:
  explicit PerfScriptWorker(const ReadOptions& options)
      : options_(options),
        names_(options),
        samples_(profile_, options.keep_time) {}

  // `text` begins at the start of a sample and ends at the end of one.
  void read(std::string_view text) {
    lines_ = 0;
    no_callers_before_ = nullptr;
    while (!text.empty()) {
      if (leaf_frames_ == 0 && !sample_frames_.empty()) take_callers(text);
      const std::string_view line = take_line(text);
      ++lines_;
      read_line(line, text);
    }
    end_sample();
  }

  // Whether a sample was read whose weight is its period.
  bool has_periods() const { return has_periods_; }

  Profile take_profile(bool with_units) {
    if (with_units)
      for (Event& event : profile_.events)
        event.unit =
            profile_.strings.intern(period_unit(profile_.strings[event.name]));
    profile_.has_loose_event_names = true;
    profile_.has_time = all_have_time_ && options_.keep_time && any_sample_;
    if (!profile_.has_time)
      for (Sample& sample : profile_.samples) sample.time = 0;
    return std::move(profile_);
  }
  Diagnostics take_diagnostics() {
    return std::exchange(profile_.diagnostics, {});
  }
  std::uint64_t lines() const { return lines_; }

 private:
  // The frames of a line: `count` of them from `first` in LineCache::frames,
  // innermost first.
  struct LineFrames {
    static constexpr std::uint32_t kUnset = 0xffffffff;
    std::uint32_t first = kUnset, count = 0;
  };

  // Frame lines seen before. Java's names are tidied differently, so it has a
  // cache of its own.
  struct LineCache {
    StringTable lines;
    std::vector<LineFrames> ranges;  // by id in `lines`
    std::vector<FrameId> frames;
  };
  // There are as many distinct lines as addresses; forgetting all of them now
  // and then bounds memory and costs little.
  static constexpr std::size_t kMaxCachedLines = 1 << 18;

  // What the lines below a sample's first frame were parsed into.
  struct Callers {
    StackId stack;
    std::uint64_t lines;
  };
  static constexpr std::size_t kMinCallers = 64, kMaxCallers = 64 << 10;

  // The first frame of a sample was read. If the lines of its callers, at the
  // front of `text`, were met before, they are taken from there at once.
  void take_callers(std::string_view& text) {
    leaf_frames_ = sample_frames_.size();
    std::string_view next = text;
    if (text.data() < no_callers_before_ || !looks_like_frame(take_line(next)))
      return;
    const std::size_t end = paragraph_end(text);
    if (end == text.npos) no_callers_before_ = text.data() + text.size();
    if (end == text.npos || end < kMinCallers || end > kMaxCallers) return;
    const TextHash hash = hash_text(text.substr(0, end));
    if (const Callers* known = known_callers_[java_].find(hash); known) {
      callers_ = known->stack;
      lines_ += known->lines;
      text.remove_prefix(end);
    } else {
      new_callers_ = {hash, text.data() + end, lines_};
    }
  }

  // The lines of the callers were read one by one to the blank line: next time
  // they are known.
  void remember_callers(StackId stack) {
    known_callers_[java_].add(new_callers_->hash,
                              {stack, lines_ - 1 - new_callers_->lines_before});
    new_callers_.reset();
  }

  void read_line(std::string_view line, std::string_view following) {
    if (line.empty()) return end_sample();
    if (line.front() == '#') return;
    if (in_sample_ && begins_with_blank(line))
      return read_inside_sample(line, following);
    if (trim(line).empty()) return;
    if (in_sample_ && looks_like_bare_frame(line))
      add_frames(line, line.find(' '));
    else
      begin_sample(line, following);
  }

  void read_inside_sample(std::string_view line, std::string_view following) {
    if (const std::size_t end = end_of_address(line); end > 0) {
      add_frames(line, end);
    } else if (trim(line).empty()) {
      return;
    } else if (parse_perf_event(line)) {
      begin_sample(line, following);
    } else if (!sample_frames_.empty()) {
      read_source_line(trim(line));
    } else {
      bad_line(line);
    }
  }

  void bad_line(std::string_view line) {
    new_callers_.reset();  // a bad line is to be counted every time
    profile_.diagnostics.note_at(Problem::kBadLine, line, lines_);
  }

  void begin_sample(std::string_view line, std::string_view following) {
    if (in_sample_ && !names_alone_ && !parse_perf_event(line)) {
      bad_line(line);  // the sample continues after it
      return;
    }
    if (new_callers_) {  // not separated by a blank line
      no_callers_before_ = new_callers_->end;
      new_callers_.reset();
    }
    end_sample();
    auto event = parse_perf_event(line);
    if (!event) {
      // `perf script -F comm,ip,sym`: a name alone, and frames below it. A text
      // is of that kind from its first sample on.
      if (begins_with_blank(line) || (any_sample_ && !names_alone_) ||
          !looks_like_frame(take_line(following))) {
        bad_line(line);
        return;
      }
      names_alone_ = true;
      event = PerfEventLine{.comm = trim(line)};
    }
    if (event->event.empty() && event->rest.starts_with("PERF_RECORD_")) {
      read_side_record(event->rest);
      return;
    }
    in_sample_ = true;
    sample_ = {};
    sample_.thread = thread_of(*event);
    sample_.event = event_of(event->event);
    sample_.weight = event->period.value_or(1);
    has_periods_ = has_periods_ || event->period;
    if (sample_.weight == 0) {
      // The kernel counts a period of 0 where it could not know; the sample
      // was taken all the same.
      profile_.diagnostics.note(Problem::kZeroWeight);
      sample_.weight = options_.compat == Compat::kInferno ? 0 : 1;
    }
    sample_.cpu = event->cpu.value_or(Sample::kNoCpu);
    if (event->time_ns)
      sample_.time = *event->time_ns;
    else
      all_have_time_ = false;
    any_sample_ = true;
    if (!event->rest.empty() && is_only_frame(event->rest))
      add_frames(event->rest, event->rest.find(' '));
  }

  // Printed between the samples by `perf script --show-lost-events` and similar
  // options: "PERF_RECORD_LOST lost 12".
  void read_side_record(std::string_view text) {
    const std::string_view kind = take_word(text);
    if (kind != "PERF_RECORD_LOST" && kind != "PERF_RECORD_LOST_SAMPLES")
      return;
    take_word(text);
    profile_.diagnostics.note(
        Problem::kLostSamples,
        to_number<std::uint64_t>(take_word(text)).value_or(1));
  }

  // A tracepoint's arguments are not a frame, even if they begin with a number.
  static bool is_only_frame(std::string_view rest) {
    const auto frame = parse_perf_frame(rest);
    return frame && !frame->module.empty() && rest.ends_with(')');
  }

  ThreadId thread_of(const PerfEventLine& event) {
    comm_.assign(event.comm);
    std::ranges::replace(comm_, ' ', '_');
    java_ = comm_.starts_with("java");
    const Thread thread{event.pid, event.tid, profile_.strings.intern(comm_)};
    if (thread == profile_.threads[last_thread_]) return last_thread_;
    last_thread_ = ThreadId{thread_index_.find_or_add(
        hash_pair(index(thread.comm), static_cast<std::uint32_t>(thread.tid)),
        [&](std::uint32_t row) {
          return profile_.threads[ThreadId{row}] == thread;
        },
        [&] { return index(profile_.threads.push_back(thread)); })};
    return last_thread_;
  }

  EventId event_of(std::string_view name) {
    if (!profile_.events.empty() &&
        profile_.strings[profile_.events[last_event_].name] == name)
      return last_event_;
    last_event_ = EventId{event_index_.find_or_add(
        hash_bytes(name),
        [&](std::uint32_t row) {
          return profile_.strings[profile_.events[EventId{row}].name] == name;
        },
        [&] {
          return index(profile_.events.push_back(
              {.name = profile_.strings.intern(name)}));
        })};
    return last_event_;
  }

  void add_frames(std::string_view line, std::size_t address_end) {
    const std::string_view key =
        options_.keep_addresses ? line : line.substr(address_end);

    LineCache& cache = caches_[java_ ? 1 : 0];
    if (cache.lines.size() > kMaxCachedLines) cache = {};
    const std::uint32_t id = index(cache.lines.intern(key));
    if (id >= cache.ranges.size()) cache.ranges.resize(id + 1);
    LineFrames& range = cache.ranges[id];
    if (range.first == LineFrames::kUnset) {
      range.first = static_cast<std::uint32_t>(cache.frames.size());
      make_frames(line, cache.frames);
      range.count =
          static_cast<std::uint32_t>(cache.frames.size()) - range.first;
    }
    for (std::uint32_t i = 0; i < range.count; ++i)
      sample_frames_.push_back(cache.frames[range.first + i]);
  }

  void make_frames(std::string_view line, std::vector<FrameId>& out) {
    const auto parsed = parse_perf_frame(line);
    if (!parsed) return;
    const Frame frame = frame_of(*parsed);
    const std::string_view symbol = parsed->symbol;
    // A name in round brackets is that of a process, not of a function; but
    // C++ writes its unnamed namespace that way.
    if (symbol.starts_with('(') &&
        (options_.compat != Compat::kWick || !symbol.starts_with("(anonymous")))
      return;
    if (symbol.empty() || symbol == "[unknown]") {
      Frame unknown = frame;
      // Two blanks without a name between them: other tools call that " ".
      if (line.substr(line.find(parsed->address) + parsed->address.size())
              .starts_with("  ("))
        unknown.function = profile_.strings.intern(" ");
      out.push_back(profile_.frames.intern(unknown));
      return;
    }
    const std::vector<std::string> names = names_(symbol, java_);
    for (std::size_t i = names.size(); i-- > 0;) {
      Frame named = frame;
      named.function = profile_.strings.intern(names[i]);
      if (named.kind == FrameKind::kJit) named.kind = generated_kind(names[i]);
      if (i > 0) named.kind = FrameKind::kInlined;
      out.push_back(profile_.frames.intern(named));
    }
  }

  Frame frame_of(const PerfFrameLine& parsed) {
    Frame frame;
    if (options_.keep_addresses)
      frame.address = to_number<std::uint64_t>(parsed.address, 16).value_or(0);
    const std::string_view module = parsed.module;
    if (module == "inlined") {
      frame.kind = FrameKind::kInlined;
      return frame;
    }
    if (is_jit_module(module))
      frame.kind = FrameKind::kJit;
    else if (is_kernel_module(module, options_.compat != Compat::kWick))
      frame.kind = FrameKind::kKernel;
    if (!module.empty() && module != "[unknown]")
      frame.module = module_of(module);
    return frame;
  }

  ModuleId module_of(std::string_view path) {
    return ModuleId{module_index_.find_or_add(
        hash_bytes(path),
        [&](std::uint32_t row) {
          return profile_.strings[profile_.modules[ModuleId{row}].path] == path;
        },
        [&] {
          return index(profile_.modules.push_back(
              {.path = profile_.strings.intern(path)}));
        })};
  }

  // `perf script -F +srcline` prints the place of a frame below it: "t.c:12",
  // or "libc.so.6[29d90]" where it knows none.
  void read_source_line(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == text.npos || colon == 0) {
      if (!text.ends_with(']')) bad_line(text);
      return;
    }
    Frame frame = profile_.frames[sample_frames_.back()];
    // A discriminator may follow the number.
    std::string_view number = text.substr(colon + 1);
    number = take_word(number);
    const auto line = to_number<std::uint32_t>(number);
    if (!line) {
      bad_line(text);
      return;
    }
    frame.file = profile_.strings.intern(text.substr(0, colon));
    frame.line = *line;
    if (options_.srcline && frame.function != StringId::kEmpty)
      frame.function = profile_.strings.intern(
          std::string(profile_.strings[frame.function]) + ":" +
          std::string(text.substr(0, colon)) + ":" + std::string(number));
    sample_frames_.back() = profile_.frames.intern(frame);
  }

  void end_sample() {
    if (!in_sample_) return;
    in_sample_ = false;
    if (sample_frames_.empty()) profile_.diagnostics.note(Problem::kNoStack);
    StackId stack = callers_;
    std::size_t left = sample_frames_.size();
    for (; left > leaf_frames_; --left)
      stack = profile_.stacks.push(stack, sample_frames_[left - 1]);
    if (new_callers_) remember_callers(stack);
    for (; left > 0; --left)
      stack = profile_.stacks.push(stack, sample_frames_[left - 1]);
    sample_.stack = stack;
    samples_.add(sample_);
    sample_frames_.clear();
    leaf_frames_ = 0;
    callers_ = StackId::kRoot;
  }

  const ReadOptions& options_;
  FrameNames names_;
  Profile profile_;
  SampleCollector samples_;
  LineCache caches_[2];
  TextCache<Callers> known_callers_[2];
  struct NewCallers {
    TextHash hash;
    const char* end;
    std::uint64_t lines_before;
  };
  std::optional<NewCallers> new_callers_;
  const char* no_callers_before_ = nullptr;  // do not look for them up to here
  HashIndex thread_index_, event_index_, module_index_;
  ThreadId last_thread_ = ThreadId::kUnknown;
  EventId last_event_{0};
  std::string comm_;
  bool java_ = false;
  bool in_sample_ = false;
  bool all_have_time_ = true, any_sample_ = false, names_alone_ = false;
  bool has_periods_ = false;
  Sample sample_;
  // The frames of the sample, innermost first: those of its first line, then
  // those of its callers unless these are known as a stack.
  std::vector<FrameId> sample_frames_;
  std::size_t leaf_frames_ = 0;
  StackId callers_ = StackId::kRoot;
  std::uint64_t lines_ = 0;
};

// Cuts `block` into `count` pieces after blank lines.
std::vector<std::string_view> pieces_of(std::string_view block, int count) {
  std::vector<std::string_view> pieces;
  for (int left = count; left > 1; --left) {
    const std::size_t near = block.size() / static_cast<std::size_t>(left);
    std::size_t cut = block.find("\n\n", near);
    if (cut == block.npos) break;
    pieces.push_back(block.substr(0, cut + 2));
    block.remove_prefix(cut + 2);
  }
  pieces.push_back(block);
  return pieces;
}

Profile read_perf_script(InputFile& file, const ReadOptions& options) {
  const int count = worker_count(options.threads);
  // Pieces of a file are large, so that workers rarely wait for each other;
  // those of a pipe are kept in memory.
  const std::size_t piece = file.size_hint() > 0 ? 64 << 20 : 8 << 20;
  std::vector<std::unique_ptr<PerfScriptWorker>> workers;
  Diagnostics diagnostics;
  std::uint64_t lines = 0;
  bool is_cut = false;  // in a line; perf ends each
  std::string_view block;
  while (
      !(block = file.next_block(piece * static_cast<std::size_t>(count), true))
           .empty()) {
    // A small input is not worth a second thread and its merging.
    const auto pieces = pieces_of(block, block.size() < (2 << 20) ? 1 : count);
    while (workers.size() < pieces.size())
      workers.push_back(std::make_unique<PerfScriptWorker>(options));
    parallel_for(pieces.size(), count,
                 [&](std::size_t i) { workers[i]->read(pieces[i]); });
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      diagnostics.merge(workers[i]->take_diagnostics(), lines);
      lines += workers[i]->lines();
    }
    is_cut = block.back() != '\n';
  }
  if (is_cut && !file.damaged())
    diagnostics.note_at(Problem::kTruncated, "the last line is cut", lines);
  if (workers.empty()) return {};
  // Other tools call everything samples.
  const bool with_units = options.compat == Compat::kWick &&
                          std::ranges::any_of(workers, [](const auto& w) {
                            return w->has_periods();
                          });
  Profile profile = workers.front()->take_profile(with_units);
  workers.front().reset();
  for (std::size_t i = 1; i < workers.size(); ++i) {
    merge(profile, workers[i]->take_profile(with_units));
    workers[i].reset();
  }
  profile.diagnostics = std::move(diagnostics);
  guess_event_times(profile);
  return profile;
}

bool sniff_perf_script(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = take_line(head);
    if (line.starts_with('#') || trim(line).empty()) continue;
    const auto event = parse_perf_event(line);
    if (!event) return false;
    if (!event->rest.empty() && parse_perf_frame(event->rest)) return true;
    // The name of an event is printed nearly always; without it, what follows
    // must be a frame.
    std::string_view next = take_line(head);
    while (next.starts_with('#') && !head.empty()) next = take_line(head);
    if (looks_like_frame(next) || looks_like_bare_frame(next)) return true;
    return event->time_ns && !event->event.empty();
  }
  return false;
}

}  // namespace

extern const InputFormat perf_script_input = {
    .name = "perf-script",
    .description = "the text of `perf script`, in every layout",
    .sniff = sniff_perf_script,
    .read = read_perf_script,
};

}  // namespace wick
