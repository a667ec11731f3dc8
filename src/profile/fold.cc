// SPDX-License-Identifier: Apache-2.0
// How fold() works.
//
//   1. Sum the samples per (thread root, stack): the only loop over samples.
//   2. Carry the distinct stacks that have weight into a tree keyed by printed
//      name. Stacks share their callers, so each stack node is looked up once
//      per thread root, not once per sample. Reversed stacks share nothing with
//      the table and are pushed frame by frame.
//   3. Sum totals from the leaves up, drop what is too narrow, and put the rest
//      into preorder with siblings sorted by name.
//
// Where one name stands for one frame (folded files, the widest inputs there
// are), the tree is the stack table itself, and step 3 comes before step 2: a
// picture of two million stack nodes then costs a few sums over columns.
#include "profile/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "base/bytes.h"
#include "base/metrics.h"
#include "base/text.h"

namespace wick {
namespace {

std::string_view annotation(FrameKind kind, const FoldOptions& options) {
  switch (kind) {
    case FrameKind::kInlined:
      return options.annotate_inlined ? "_[i]" : "";
    case FrameKind::kKernel:
      return options.annotate_kernel ? "_[k]" : "";
    case FrameKind::kJit:
      return options.annotate_jit ? "_[j]" : "";
    default:
      return "";
  }
}

// "[libc.so.6]" for a place of which only the module is known.
std::string unknown_name(const Profile& profile, const Frame& frame,
                         bool with_address) {
  const std::string_view path =
      profile.strings[profile.modules[frame.module].path];
  const std::string_view module = path.empty() ? "unknown" : base_name(path);
  if (with_address) return fmt::format("[{} <{:x}>]", module, frame.address);
  return fmt::format("[{}]", module);
}

}  // namespace

std::string frame_name(const Profile& profile, const Frame& frame,
                       const FoldOptions& options) {
  const auto& strings = profile.strings;
  const std::string_view function = strings[frame.function];
  std::string name;
  switch (options.detail) {
    case NameDetail::kModule: {
      const std::string_view path = strings[profile.modules[frame.module].path];
      name = path.empty() ? "[unknown]" : std::string(base_name(path));
      break;
    }
    case NameDetail::kFile:
      name = frame.file == StringId::kEmpty ? "[unknown]"
                                            : std::string(strings[frame.file]);
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

// Weight of one stack under one thread root.
struct Entry {
  std::uint32_t root = 0;  // into the list of root names
  StackId stack = StackId::kRoot;
  std::int64_t after = 0, before = 0;
};

// The tree while it is built: nodes keyed by (parent, name), in any order as
// long as parents come first.
struct Tree {
  struct Node {
    std::uint32_t parent;
    StringId name;
    FrameKind kind;
  };
  std::vector<Node> nodes{{0, StringId::kEmpty, FrameKind::kLabel}};
  std::vector<std::int64_t> self{0}, before{0};
  std::vector<bool> sampled{false};
  std::vector<std::int64_t> start;  // of a chart's nodes
  HashIndex index;

  std::uint32_t append(std::uint32_t parent, StringId name, FrameKind kind) {
    nodes.push_back({parent, name, kind});
    self.push_back(0);
    before.push_back(0);
    sampled.push_back(false);
    return static_cast<std::uint32_t>(nodes.size() - 1);
  }
  std::uint32_t push(std::uint32_t parent, StringId name, FrameKind kind) {
    return index.find_or_add(
        hash_pair(parent, wick::index(name)),
        [&](std::uint32_t row) {
          return nodes[row].parent == parent && nodes[row].name == name;
        },
        [&] { return append(parent, name, kind); });
  }
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
    if (options_.flamechart) {
      add_in_order();
    } else {
      sum_samples();
      if (!add_pruned()) add_stacks();
    }
    finish();
    return std::move(graph_);
  }

 private:
  void describe_events() {
    for (const Event& event : profile_.events) {
      if (event.role != EventRole::kPlain) graph_.is_difference = true;
      graph_.decimals = std::max<int>(graph_.decimals, event.decimals);
    }
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
      taken.resize(graph_.strings.size());
      if (taken[index(name)]) one_name_one_frame_ = false;
      taken[index(name)] = true;
    }
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
      std::int64_t& weight =
          is_before(sample) ? entries_[row].before : entries_[row].after;
      weight = saturating_add(weight, scaled(sample));
    }
    has_weightless_ = std::ranges::any_of(entries_, [](const Entry& entry) {
      return entry.after == 0 && entry.before == 0;
    });
  }

