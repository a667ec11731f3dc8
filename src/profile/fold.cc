// SPDX-License-Identifier: Apache-2.0
// How fold() works.
//
//   1. Sum the samples per (thread root, stack): the only loop over samples.
//   2. Carry the distinct stacks into a tree keyed by printed name (see
//      stack_tree.h). Reversed stacks share nothing with the stack table and
//      are pushed frame by frame.
//   3. Sum totals from the leaves up, drop what is too narrow, and put the rest
//      into preorder with siblings sorted by name.
//
// What is wide enough to be drawn is often a small part of a tree. Then its
// nodes are made from the root on, callees only of those that are drawn
// (add_wide()).
//
// If each name belongs to one frame (as in folded files, the widest inputs),
// the tree is the stack table itself, and step 3 comes before step 2: a picture
// of two million stack nodes then costs a few sums over columns.
#include "profile/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "base/bytes.h"
#include "base/metrics.h"
#include "base/text.h"
#include "profile/stack_path.h"
#include "profile/stack_sums.h"
#include "profile/stack_tree.h"

namespace wick {
namespace {

std::string_view annotation(FrameKind kind, const FoldOptions& options) {
  switch (kind) {
    case FrameKind::kInlined:
      return options.annotate_inlined ? "_[i]" : "";
    case FrameKind::kKernel:
      return options.annotate_kernel ? "_[k]" : "";
    case FrameKind::kJit:
    case FrameKind::kWasm:
      return options.annotate_jit ? "_[j]" : "";
    default:
      return "";
  }
}

// "[libc.so.6]" for a place whose module is all that is known;
// "[libc.so.6+0x27250]" if that and where its function begins is.
std::string unknown_name(const Profile& profile, const Frame& frame,
                         bool with_address) {
  const std::string_view path =
      profile.strings[profile.modules[frame.module].path];
  const std::string_view module = path.empty() ? "unknown" : base_name(path);
  if (with_address) return fmt::format("[{} <{:x}>]", module, frame.address);
  if (frame.function_start != 0)
    return fmt::format("[{}+{:#x}]", module, frame.function_start);
  return fmt::format("[{}]", module);
}

// Whether a name is what unknown_name(), perf or a reader prints for the lack
// of one: "[unknown]", "[libc.so.6]", "[libc.so.6+0x27250]", "0x7f12…".
bool stands_for_no_name(std::string_view name) {
  if (name.ends_with(']') && name.size() > 4 &&
      name.substr(name.size() - 4, 2) == "_[")
    name.remove_suffix(4);
  if (name.starts_with("0x")) return all_hex_digits(name.substr(2));
  if (!name.starts_with('[') || !name.ends_with(']')) return false;
  name = name.substr(1, name.size() - 2);
  const std::size_t plus = name.rfind("+0x");
  return name == "unknown" || name.starts_with('[') || name.ends_with(".so") ||
         name.find(".so.") != name.npos ||
         (name.ends_with('>') && name.find(" <") != name.npos) ||
         (plus != name.npos && all_hex_digits(name.substr(plus + 3)));
}

}  // namespace

bool is_unnamed(const Profile& profile, const Frame& frame) {
  if (frame.kind == FrameKind::kLabel || frame.kind == FrameKind::kOffCpu)
    return false;
  const std::string_view name = profile.strings[frame.function];
  return name.empty() || stands_for_no_name(name);
}

std::string frame_name(const Profile& profile, const Frame& frame,
                       const FoldOptions& options) {
  const auto& strings = profile.strings;
  const std::string_view function = strings[frame.function];
  // A label is in no file: "[blocked]" says more than "[unknown]".
  const std::string_view nowhere =
      frame.kind == FrameKind::kLabel ? function : "[unknown]";
  std::string name;
  switch (options.detail) {
    case NameDetail::kModule: {
      const std::string_view path = strings[profile.modules[frame.module].path];
      name = path.empty() ? nowhere : base_name(path);
      break;
    }
    case NameDetail::kFile:
      name = frame.file == StringId::kEmpty ? nowhere : strings[frame.file];
      break;
    case NameDetail::kLine:
    case NameDetail::kFunction:
      name = function.empty() && frame.kind != FrameKind::kLabel
                 ? unknown_name(profile, frame, options.addresses)
                 : std::string(function);
      if (options.detail == NameDetail::kLine && frame.file != StringId::kEmpty)
        name +=
            fmt::format(":{}:{}", base_name(strings[frame.file]), frame.line);
      break;
  }
  const std::string_view mark = annotation(frame.kind, options);
  if (!mark.empty() && !name.ends_with(mark)) name += mark;
  return name;
}

std::string thread_root_name(const Profile& profile, const Thread& thread,
                             ThreadRoot root) {
  if (root == ThreadRoot::kNone) return "";
  std::string name(profile.strings[thread.comm]);
  if (name.empty() && thread.pid == Thread::kUnknown &&
      thread.tid == Thread::kUnknown)
    return "";
  const auto number = [](std::int32_t id) {
    return id == Thread::kUnknown ? std::string("?") : std::to_string(id);
  };
  if (root != ThreadRoot::kComm) name += "-" + number(thread.pid);
  if (root == ThreadRoot::kCommPidTid) name += "/" + number(thread.tid);
  return name;
}

double FlameGraph::value(std::int64_t weight) const {
  return static_cast<double>(weight) /
         static_cast<double>(power_of_ten(decimals));
}

namespace {

// The weights of one stack under one thread root.
struct Entry {
  std::uint32_t root = 0;  // into the list of root names
  StackId stack = StackId::kRoot;
  StackWeights weights = {};
};

class Folder {
 public:
  Folder(const Profile& profile, const FoldOptions& options)
      : profile_(profile), options_(options) {}

