// SPDX-License-Identifier: Apache-2.0
#include "transform/diff.h"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <ranges>
#include <set>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/metrics.h"
#include "base/text.h"
#include "transform/diff_cost.h"
#include "transform/merge.h"
#include "transform/name_weights.h"
#include "transform/transform.h"

namespace wick {
namespace {

// Replaces the hexadecimal digits after each "0x" by "...", as both peers do.
std::string without_hex(std::string_view name) {
  std::string out;
  for (std::size_t at; (at = name.find("0x")) != name.npos;) {
    out += name.substr(0, at + 2);
    name.remove_prefix(at + 2);
    const std::size_t digits = static_cast<std::size_t>(
        std::ranges::find_if_not(name, is_hex_digit) - name.begin());
    if (digits > 0) out += "...";
    name.remove_prefix(digits);
  }
  return out += name;
}

Profile strip_hex(Profile profile) {
  for (Thread& thread : profile.threads)
    thread.comm =
        profile.strings.intern(without_hex(profile.strings[thread.comm]));
  return replace_frames(std::move(profile), [](Profile& p, const Frame& frame,
                                               std::vector<Frame>& out) {
    out.push_back(frame);
    out.back().function =
        p.strings.intern(without_hex(p.strings[frame.function]));
  });
}

void forget_thread_numbers(Profile& profile) {
  constexpr ThreadId kNone{0xffffffff};
  Column<StringId, ThreadId> of_comm(profile.strings.size(), kNone);
  Column<ThreadId, Thread> threads;
  Column<ThreadId, ThreadId> moved;
  for (const Thread& thread : profile.threads) {
    ThreadId& id = of_comm[thread.comm];
    // Row 0 is the unknown thread, whatever its content.
    if (id == kNone) id = threads.push_back({.comm = thread.comm});
    moved.push_back(id);
  }
  profile.threads = std::move(threads);
  for (Sample& sample : profile.samples) sample.thread = moved[sample.thread];
}

// Makes one event of all, with the most decimals of any.
void sum_events(Profile& profile, EventRole role) {
  int decimals = 0;
  for (const Event& event : profile.events)
    decimals = std::max<int>(decimals, event.decimals);
  raise_decimals(profile,
                 Column<EventId, int>(profile.events.size(), decimals));
  Event event = profile.events.empty()
                    ? Event{.name = profile.strings.intern("samples")}
                    : profile.events[EventId{0}];
  event.role = role;
  profile.events.clear();
  profile.events.push_back(event);
  for (Sample& sample : profile.samples) sample.event = EventId{0};
}

void cut_decimals(Profile& profile) {
  Event& event = profile.events[EventId{0}];
  const std::int64_t unit = power_of_ten(event.decimals);
  std::uint64_t cut = 0;
  for (Sample& sample : profile.samples) {
    cut += sample.weight % unit != 0;
    sample.weight /= unit;
  }
  event.decimals = 0;
  profile.diagnostics.note(Problem::kRounded, cut);
}

void sum_samples(Profile& profile) {
  const std::vector<Sample> samples = std::exchange(profile.samples, {});
  profile.sample_counts.clear();
  profile.has_time = false;
  SampleCollector collector(profile, /*keep_time=*/false);
  for (const Sample& sample : samples) collector.add(sample);
}

using Facts = std::set<std::pair<std::string, std::string>>;

Facts facts_of(const Profile& profile) {
  Facts facts;
  for (const auto& [key, value] : profile.about)
    facts.emplace(profile.strings[key], profile.strings[value]);
  return facts;
}

// Adds the side to the facts that are not true of both.
void name_side(Profile& profile, const Facts& other, std::string_view side) {
  const std::vector<About> about = std::exchange(profile.about, {});
  for (const auto& [key_id, value_id] : about) {
    const std::string key(profile.strings[key_id]);
    const std::string value(profile.strings[value_id]);
    const bool is_common = other.contains({key, value});
    profile.set_about(is_common ? key : fmt::format("{}, {}", key, side),
                      value);
  }
}

Profile prepared(Profile profile, EventRole role, const JoinOptions& options) {
  if (is_difference(profile))
    fail("expected a plain profile, not a difference");
  if (options.strip_hex) profile = strip_hex(std::move(profile));
  forget_thread_numbers(profile);
  sum_events(profile, role);
  if (options.compat == Compat::kInferno) cut_decimals(profile);
  sum_samples(profile);
  return profile;
}

// For each stack, the first one with the same functions: they print the same.
Column<StackId, StackId> stacks_by_function(const Profile& profile) {
  StackTable table;
  Column<StackId, StackId> same(profile.stacks.size());
  for (const StackId id : profile.stacks.ids()) {
    if (id == StackId::kRoot) continue;
    const Frame& frame = profile.frames[profile.stacks.frame(id)];
    same[id] = table.push(same[profile.stacks.parent(id)],
                          FrameId{index(frame.function)});
  }
  return same;
}

// Scales the weights before by wanted / total. The sum of each printed stack is
// rounded down to `unit` once, however many samples it has: a sample gets the
// growth of the scaled running sum.
void scale_before(Profile& profile, std::int64_t total, std::int64_t wanted,
                  std::int64_t unit) {
  __extension__ using Int128 = __int128;
  const auto scaled = [&](std::int64_t weight) {
    const auto exact =
        static_cast<std::int64_t>(Int128{weight} * wanted / total);
    return exact / unit * unit;
  };
  const Column<StackId, StackId> same = stacks_by_function(profile);
  struct Running {
    ThreadId thread;
    StackId stack;
    std::int64_t sum = 0;
  };
  std::vector<Running> rows;
  HashIndex seen;
  std::int64_t result = 0;
  for (Sample& sample : profile.samples) {
    if (profile.events[sample.event].role != EventRole::kBefore) continue;
    const StackId stack = same[sample.stack];
    Running& running = rows[seen.find_or_add(
        hash_pair(index(sample.thread), index(stack)),
        [&](std::uint32_t row) {
          return rows[row].thread == sample.thread && rows[row].stack == stack;
        },
        [&] {
          rows.push_back({sample.thread, stack});
          return static_cast<std::uint32_t>(rows.size() - 1);
        })];
    const std::int64_t before = scaled(running.sum);
    running.sum = saturating_add(running.sum, sample.weight);
    sample.weight = scaled(running.sum) - before;
    result = saturating_add(result, sample.weight);
  }
  const auto rounded = [&](const Running& row) {
    return Int128{row.sum} * wanted % (Int128{total} * unit) != 0;
  };
  profile.diagnostics.note(
      Problem::kRounded,
      static_cast<std::uint64_t>(std::ranges::count_if(rows, rounded)),
      wanted - result);
}

}  // namespace

Profile join_as_difference(Profile before, Profile after,
                           const JoinOptions& options) {
  const Timer timer("join");
  before = in_context("before", [&] {
    return prepared(std::move(before), EventRole::kBefore, options);
  });
  after = in_context("after", [&] {
    return prepared(std::move(after), EventRole::kAfter, options);
  });
  const Facts facts = facts_of(before);
  name_side(before, facts_of(after), "before");
  name_side(after, facts, "after");
  merge(before, after);
  return before;
}

void normalize(Profile& difference, Compat compat) {
  int decimals = 0;
  for (const Event& event : difference.events)
    decimals = std::max<int>(decimals, event.decimals);
  raise_decimals(difference,
                 Column<EventId, int>(difference.events.size(), decimals));
  std::int64_t before = 0, after = 0;
  for (const Sample& sample : difference.samples) {
    const Event& event = difference.events[sample.event];
    std::int64_t& sum = event.role == EventRole::kBefore ? before : after;
    sum = saturating_add(sum, sample.weight);
  }
  if (before == 0) return;
  scale_before(difference, before, after,
               compat == Compat::kPerl ? power_of_ten(decimals) : 1);
}

namespace {

constexpr std::string_view kAboutScale = "scale", kAbsoluteScale = "absolute";

// The most decimals with which a weight stays below 10^12.
int fine_decimals(std::int64_t weight) {
  int decimals = 0;
  while (decimals < 11 && weight <= power_of_ten(11 - decimals)) ++decimals;
  return decimals;
}

}  // namespace

void set_scale(Profile& difference, Scale scale) {
  if (scale != scale_of(difference))
    difference.set_about(
        kAboutScale, scale == Scale::kAbsolute ? kAbsoluteScale : "normalised");
}

void set_files(Profile& difference, std::string_view before,
               std::string_view after) {
  const auto set = [&](const char* key, std::string_view path) {
    const std::string_view name = base_name(path);
    if (!name.empty() && name != "-") difference.set_about(key, name);
  };
  set("file, before", before);
  set("file, after", after);
}

Scale scale_of(const Profile& difference) {
  const auto is_absolute = [&](const About& about) {
    return difference.strings[about.key] == kAboutScale &&
           difference.strings[about.value] == kAbsoluteScale;
  };
  return std::ranges::any_of(difference.about, is_absolute)
             ? Scale::kAbsolute
             : Scale::kNormalised;
}

void normalise(FlameGraph& difference) {
  __extension__ using Int128 = __int128;
  const std::int64_t before = difference.before_total[NodeId::kRoot];
  const std::int64_t after = difference.total[NodeId::kRoot];
  if (before <= 0 || after <= 0) return;
  const int more = fine_decimals(std::max(before, after));
  const std::int64_t unit = power_of_ten(more);
  difference.decimals += more;
  const auto scaled = [&](std::int64_t weight) {
    return static_cast<std::int64_t>(
        (Int128{weight} * unit * after + before / 2) / before);
  };
  for (const NodeId id : difference.ids()) {
    difference.self[id] *= unit;
    difference.total[id] *= unit;
    difference.before_self[id] = scaled(difference.before_self[id]);
    difference.before_total[id] = scaled(difference.before_total[id]);
  }
}

namespace {

// Makes a Change of two weights.
class Judge {
 public:
  explicit Judge(const DiffTable& table)
      : before_(table.before), after_(table.after), z_(table.z) {}