  static void give(Tree& tree, std::uint32_t node, const Entry& entry) {
    tree.self[node] = saturating_add(tree.self[node], entry.after);
    tree.before[node] = saturating_add(tree.before[node], entry.before);
    tree.sampled[node] = true;
  }

  std::uint32_t root_node(std::uint32_t root) {
    return roots_[root] == StringId::kEmpty
               ? 0
               : tree_.push(0, roots_[root], FrameKind::kLabel);
  }

  // The shortcut of the file comment. Returns false where it does not apply:
  // names stand for several frames, several thread roots, stacks of weight 0,
  // or another order.
  bool add_pruned() {
    if (options_.reversed || !one_name_one_frame_ || has_weightless_)
      return false;
    for (const Entry& entry : entries_)
      if (entry.root != entries_.front().root) return false;
    if (entries_.empty()) return false;
    const StackTable& stacks = profile_.stacks;
    const auto totals_of = [&](std::int64_t Entry::*weight) {
      Column<StackId, std::int64_t> total(stacks.size());
      for (const Entry& entry : entries_)
        total[entry.stack] = saturating_add(total[entry.stack], entry.*weight);
      for (const StackId id : stacks.ids() | std::views::reverse)
        if (id != StackId::kRoot)
          total[stacks.parent(id)] =
              saturating_add(total[stacks.parent(id)], total[id]);
      return total;
    };
    // The larger side decides what is drawn of a difference.
    Column<StackId, std::int64_t> total = totals_of(&Entry::after);
    if (graph_.is_difference) {
      const Column<StackId, std::int64_t> before = totals_of(&Entry::before);
      for (const StackId id : stacks.ids())
        total[id] = std::max(total[id], before[id]);
    }

    const double least =
        options_.min_share * static_cast<double>(total[StackId::kRoot]);
    // The node of a stack, or with the bit kBelow that of its nearest caller
    // which is drawn.
    constexpr std::uint32_t kBelow = 0x80000000;
    Column<StackId, std::uint32_t> node_of(stacks.size());
    node_of[StackId::kRoot] = root_node(entries_.front().root);
    std::uint64_t hidden = 0;
    for (const StackId id : stacks.ids()) {
      if (id == StackId::kRoot || total[id] == 0) continue;
      const std::uint32_t parent = node_of[stacks.parent(id)];
      if ((parent & kBelow) != 0 || static_cast<double>(total[id]) < least) {
        ++hidden;
        node_of[id] = parent | kBelow;
        continue;
      }
      const FrameId frame = stacks.frame(id);
      node_of[id] =
          tree_.append(parent, names_[frame], profile_.frames[frame].kind);
    }
    for (const Entry& entry : entries_) {
      const std::uint32_t node = node_of[entry.stack] & ~kBelow;
      if (node == node_of[entry.stack])
        give(tree_, node, entry);
      else
        give_below(node, entry);
    }
    graph_.diagnostics.note(Problem::kHiddenNarrow, hidden);
    return true;
  }

  // Weight that lies under a node in nodes that are not drawn.
  struct Below {
    std::int64_t after = 0, before = 0;
  };
  void give_below(std::uint32_t node, const Entry& entry) {
    if (below_.size() < tree_.nodes.size()) below_.resize(tree_.nodes.size());
    Below& below = below_[node];
    below.after = saturating_add(below.after, entry.after);
    below.before = saturating_add(below.before, entry.before);
  }