  FlameGraph run() {
    graph_.is_chart = options_.flamechart;
    graph_.is_reversed = options_.reversed;
    describe_events();
    name_roots();
    name_frames();
    name_modules();
    if (options_.flamechart) {
      add_in_order();
    } else {
      sum_samples();
      std::ranges::stable_sort(entries_, {}, &Entry::root);
      if (can_prune_first())
        add_pruned();
      else if (can_descend())
        add_wide();
      else
        add_stacks();
    }
    finish();
    return std::move(graph_);
  }

 private:
  void describe_events() {
    graph_.is_difference = is_difference(profile_);
    for (const Event& event : profile_.events)
      graph_.decimals = std::max<int>(graph_.decimals, event.decimals);
    for (const Event& event : profile_.events)
      scale_.push_back(power_of_ten(graph_.decimals - event.decimals));
    const Event first =
        profile_.events.empty() ? Event{} : profile_.events[EventId{0}];
    graph_.event = profile_.strings[first.name];
    graph_.unit = profile_.strings[first.unit];
    if (graph_.unit.empty()) graph_.unit = "samples";
    graph_.diagnostics = profile_.diagnostics;
  }

  void name_roots() {
    HashIndex seen;
    for (const Thread& thread : profile_.threads) {
      const StringId name = graph_.strings.intern(
          thread_root_name(profile_, thread, options_.root));
      root_of_thread_.push_back(seen.find_or_add(
          hash_pair(index(name), 0),
          [&](std::uint32_t row) { return roots_[row] == name; },
          [&] {
            roots_.push_back(name);
            return static_cast<std::uint32_t>(roots_.size() - 1);
          }));
    }
  }

  void name_frames() {
    std::vector<bool> taken;
    for (const FrameId id : profile_.frames.ids()) {
      const Frame& frame = profile_.frames[id];
      const StringId name =
          graph_.strings.intern(frame_name(profile_, frame, options_));
      names_.push_back(name);
      unnamed_.push_back(is_unnamed(profile_, frame));
      taken.resize(graph_.strings.size());
      if (taken[index(name)]) one_name_one_frame_ = false;
      taken[index(name)] = true;
    }
  }

  void name_modules() {
    for (const Module& module : profile_.modules)
      modules_.push_back(
          graph_.strings.intern(base_name(profile_.strings[module.path])));
  }

  std::int64_t scaled(const Sample& sample) {
    return saturating_mul(sample.weight, scale_[sample.event]);
  }

