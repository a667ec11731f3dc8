// SPDX-License-Identifier: Apache-2.0
#include "itrace/trigger/trigger.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "itrace/trigger/point_matcher.h"

namespace wick {
namespace {

using Edges = TriggerOptions::Edges;

// The most matches collected from all harts.
constexpr std::size_t kMaxMatches = 1 << 22;
// The most mappings kept for later while tracing is off.
constexpr std::size_t kMaxWaitingFacts = 1 << 20;

bool keeps_from(Edges edges) {
  return edges == Edges::kBoth || edges == Edges::kFrom;
}
bool keeps_until(Edges edges) {
  return edges == Edges::kBoth || edges == Edges::kUntil;
}

struct Points {
  explicit Points(const TriggerOptions& options)
      : from(parse(options.from)), until(parse(options.until)) {}

  static TracePoint parse(const std::string& text) {
    return text.empty() ? TracePoint{} : parse_trace_point(text);
  }

  // Whether tracing is on before any point is met.
  bool begin_on() const {
    return from.kind == TracePoint::Kind::kNone ||
           from.kind == TracePoint::Kind::kCycle ||
           from.kind == TracePoint::Kind::kBaseCycle;
  }

  TracePoint from, until;
};

// Both points of a trigger with their matchers.
struct Trigger {
  Trigger(const TraceOptions& options, const TraceInfo& info,
          const SymbolOptions& symbols)
      : points(options.trigger),
        from(points.from, options, info, symbols),
        until(points.until, options, info, symbols),
        edges(options.trigger.edges) {}

  void learn(const TraceBlock& block) {
    for (const SideBandFact& fact : block.facts) {
      from.learn(fact);
      until.learn(fact);
    }
  }
  // At the end of the trace: unplaced() is a file that contains a point but
  // whose address the trace never gave, or ""; check_placed() fails if a point
  // is in such files only.
  std::string unplaced() const {
    const std::string path = from.unplaced();
    return path.empty() ? until.unplaced() : path;
  }
  void check_placed() const {
    for (const PointMatcher* matcher : {&from, &until})
      if (const std::string path = matcher->unplaced();
          !path.empty() && matcher->is_nowhere_else())
        fail(
            "the trigger's point is in {}, whose address differs from run to "
            "run, and the trace does not say where it was loaded; give the pc "
            "instead (pc:HEX)",
            path);
  }

  bool has_time() const { return from.is_time() || until.is_time(); }
  bool in_time(std::uint64_t cycle) const {
    if (from.is_time() &&
        (keeps_from(edges) ? cycle < from.limit() : cycle <= from.limit()))
      return false;
    return !until.is_time() || (keeps_until(edges) ? cycle <= until.limit()
                                                   : cycle < until.limit());
  }

  Points points;
  PointMatcher from, until;
  Edges edges;
};

// Whether tracing is on, and the matches so far.
struct Switch {
  bool on = false;
  std::uint64_t from_hits = 0, until_hits = 0;

  enum class Turn : std::uint8_t { kNone, kOn, kOff };
  // An instruction matches a point; one that matches both is a start.
  Turn meet(const Points& points, bool is_from, bool is_until) {
    if (is_from) {
      ++from_hits;
      const std::uint64_t wanted = points.from.hit;
      if (wanted == 0 || from_hits == wanted) {
        if (on) return Turn::kNone;
        on = true;
        until_hits = 0;
        return Turn::kOn;
      }
    }
    if (!is_until || !on) return Turn::kNone;
    ++until_hits;
    const std::uint64_t wanted = points.until.hit;
    if (wanted != 0 && until_hits != wanted) return Turn::kNone;
    on = false;
    return Turn::kOff;
  }
};

// The matches of both points in a block, in order.
class Matches {
 public:
  void find(Trigger& trigger, const TraceBlock& block, int pc_bits) {
    from_.clear();
    until_.clear();
    trigger.from.find(block, pc_bits, from_);
    trigger.until.find(block, pc_bits, until_);
  }

  // Calls visit(instruction, is_from, is_until).
  template <class Visit>
  void each(Visit visit) const {
    auto from = from_.begin();
    auto until = until_.begin();
    while (from != from_.end() || until != until_.end()) {
      const std::uint32_t at = until == until_.end() ? *from
                               : from == from_.end() ? *until
                                                     : std::min(*from, *until);
      const bool is_from = from != from_.end() && *from == at;
      const bool is_until = until != until_.end() && *until == at;
      from += is_from ? 1 : 0;
      until += is_until ? 1 : 0;
      visit(at, is_from, is_until);
    }
  }