  void add_stacks() {
    std::ranges::stable_sort(entries_, {}, &Entry::root);
    // The tree node of each stack under the current root; `mapped_for` says
    // for which root that is.
    Column<StackId, std::uint32_t> node_of(profile_.stacks.size());
    Column<StackId, std::uint32_t> mapped_for(profile_.stacks.size(),
                                              0xffffffff);
    for (const Entry& entry : entries_) {
      const std::uint32_t node = options_.reversed
                                     ? push_reversed(entry)
                                     : push_stack(entry, node_of, mapped_for);
      give(tree_, node, entry);
    }
  }

  std::uint32_t push_frame(std::uint32_t parent, FrameId frame) {
    return tree_.push(parent, names_[frame], profile_.frames[frame].kind);
  }

  std::uint32_t push_reversed(const Entry& entry) {
    std::uint32_t node = 0;
    for (StackId id = entry.stack; id != StackId::kRoot;
         id = profile_.stacks.parent(id))
      node = push_frame(node, profile_.stacks.frame(id));
    if (roots_[entry.root] != StringId::kEmpty)
      node = tree_.push(node, roots_[entry.root], FrameKind::kLabel);
    return node;
  }

  std::uint32_t push_stack(const Entry& entry,
                           Column<StackId, std::uint32_t>& node_of,
                           Column<StackId, std::uint32_t>& mapped_for) {
    const StackTable& stacks = profile_.stacks;
    pending_.clear();
    StackId id = entry.stack;
    while (id != StackId::kRoot && mapped_for[id] != entry.root) {
      pending_.push_back(id);
      id = stacks.parent(id);
    }
    std::uint32_t node =
        id == StackId::kRoot ? root_node(entry.root) : node_of[id];
    for (const StackId next : pending_ | std::views::reverse) {
      node = push_frame(node, stacks.frame(next));
      node_of[next] = node;
      mapped_for[next] = entry.root;
    }
    return node;
  }

  // A flame chart: each thread's samples in their order; what a sample has in
  // common with the one before it is one node that grows wider.
  void add_in_order() {
    std::vector<std::vector<const Sample*>> lanes(roots_.size());
    for (const Sample& sample : profile_.samples)
      lanes[root_of_thread_[sample.thread]].push_back(&sample);
    std::vector<FrameId> frames, previous;
    std::vector<std::uint32_t> path;
    std::int64_t now = 0;
    const auto begins_now = [&](std::uint32_t node) {
      tree_.start.resize(tree_.nodes.size());
      tree_.start[node] = now;
    };
    for (std::uint32_t root = 0; root < roots_.size(); ++root) {
      if (lanes[root].empty()) continue;
      const std::uint32_t lane = root_node(root);
      if (lane != 0) begins_now(lane);
      previous.clear();
      path.assign(1, lane);
      for (const Sample* sample : lanes[root]) {
        profile_.stacks.frames_of(sample->stack, frames);
        std::size_t same = 0;
        while (same < frames.size() && same < previous.size() &&
               names_[frames[same]] == names_[previous[same]])
          ++same;
        path.resize(same + 1);
        for (std::size_t i = same; i < frames.size(); ++i) {
          path.push_back(tree_.append(path.back(), names_[frames[i]],
                                      profile_.frames[frames[i]].kind));
          begins_now(path.back());
        }
        Entry entry;
        (is_before(*sample) ? entry.before : entry.after) = scaled(*sample);
        give(tree_, path.back(), entry);
        now = saturating_add(now, entry.after);
        std::swap(frames, previous);
      }
    }
  }

  // Step 3 of the file comment.
  void finish() {
    const std::size_t count = tree_.nodes.size();
    below_.resize(count);
    std::vector<std::int64_t> total(count), before(count);
    for (std::size_t i = 0; i < count; ++i) {
      total[i] = saturating_add(tree_.self[i], below_[i].after);
      before[i] = saturating_add(tree_.before[i], below_[i].before);
    }
    for (std::size_t i = count; i-- > 1;) {
      const std::uint32_t parent = tree_.nodes[i].parent;
      total[parent] = saturating_add(total[parent], total[i]);
      before[parent] = saturating_add(before[parent], before[i]);
    }
    if (total[0] == INT64_MAX) graph_.diagnostics.note(Problem::kOverflow);
    emit(total, before);
  }