  bool is_before(const Sample& sample) const {
    return profile_.events[sample.event].role == EventRole::kBefore;
  }

  void sum_samples() {
    HashIndex seen;
    for (const Sample& sample : profile_.samples) {
      const std::uint32_t root = root_of_thread_[sample.thread];
      const std::uint32_t row = seen.find_or_add(
          hash_pair(root, index(sample.stack)),
          [&](std::uint32_t i) {
            return entries_[i].stack == sample.stack &&
                   entries_[i].root == root;
          },
          [&] {
            entries_.push_back({root, sample.stack});
            return static_cast<std::uint32_t>(entries_.size() - 1);
          });
      StackWeights& weights = entries_[row].weights;
      std::int64_t& weight = is_before(sample) ? weights.before : weights.after;
      weight = saturating_add(weight, scaled(sample));
    }
    has_weightless_ = std::ranges::any_of(entries_, [](const Entry& entry) {
      return entry.weights.after == 0 && entry.weights.before == 0;
    });
  }

  void give(std::uint32_t node, const StackWeights& weights) {
    if (self_.size() < tree_.size()) {
      self_.resize(tree_.size());
      sampled_.resize(tree_.size());
    }
    self_[node].add(weights);
    sampled_[node] = true;
  }

  // Gives weight to nodes below `node` that are not drawn.
  void give_below(std::uint32_t node, const StackWeights& weights) {
    if (below_.size() < tree_.size()) below_.resize(tree_.size());
    below_[node].add(weights);
  }

  std::uint32_t key(FrameId frame) const { return index(names_[frame]); }

  std::uint32_t root_node(std::uint32_t root) {
    return roots_[root] == StringId::kEmpty
               ? StackTree::kRoot
               : tree_.push(StackTree::kRoot, index(roots_[root]));
  }

  // Whether the shortcut of the file comment applies: no name of several
  // frames, one thread root, no stacks of weight 0, and the usual order.
  bool can_prune_first() const {
    return !options_.reversed && one_name_one_frame_ && !has_weightless_ &&
           !entries_.empty() &&
           std::ranges::all_of(entries_, [&](const Entry& entry) {
             return entry.root == entries_.front().root;
           });
  }

  Column<StackId, std::int64_t> totals_of(
      std::int64_t StackWeights::*side) const {
    const StackTable& stacks = profile_.stacks;
    Column<StackId, std::int64_t> total(stacks.size());
    for (const Entry& entry : entries_)
      total[entry.stack] =
          saturating_add(total[entry.stack], entry.weights.*side);
    for (const StackId id : stacks.ids() | std::views::reverse)
      if (id != StackId::kRoot)
        total[stacks.parent(id)] =
            saturating_add(total[stacks.parent(id)], total[id]);
    return total;
  }

  // The width of each stack: in a difference, the total of the larger side.
  Column<StackId, std::int64_t> widths() const {
    Column<StackId, std::int64_t> total = totals_of(&StackWeights::after);
    if (!graph_.is_difference) return total;
    const Column<StackId, std::int64_t> before =
        totals_of(&StackWeights::before);
    for (const StackId id : profile_.stacks.ids())
      total[id] = std::max(total[id], before[id]);
    return total;
  }

  void add_pruned() {
    const StackTable& stacks = profile_.stacks;
    const Column<StackId, std::int64_t> widths = this->widths();
    const double least =
        options_.min_share * static_cast<double>(widths[StackId::kRoot]);
    // The node of a stack or, with the bit kBelow, of its nearest drawn caller.
    constexpr std::uint32_t kBelow = 0x80000000;
    Column<StackId, std::uint32_t> node_of(stacks.size());
    node_of[StackId::kRoot] = root_node(entries_.front().root);
    std::uint64_t hidden = 0;
    for (const StackId id : stacks.ids()) {
      if (id == StackId::kRoot || widths[id] == 0) continue;
      const std::uint32_t parent = node_of[stacks.parent(id)];
      if ((parent & kBelow) != 0 || static_cast<double>(widths[id]) < least) {
        ++hidden;
        node_of[id] = parent | kBelow;
        continue;
      }
      const FrameId frame = stacks.frame(id);
      node_of[id] = tree_.append(parent, key(frame), frame);
    }
    for (const Entry& entry : entries_) {
      const std::uint32_t node = node_of[entry.stack] & ~kBelow;
      if (node == node_of[entry.stack])
        give(node, entry.weights);
      else
        give_below(node, entry.weights);
    }
    graph_.diagnostics.note(Problem::kHiddenNarrow, hidden);
  }