  Change operator()(std::int64_t before, std::int64_t after) const {
    const Proportion b{share(before, before_), before_.samples};
    const Proportion a{share(after, after_), after_.samples};
    return {before, after, b.share, a.share, difference_interval(b, a, z_)};
  }

 private:
  static double share(std::int64_t weight, const DiffSide& side) {
    if (side.weight <= 0) return 0;
    return std::min(
        1.0, static_cast<double>(weight) / static_cast<double>(side.weight));
  }

  const DiffSide& before_;
  const DiffSide& after_;
  double z_;
};

DiffSide side_of(const Profile& difference, EventRole role) {
  DiffSide side;
  for (const Event& event : difference.events) {
    if (event.role != role) continue;
    side.event = difference.strings[event.name];
    side.unit = difference.strings[event.unit];
  }
  side.samples = effective_samples(difference, role);
  return side;
}

bool has_thread_roots(const Profile& profile, const FoldOptions& options) {
  return std::ranges::any_of(profile.threads, [&](const Thread& thread) {
    return !thread_root_name(profile, thread, options.root).empty();
  });
}

// Large changes first, then those that are large on either side.
auto rank(const Change& change, const DiffTable& table) {
  return std::tuple(-extent(change, table),
                    -std::max(change.before_share, change.after_share));
}

void compare_functions(DiffTable& table, const FlameGraph& graph,
                       const Judge& judge) {
  for (const NameWeight& row : sum_by_name(graph)) {
    if (row.total == 0 && row.before_total == 0) continue;
    table.functions.push_back({
        .name = row.name == StringId::kEmpty
                    ? "[no stack]"
                    : std::string(graph.strings[row.name]),
        .total = judge(row.before_total, row.total),
        .self = judge(row.before_self, row.self),
    });
  }
  std::ranges::sort(table.functions, {}, [&](const FunctionChange& row) {
    return std::pair(rank(row.total, table), std::string_view(row.name));
  });
}

void compare_stacks(DiffTable& table, const Judge& judge) {
  const FlameGraph& graph = table.graph;
  for (const NodeId id : graph.ids())
    if (graph.self[id] != 0 || graph.before_self[id] != 0)
      table.stacks.push_back(
          {id, judge(graph.before_self[id], graph.self[id])});
  std::ranges::stable_sort(table.stacks, {}, [&](const StackChange& row) {
    return rank(row.change, table);
  });
}

}  // namespace

DiffTable compare(const Profile& difference, const CompareOptions& options) {
  const Timer timer("compare");
  if (!is_difference(difference))
    fail("expected a difference, with two weights for each stack");
  FoldOptions by_stack = options.fold;
  by_stack.min_share = 0;
  by_stack.max_depth = INT_MAX - 1;
  FoldOptions by_function = by_stack;
  by_function.root = ThreadRoot::kNone;

  DiffTable table{
      .before = side_of(difference, EventRole::kBefore),
      .after = side_of(difference, EventRole::kAfter),
      .work = options.work.value_or(DiffWork{}),
      .shows_costs = options.work.has_value(),
      .is_absolute = options.scale == Scale::kAbsolute,
      .confidence = options.confidence,
      .z = normal_quantile(options.confidence),
      .graph = fold(difference, by_stack),
  };
  if (options.samples) {
    table.before.samples = options.samples->before;
    table.after.samples = options.samples->after;
  }
  table.before.weight = table.graph.before_total[NodeId::kRoot];
  table.after.weight = table.graph.total[NodeId::kRoot];
  const Judge judge(table);
  if (has_thread_roots(difference, by_stack))
    compare_functions(table, fold(difference, by_function), judge);
  else
    compare_functions(table, table.graph, judge);
  compare_stacks(table, judge);
  return table;
}

Change DiffTable::whole() const {
  return Judge(*this)(before.weight, after.weight);
}

double extent(const Change& change, const DiffTable& table) {
  return std::abs(table.shows_costs || table.is_absolute
                      ? cost_difference(change, table)
                      : change.points());
}

std::string stack_text(const FlameGraph& graph, NodeId leaf) {
  std::vector<std::string_view> names;
  for (NodeId at = leaf; at != NodeId::kRoot; at = graph.parent[at])
    names.push_back(graph.name_of(at));
  std::string out;
  for (const std::string_view name : names | std::views::reverse) {
    if (!out.empty()) out += ';';
    out += name;
  }
  return out;
}

}  // namespace wick