  void emit(const std::vector<std::int64_t>& total,
            const std::vector<std::int64_t>& before) {
    const std::size_t count = tree_.nodes.size();
    std::vector<std::uint32_t> first(count + 1);  // of a node's children
    for (std::size_t i = 1; i < count; ++i) ++first[tree_.nodes[i].parent + 1];
    for (std::size_t i = 0; i < count; ++i) first[i + 1] += first[i];
    const std::vector<std::uint32_t> children = sorted_children(first);

    const double least =
        options_.min_share * static_cast<double>(std::max(total[0], before[0]));
    struct Pending {
      std::uint32_t node;
      NodeId parent;
      int depth;
    };
    std::vector<Pending> stack{{0, NodeId::kRoot, 0}};
    std::uint64_t narrow = 0, deep = 0;
    while (!stack.empty()) {
      const Pending next = stack.back();
      stack.pop_back();
      const std::size_t i = next.node;
      if (i != 0 &&
          static_cast<double>(std::max(total[i], before[i])) < least) {
        ++narrow;
        continue;
      }
      if (next.depth > options_.max_depth) {
        ++deep;
        continue;
      }
      const NodeId id = graph_.parent.push_back(next.parent);
      graph_.name.push_back(tree_.nodes[i].name);
      graph_.kind.push_back(tree_.nodes[i].kind);
      graph_.self.push_back(tree_.self[i]);
      graph_.total.push_back(total[i]);
      if (has_weightless_) graph_.sampled.push_back(tree_.sampled[i]);
      if (graph_.is_difference) {
        graph_.before_self.push_back(tree_.before[i]);
        graph_.before_total.push_back(before[i]);
      }
      if (graph_.is_chart)
        graph_.start.push_back(i < tree_.start.size() ? tree_.start[i] : 0);
      for (std::uint32_t c = first[i + 1]; c-- > first[i];)
        stack.push_back({children[c], id, next.depth + 1});
    }
    graph_.diagnostics.note(Problem::kHiddenNarrow, narrow);
    graph_.diagnostics.note(Problem::kDeepStack, deep);
  }

  // The children of all nodes, grouped by parent as `first` says; within a
  // group by name, or in the order of their creation in a chart.
  std::vector<std::uint32_t> sorted_children(
      const std::vector<std::uint32_t>& first) {
    const std::size_t count = tree_.nodes.size();
    std::vector<std::uint32_t> children(count - 1);
    std::vector<std::uint32_t> next = first;
    for (std::uint32_t i = 1; i < count; ++i)
      children[next[tree_.nodes[i].parent]++] = i;
    if (options_.flamechart) return children;

    std::vector<StringId> by_name;
    for (const StringId id : graph_.strings.ids()) by_name.push_back(id);
    std::ranges::sort(by_name, {},
                      [&](StringId id) { return graph_.strings[id]; });
    std::vector<std::uint32_t> rank(by_name.size());
    for (std::uint32_t i = 0; i < by_name.size(); ++i)
      rank[index(by_name[i])] = i;
    for (std::size_t i = 0; i < count; ++i)
      if (first[i + 1] - first[i] > 1)
        std::sort(children.begin() + first[i], children.begin() + first[i + 1],
                  [&](std::uint32_t a, std::uint32_t b) {
                    return rank[index(tree_.nodes[a].name)] <
                           rank[index(tree_.nodes[b].name)];
                  });
    return children;
  }

  const Profile& profile_;
  const FoldOptions& options_;
  FlameGraph graph_;
  Column<EventId, std::int64_t> scale_;
  std::vector<StringId> roots_;
  Column<ThreadId, std::uint32_t> root_of_thread_;
  Column<FrameId, StringId> names_;
  bool one_name_one_frame_ = true;
  bool has_weightless_ = false;
  std::vector<Entry> entries_;
  Tree tree_;
  std::vector<Below> below_;
  std::vector<StackId> pending_;
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
      return fmt::format("node {} stands before its parent", index(id));
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