  // Whether nodes can be made from the root on, only where they are wide: every
  // node needs a weight, and a thread root its own node.
  bool can_descend() const {
    return !options_.reversed && options_.min_share > 0 && !has_weightless_ &&
           std::ranges::all_of(entries_, [&](const Entry& entry) {
             return roots_[entry.root] != StringId::kEmpty ||
                    entry.root == entries_.front().root;
           });
  }

  void add_wide() {
    StackWeights whole;
    for (const Entry& entry : entries_) whole.add(entry.weights);
    const double least = options_.min_share * width(whole);
    StackSums sums(profile_.stacks);
    std::uint64_t hidden = 0;
    for (auto begin = entries_.begin(); begin != entries_.end();) {
      const std::uint32_t root = begin->root;
      sums.clear();
      for (; begin != entries_.end() && begin->root == root; ++begin)
        sums.add(begin->stack, begin->weights);
      sums.sum();
      hidden += descend(sums, root_node(root), least);
    }
    graph_.diagnostics.note(Problem::kHiddenNarrow, hidden);
  }

  // Makes the nodes below `root` that are at least so wide; how many narrow
  // ones they call.
  std::uint64_t descend(const StackSums& sums, std::uint32_t root,
                        double least) {
    // Nodes whose callees are to come, and the rows that have their names: of
    // the last node, the last ones.
    struct Pending {
      std::uint32_t node;
      std::size_t first_row;
    };
    std::vector<Pending> pending{{root, 0}};
    std::vector<std::uint32_t> rows{StackSums::kRoot};
    std::vector<NamedRow> callees;
    std::uint64_t hidden = 0;
    while (!pending.empty()) {
      const auto [node, first_row] = pending.back();
      pending.pop_back();
      callees.clear();
      const bool is_drawn = width(total_of(sums, rows, first_row)) >= least &&
                            tree_.nodes()[node].depth <= max_depth();
      for (std::size_t i = first_row; i < rows.size(); ++i)
        if (is_drawn)
          take_row(sums, rows[i], node, callees);
        else
          give_below(node, sums[rows[i]].total);
      rows.resize(first_row);
      std::ranges::sort(callees);
      for (auto at = callees.begin(); at != callees.end();) {
        const NamedRow first = *at;
        const std::size_t begin = rows.size();
        for (; at != callees.end() && at->key == first.key; ++at)
          rows.push_back(at->row);
        const StackWeights total = total_of(sums, rows, begin);
        if (width(total) >= least) {
          const FrameId frame = profile_.stacks.frame(sums[first.row].stack);
          pending.push_back({tree_.append(node, first.key, frame), begin});
        } else {
          ++hidden;
          give_below(node, total);
          rows.resize(begin);
        }
      }
    }
    return hidden;
  }

  struct NamedRow {
    std::uint32_t key, row;
    friend auto operator<=>(const NamedRow&, const NamedRow&) = default;
  };

  void take_row(const StackSums& sums, std::uint32_t row, std::uint32_t node,
                std::vector<NamedRow>& callees) {
    give(node, sums[row].self);
    for (std::uint32_t callee = sums[row].first_callee;
         callee != StackSums::kNone; callee = sums[callee].next)
      callees.push_back(
          {key(profile_.stacks.frame(sums[callee].stack)), callee});
  }

  static StackWeights total_of(const StackSums& sums,
                               const std::vector<std::uint32_t>& rows,
                               std::size_t first) {
    StackWeights total;
    for (std::size_t i = first; i < rows.size(); ++i)
      total.add(sums[rows[i]].total);
    return total;
  }