 private:
  std::vector<std::uint32_t> from_, until_;
};

// The process to keep, for triggers by address space.
struct WantedSpace {
  enum class Kind : std::uint8_t { kAll, kSatp, kPid, kName };
  Kind kind = Kind::kAll;
  std::uint64_t number = 0;
  std::string name;

  static WantedSpace parse(const std::string& text) {
    if (text.empty()) return {};
    std::string_view rest = text;
    const std::string_view word = take_until(rest, ':');
    if (word == "satp") {
      if (rest.starts_with("0x")) rest.remove_prefix(2);
      if (const auto satp = to_number<std::uint64_t>(rest, 16))
        return {.kind = Kind::kSatp, .number = *satp};
      fail_usage("'{}' is not satp:HEX, pid:N or the name of a process",
                 excerpt(text));
    }
    if (word == "pid")
      if (const auto pid = to_number<std::uint32_t>(rest))
        return {.kind = Kind::kPid, .number = *pid};
    return {.kind = Kind::kName, .name = text};
  }
  bool is(const ContextChange& context) const {
    return context.has_satp && context.satp == number;
  }
  bool is(const SideBandFact& thread) const {
    return kind == Kind::kPid ? std::cmp_equal(thread.pid, number)
                              : thread.name == name;
  }
};

class TriggeredTrace final : public TraceReader {
 public:
  TriggeredTrace(std::unique_ptr<TraceReader> reader,
                 const TraceOptions& options, std::string_view path,
                 const SymbolOptions& symbols)
      : reader_(std::move(reader)),
        options_(options.trigger),
        input_(options_.windows == nullptr ? TraceWindows::kNoInput
                                           : options_.windows->input_of(path)),
        trigger_(options, reader_->info(), symbols),
        space_(WantedSpace::parse(options.trigger.space)),
        ratio_(clock_ratio(reader_->info().clock_domain)) {
    info_ = reader_->info();
    if (space_.kind == WantedSpace::Kind::kSatp && !info_.has_satp)
      fail(
          Setting::kComm,
          "the trace has no satp, so it cannot be cut by address space; filter "
          "the result by process instead");
  }

  bool next(TraceBlock& block) override;

 private:
  struct Hart {
    bool met = false;  // has had a block
    Switch state;
    std::uint64_t ordinal = 0;  // of the first instruction of the block
    std::size_t window = 0;
    bool in_space = false;
    bool given = false, gap = false;
    // Rows from while tracing was off, for the next instruction kept.
    std::optional<ContextChange> context;
    std::optional<SideBandFact> thread;
    std::map<std::uint64_t, std::vector<SideBandFact>> mappings;  // by satp
    std::size_t mapping_count = 0;
  };

  bool read_block();
  void keep_by_switch(Hart& hart);
  void keep_by_windows(Hart& hart);
  void keep_by_space(Hart& hart);
  void leave_out(Hart& hart, std::size_t until);
  void give(Hart& hart, std::size_t from, std::size_t to, TraceBlock& out);
  void note_end();
  std::size_t find_kept(std::size_t from, bool kept) const {
    const void* at =
        std::memchr(keep_.data() + from, kept ? 1 : 0, keep_.size() - from);
    return at == nullptr ? keep_.size()
                         : static_cast<std::size_t>(
                               static_cast<const char*>(at) - keep_.data());
  }

  std::unique_ptr<TraceReader> reader_;
  TriggerOptions options_;
  std::uint32_t input_;  // index of the file in options_.windows
  Trigger trigger_;
  WantedSpace space_;
  ClockRatio ratio_;
  Matches matches_;
  std::map<std::uint32_t, Hart> harts_;