  static double width(const StackWeights& total) {
    return static_cast<double>(std::max(total.after, total.before));
  }

  std::uint32_t max_depth() const {
    return static_cast<std::uint32_t>(options_.max_depth);
  }

  void add_stacks() {
    StackCarrier carrier(tree_, profile_.stacks);
    const auto key_of = [this](FrameId frame) { return key(frame); };
    for (const Entry& entry : entries_) {
      const std::uint32_t node =
          options_.reversed
              ? push_reversed(entry)
              : carrier.carry(root_node(entry.root), entry.stack, key_of);
      give(node, entry.weights);
    }
  }

  std::uint32_t push_reversed(const Entry& entry) {
    std::uint32_t node = StackTree::kRoot;
    count_steps(profile_.stacks.depth(entry.stack));
    for (StackId id = entry.stack; id != StackId::kRoot;
         id = profile_.stacks.parent(id)) {
      const FrameId frame = profile_.stacks.frame(id);
      node = tree_.push(node, key(frame), frame);
    }
    if (roots_[entry.root] != StringId::kEmpty)
      node = tree_.push(node, index(roots_[entry.root]));
    return node;
  }

  // A flame chart: each thread's samples in their order. The frames that a
  // sample shares with the one before it are nodes that grow wider.
  void add_in_order() {
    std::vector<std::vector<const Sample*>> lanes(roots_.size());
    for (const Sample& sample : profile_.samples)
      lanes[root_of_thread_[sample.thread]].push_back(&sample);
    StackPath frames(profile_.stacks,
                     [this](FrameId frame) { return key(frame); });
    std::vector<std::uint32_t> path;
    std::int64_t now = 0;
    const auto begins_now = [&](std::uint32_t node) {
      start_.resize(tree_.size());
      start_[node] = now;
    };
    for (std::uint32_t root = 0; root < roots_.size(); ++root) {
      if (lanes[root].empty()) continue;
      const std::uint32_t lane = root_node(root);
      if (lane != 0) begins_now(lane);
      frames.clear();
      path.assign(1, lane);
      for (const Sample* sample : lanes[root]) {
        path.resize(frames.move_to(sample->stack) + std::size_t{1});
        for (const FrameId frame : frames.new_frames()) {
          path.push_back(tree_.append(path.back(), key(frame), frame));
          begins_now(path.back());
        }
        StackWeights weights;
        (is_before(*sample) ? weights.before : weights.after) = scaled(*sample);
        give(path.back(), weights);
        now = saturating_add(now, weights.after);
      }
    }
  }

  // Step 3 of the file comment.
  void finish() {
    self_.resize(tree_.size());
    sampled_.resize(tree_.size());
    below_.resize(tree_.size());
    start_.resize(tree_.size());
    std::vector<StackWeights> total(tree_.size());
    for (std::size_t i = tree_.size(); i-- > 0;) {
      total[i].add(self_[i]);
      total[i].add(below_[i]);
      if (i > 0) total[tree_.nodes()[i].parent].add(total[i]);
    }
    if (total[0].after == INT64_MAX)
      graph_.diagnostics.note(Problem::kOverflow);
    emit(total);
  }

  // Puts the nodes that are drawn into the graph, in preorder.
  void emit(const std::vector<StackWeights>& total) {
    const double least = options_.min_share * width(total[StackTree::kRoot]);
    const StackTree::Children children = sorted_children();
    struct Pending {
      std::uint32_t node;
      NodeId parent;
    };
    std::vector<Pending> stack{{StackTree::kRoot, NodeId::kRoot}};
    std::uint64_t narrow = 0, deep = 0;
    while (!stack.empty()) {
      const auto [node, parent] = stack.back();
      stack.pop_back();
      if (node != StackTree::kRoot && width(total[node]) < least) {
        ++narrow;
        continue;
      }
      if (tree_.nodes()[node].depth > max_depth()) {
        ++deep;
        take_over(parent, total[node]);
        continue;
      }
      const NodeId id = add_node(node, parent, total[node]);
      for (std::uint32_t c = children.first[node + 1];
           c-- > children.first[node];)
        stack.push_back({children.ids[c], id});
    }
    graph_.diagnostics.note(Problem::kHiddenNarrow, narrow);
    graph_.diagnostics.note(Problem::kDeepStack, deep);
  }

  NodeId add_node(std::uint32_t node, NodeId parent,
                  const StackWeights& total) {
    const StackTree::Node& from = tree_.nodes()[node];
    const NodeId id = graph_.parent.push_back(parent);
    graph_.name.push_back(StringId{from.key});
    if (from.frame == StackTree::kNoFrame) {
      if (id != NodeId::kRoot) graph_.threads.push_back(id);
      graph_.kind.push_back(FrameKind::kLabel);
      graph_.unnamed.push_back(false);
      graph_.module.push_back(StringId::kEmpty);
    } else {
      const Frame& frame = profile_.frames[from.frame];
      graph_.kind.push_back(frame.kind);
      graph_.unnamed.push_back(unnamed_[from.frame]);
      graph_.module.push_back(modules_[frame.module]);
    }
    graph_.self.push_back(self_[node].after);
    graph_.total.push_back(total.after);
    if (has_weightless_) graph_.sampled.push_back(sampled_[node]);
    if (graph_.is_difference) {
      graph_.before_self.push_back(self_[node].before);
      graph_.before_total.push_back(total.before);
    }
    if (graph_.is_chart) graph_.start.push_back(start_[node]);
    return id;
  }

  // Makes the weight of a callee that is left out the node's own.
  void take_over(NodeId node, const StackWeights& total) {
    std::int64_t& self = graph_.self[node];
    self = saturating_add(self, total.after);
    if (has_weightless_) graph_.sampled[node] = true;
    if (!graph_.is_difference) return;
    std::int64_t& before = graph_.before_self[node];
    before = saturating_add(before, total.before);
  }

  // By name, or in the order of their creation in a chart.
  StackTree::Children sorted_children() const {
    if (options_.flamechart) return tree_.children();
    std::vector<StringId> by_name;
    for (const StringId id : graph_.strings.ids()) by_name.push_back(id);
    std::ranges::sort(by_name, {},
                      [&](StringId id) { return graph_.strings[id]; });
    std::vector<std::uint32_t> rank(by_name.size());
    for (std::uint32_t i = 0; i < by_name.size(); ++i)
      rank[index(by_name[i])] = i;
    return tree_.children_by(rank);
  }

  const Profile& profile_;
  const FoldOptions& options_;
  FlameGraph graph_;
  Column<EventId, std::int64_t> scale_;
  std::vector<StringId> roots_;
  Column<ThreadId, std::uint32_t> root_of_thread_;
  Column<FrameId, StringId> names_;
  Column<FrameId, bool> unnamed_;
  Column<ModuleId, StringId> modules_;
  bool one_name_one_frame_ = true;
  bool has_weightless_ = false;
  std::vector<Entry> entries_;
  StackTree tree_;  // keys are StringIds of graph_
  // Of the nodes of tree_; they may be shorter until finish().
  std::vector<StackWeights> self_, below_;
  std::vector<bool> sampled_;
  std::vector<std::int64_t> start_;  // of a chart's nodes
};

}  // namespace

FlameGraph fold(const Profile& profile, const FoldOptions& options) {
  const Timer timer("fold");
  return Folder(profile, options).run();
}

std::string check(const FlameGraph& g) {
  if (g.size() == 0) return "there is no root";
  Column<NodeId, std::int64_t> children(g.size());
  for (const NodeId id : g.ids()) {
    if (id == NodeId::kRoot) continue;
    if (g.parent[id] >= id)
      return fmt::format("node {} comes before its parent", index(id));
    if (!g.strings.contains(g.name[id]))
      return fmt::format("node {} has no name", index(id));
    children[g.parent[id]] =
        saturating_add(children[g.parent[id]], g.total[id]);
  }
  for (const NodeId id : g.ids())
    if (saturating_add(children[id], g.self[id]) > g.total[id])
      return fmt::format("node {} is smaller than its parts", index(id));
  return "";
}

}  // namespace wick