  TraceBlock in_;
  std::vector<char> keep_;  // for each instruction of in_
  std::size_t at_ = 0;      // instructions of in_ handled so far
  std::size_t context_at_ = 0, trap_at_ = 0, fact_at_ = 0;
  std::uint64_t seen_ = 0, left_out_ = 0;
  bool knows_threads_ = false, noted_ = false;
  // Whether the start point and the wanted space were met. Even then,
  // everything may be left out.
  bool from_met_ = false, space_met_ = false;
  Diagnostics own_;  // in addition to the reader's
};

bool TriggeredTrace::read_block() {
  if (!reader_->next(in_)) return false;
  at_ = context_at_ = trap_at_ = fact_at_ = 0;
  keep_.assign(in_.instructions.size(), 0);
  seen_ += keep_.size();
  Hart& hart = harts_[in_.hart];
  if (!hart.met) hart.state.on = trigger_.points.begin_on();
  hart.met = true;
  trigger_.learn(in_);
  if (options_.windows != nullptr)
    keep_by_windows(hart);
  else
    keep_by_switch(hart);
  if (trigger_.has_time())
    for (std::size_t i = 0; i < keep_.size(); ++i)
      if (!trigger_.in_time(in_.instructions[i].cycle)) keep_[i] = 0;
  if (!from_met_ && trigger_.from.is_time() && !in_.instructions.empty())
    from_met_ = in_.instructions.back().cycle >= trigger_.from.limit();
  if (space_.kind != WantedSpace::Kind::kAll) keep_by_space(hart);
  hart.ordinal += keep_.size();
  hart.gap = hart.gap || in_.after_gap;
  return true;
}

void TriggeredTrace::keep_by_switch(Hart& hart) {
  std::size_t done = 0;
  const auto fill = [&](std::size_t until) {
    if (hart.state.on)
      std::fill(keep_.begin() + static_cast<std::ptrdiff_t>(done),
                keep_.begin() + static_cast<std::ptrdiff_t>(until), 1);
    done = until;
  };
  matches_.find(trigger_, in_, reader_->info().pc_bits);
  matches_.each([&](std::uint32_t at, bool is_from, bool is_until) {
    // Nothing starts or ends outside the selected time.
    if (!trigger_.in_time(in_.instructions[at].cycle)) return;
    fill(at);
    switch (hart.state.meet(trigger_.points, is_from, is_until)) {
      case Switch::Turn::kOn:
        from_met_ = true;
        keep_[at] = keeps_from(trigger_.edges) ? 1 : 0;
        break;
      case Switch::Turn::kOff:
        keep_[at] = keeps_until(trigger_.edges) ? 1 : 0;
        break;
      case Switch::Turn::kNone:
        keep_[at] = hart.state.on ? 1 : 0;
        break;
    }
    done = at + 1;
  });
  fill(keep_.size());
}

void TriggeredTrace::keep_by_windows(Hart& hart) {
  const auto windows = options_.windows->windows();
  const auto is_here = [&](const TraceWindows::Edge& edge) {
    return edge.input == input_ && edge.input != TraceWindows::kNoInput &&
           edge.hart == in_.hart;
  };
  const auto began = [&](const TraceWindows::Window& window, std::size_t i) {
    const std::uint64_t ordinal = hart.ordinal + i;
    if (is_here(window.from))
      return keeps_from(trigger_.edges) ? ordinal >= window.from.ordinal
                                        : ordinal > window.from.ordinal;
    return in_.instructions[i].cycle >= ratio_.to_local(window.from.base_cycle);
  };
  const auto ended = [&](const TraceWindows::Window& window, std::size_t i) {
    const std::uint64_t ordinal = hart.ordinal + i;
    if (!window.ended) return false;
    if (is_here(window.until))
      return keeps_until(trigger_.edges) ? ordinal > window.until.ordinal
                                         : ordinal >= window.until.ordinal;
    return in_.instructions[i].cycle > ratio_.to_local(window.until.base_cycle);
  };
  for (std::size_t i = 0; i < keep_.size(); ++i) {
    while (hart.window < windows.size() && ended(windows[hart.window], i))
      ++hart.window;
    keep_[i] = hart.window < windows.size() && began(windows[hart.window], i);
  }
}

void TriggeredTrace::keep_by_space(Hart& hart) {
  std::size_t done = 0;
  const auto leave_out_until = [&](std::size_t until) {
    until = std::min(until, keep_.size());
    if (hart.in_space)
      space_met_ = space_met_ || until > done;
    else
      std::fill(keep_.begin() + static_cast<std::ptrdiff_t>(done),
                keep_.begin() + static_cast<std::ptrdiff_t>(until), 0);
    done = until;
  };
  if (space_.kind == WantedSpace::Kind::kSatp) {
    for (const ContextChange& context : in_.contexts) {
      leave_out_until(context.from);
      hart.in_space = space_.is(context);
    }
  } else {
    for (const SideBandFact& fact : in_.facts) {
      if (fact.kind != SideBandFact::Kind::kThread) continue;
      knows_threads_ = true;
      leave_out_until(fact.from);
      hart.in_space = space_.is(fact);
    }
  }
  leave_out_until(keep_.size());
}

// Keeps the rows up to instruction `until`, inclusive, for the next one kept.
void TriggeredTrace::leave_out(Hart& hart, std::size_t until) {
  while (context_at_ < in_.contexts.size() &&
         in_.contexts[context_at_].from <= until)
    hart.context = in_.contexts[context_at_++];
  while (trap_at_ < in_.traps.size() && in_.traps[trap_at_].at < until)
    ++trap_at_;
  while (fact_at_ < in_.facts.size() && in_.facts[fact_at_].from <= until) {
    SideBandFact& fact = in_.facts[fact_at_++];
    if (fact.kind == SideBandFact::Kind::kThread) {
      hart.thread = std::move(fact);
      continue;
    }
    std::vector<SideBandFact>& waiting = hart.mappings[fact.satp];
    if (fact.kind == SideBandFact::Kind::kUnmapAll) {
      hart.mapping_count -= waiting.size();
      waiting.clear();
    }
    if (hart.mapping_count < kMaxWaitingFacts) {
      waiting.push_back(std::move(fact));
      ++hart.mapping_count;
    } else {
      own_.note(Problem::kBadRecord);
    }
  }
}

void TriggeredTrace::give(Hart& hart, std::size_t from, std::size_t to,
                          TraceBlock& out) {
  out.clear();
  out.after_gap = hart.gap && hart.given;
  hart.gap = false;
  hart.given = true;
  const bool nothing_waits =
      !hart.context && !hart.thread && hart.mappings.empty();
  if (from == 0 && to == keep_.size() && nothing_waits) {
    const bool after_gap = out.after_gap;
    std::swap(out, in_);
    out.after_gap = after_gap;
    in_.clear();
    return;
  }
  leave_out(hart, from);
  out.hart = in_.hart;
  const auto part = [&](const auto& rows) {
    return std::span(rows).subspan(from, to - from);
  };
  const auto instructions = part(in_.instructions);
  out.instructions.assign(instructions.begin(), instructions.end());
  if (!in_.bits.empty()) {
    const auto bits = part(in_.bits);
    out.bits.assign(bits.begin(), bits.end());
  }
  if (hart.context) {
    hart.context->from = 0;
    out.contexts.push_back(*std::exchange(hart.context, {}));
  }
  for (auto& [satp, facts] : hart.mappings)
    for (SideBandFact& fact : facts) {
      fact.from = 0;
      out.facts.push_back(std::move(fact));
    }
  hart.mappings.clear();
  hart.mapping_count = 0;
  if (hart.thread) {
    hart.thread->from = 0;
    out.facts.push_back(*std::exchange(hart.thread, {}));
  }
  const auto shift = static_cast<std::uint32_t>(from);
  for (;
       context_at_ < in_.contexts.size() && in_.contexts[context_at_].from < to;
       ++context_at_) {
    out.contexts.push_back(in_.contexts[context_at_]);
    out.contexts.back().from -= shift;
  }
  for (; trap_at_ < in_.traps.size() && in_.traps[trap_at_].at < to;
       ++trap_at_) {
    out.traps.push_back(in_.traps[trap_at_]);
    out.traps.back().at -= shift;
  }
  for (; fact_at_ < in_.facts.size() && in_.facts[fact_at_].from < to;
       ++fact_at_) {
    out.facts.push_back(in_.facts[fact_at_]);
    out.facts.back().from -= shift;
  }
}

bool TriggeredTrace::next(TraceBlock& block) {
  while (true) {
    if (at_ >= keep_.size()) {
      const bool any = read_block();
      info_ = reader_->info();
      diagnostics_ = reader_->diagnostics();
      if (!any) {
        block.clear();
        note_end();
        diagnostics_.merge(own_);
        return false;
      }
    }
    Hart& hart = harts_[in_.hart];
    const std::size_t from = find_kept(at_, true);
    left_out_ += from - at_;
    if (from > at_) hart.gap = true;
    if (from == keep_.size()) {
      leave_out(hart, from);
      at_ = from;
      continue;
    }
    const std::size_t to = find_kept(from, false);
    at_ = to;
    give(hart, from, to, block);
    return true;
  }
}

void TriggeredTrace::note_end() {
  if (std::exchange(noted_, true)) return;
  if (options_.windows == nullptr) trigger_.check_placed();
  if (const std::string path = trigger_.unplaced(); !path.empty())
    own_.note_at(Problem::kUnplacedTrigger, path);
  const bool by_thread = space_.kind == WantedSpace::Kind::kName ||
                         space_.kind == WantedSpace::Kind::kPid;
  if (by_thread && !knows_threads_ && seen_ > 0)
    fail(Setting::kComm,
         "the trace does not say which process runs, so it cannot be cut by "
         "'{}'; filter the result by process instead",
         excerpt(options_.space));
  if (left_out_ == 0) return;
  // Perhaps on another hart.
  if (options_.windows != nullptr && !trigger_.from.is_time())
    from_met_ = !options_.windows->windows().empty();
  const std::string not_met = options_.from.empty() || from_met_
                                  ? (space_met_ ? "" : options_.space)
                                  : options_.from;
  if (left_out_ == seen_ && !not_met.empty())
    own_.note_at(Problem::kCutInstructions, "all: " + not_met + " was not met");
  else
    own_.note(Problem::kCutInstructions);
  if (left_out_ > 1) own_.note(Problem::kCutInstructions, left_out_ - 1);
}

}  // namespace

std::unique_ptr<TraceReader> cut_by_trigger(std::unique_ptr<TraceReader> reader,
                                            const TraceOptions& options,
                                            std::string_view path,
                                            const SymbolOptions& symbols) {
  return std::make_unique<TriggeredTrace>(std::move(reader), options, path,
                                          symbols);
}

namespace {

struct Match {
  TraceWindows::Edge edge;
  bool is_from, is_until;
};

void add_matches(InputFile& file, std::uint32_t input,
                 std::string_view format_name, const TraceOptions& options,
                 const SymbolOptions& symbols, std::vector<Match>& out) {
  TraceOptions all = options;
  all.trigger = {};
  all.hart = -1;
  const auto reader = open_trace(file, format_name, all);
  Trigger trigger(options, reader->info(), symbols);
  const ClockRatio ratio = clock_ratio(reader->info().clock_domain);
  std::map<std::uint32_t, std::uint64_t> ordinals;
  Matches matches;
  TraceBlock block;
  while (reader->next(block)) {
    trigger.learn(block);
    matches.find(trigger, block, reader->info().pc_bits);
    std::uint64_t& ordinal = ordinals[block.hart];
    matches.each([&](std::uint32_t at, bool is_from, bool is_until) {
      const std::uint64_t cycle = block.instructions[at].cycle;
      if (!trigger.in_time(cycle)) return;
      if (out.size() >= kMaxMatches)
        fail("the trigger matches more than {} instructions", kMaxMatches);
      out.push_back(
          {.edge = {ratio.to_base(cycle), input, block.hart, ordinal + at},
           .is_from = is_from,
           .is_until = is_until});
    });
    ordinal += block.instructions.size();
  }
  trigger.check_placed();
}

std::vector<TraceWindows::Window> windows_of(const std::vector<Match>& matches,
                                             const Points& points) {
  std::vector<TraceWindows::Window> windows;
  Switch state{.on = points.begin_on()};
  if (state.on) windows.push_back({});
  for (const Match& match : matches) {
    switch (state.meet(points, match.is_from, match.is_until)) {
      case Switch::Turn::kOn:
        windows.push_back({.from = match.edge});
        break;
      case Switch::Turn::kOff:
        windows.back().until = match.edge;
        windows.back().ended = true;
        break;
      case Switch::Turn::kNone:
        break;
    }
  }
  return windows;
}

}  // namespace

std::shared_ptr<const TraceWindows> find_windows(
    std::span<const std::string> paths, std::string_view format_name,
    const TraceOptions& options, const SymbolOptions& symbols) {
  std::vector<Match> matches;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string& path = paths[i];
    if (path == "-")
      fail_usage(
          "a trigger for all harts reads the trace twice, which standard input "
          "does not allow; give a file");
    InputFile file = InputFile::open_regular(path);
    in_context(path, [&] {
      add_matches(file, static_cast<std::uint32_t>(i), format_name, options,
                  symbols, matches);
      file.check_whole();
    });
  }
  std::ranges::sort(matches, {}, [](const Match& match) {
    return std::tuple(match.edge.base_cycle, match.edge.hart, match.edge.input,
                      match.edge.ordinal);
  });
  return std::make_shared<TraceWindows>(
      std::vector(paths.begin(), paths.end()),
      windows_of(matches, Points(options.trigger)));
}

std::uint32_t TraceWindows::input_of(std::string_view path) const {
  const auto found = std::ranges::find(paths_, path);
  return found == paths_.end()
             ? kNoInput
             : static_cast<std::uint32_t>(found - paths_.begin());
}

}  // namespace wick
