// SPDX-License-Identifier: Apache-2.0
#include "render/page_stacks.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace wick {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

class Builder {
 public:
  Builder(const Profile& profile, const FoldOptions& options)
      : profile_(profile),
        options_(options),
        row_of_frame_(profile.frames.size(), kNone),
        root_of_thread_(profile.threads.size(), kNone) {}

  PageStacks run() {
    result_.node_of_sample.reserve(profile_.samples.size());
    for (const Sample& sample : profile_.samples)
      result_.node_of_sample.push_back(
          node_of(root_of(sample.thread), sample.stack));
    sort_functions();
    sort_frames();
    sort_nodes();
    return std::move(result_);
  }

 private:
  std::uint32_t function(std::string_view name) {
    return index(names_.intern(valid_utf8(name)));
  }

  std::uint32_t frame_row(const PageFrame& frame) {
    const std::uint64_t hash = hash_pair(
        hash_pair(std::uint64_t{frame.function} << 32 | frame.line,
                  std::uint64_t{index(frame.file)} << 32 | index(frame.module)),
        static_cast<std::uint64_t>(frame.kind));
    return frame_index_.find_or_add(
        hash, [&](std::uint32_t row) { return result_.frames[row] == frame; },
        [&] {
          result_.frames.push_back(frame);
          return static_cast<std::uint32_t>(result_.frames.size() - 1);
        });
  }

  std::uint32_t row_of(FrameId id) {
    std::uint32_t& row = row_of_frame_[id];
    if (row != kNone) return row;
    const Frame& frame = profile_.frames[id];
    row =
        frame_row({.function = function(frame_name(profile_, frame, options_)),
                   .file = frame.file,
                   .module = frame.module,
                   .line = frame.line,
                   .kind = frame.kind});
    return row;
  }

  // The node of a thread's root; threads of one name share it.
  std::uint32_t root_of(ThreadId thread) {
    std::uint32_t& root = root_of_thread_[thread];
    if (root != kNone) return root;
    const std::string name =
        thread_root_name(profile_, profile_.threads[thread], options_.root);
    root = name.empty() ? 0
                        : push(0, frame_row({.function = function(name),
                                             .kind = FrameKind::kLabel}));
    return root;
  }

  std::uint32_t push(std::uint32_t parent, std::uint32_t frame) {
    auto& nodes = result_.nodes;
    return node_index_.find_or_add(
        hash_pair(parent, frame),
        [&](std::uint32_t row) {
          return nodes[row].parent == parent && nodes[row].frame == frame;
        },
        [&] {
          nodes.push_back({parent, frame});
          depth_.push_back(depth_[parent] + 1);
          return static_cast<std::uint32_t>(nodes.size() - 1);
        });
  }

  // Stacks share their callers, so each is carried over once for each root.
  std::uint32_t node_of(std::uint32_t root, StackId stack) {
    pending_.clear();
    std::uint32_t node = root;
    for (; stack != StackId::kRoot; stack = profile_.stacks.parent(stack)) {
      const std::uint32_t row = known_index_.find(
          hash_pair(root, index(stack)), [&](std::uint32_t i) {
            return known_[i].stack == stack && known_[i].root == root;
          });
      if (row != HashIndex::kNone) {
        node = known_[row].node;
        break;
      }
      pending_.push_back(stack);
    }
    for (std::size_t i = pending_.size(); i-- > 0;) {
      if (depth_[node] >= static_cast<std::uint32_t>(options_.max_depth))
        ++result_.too_deep;
      else
        node = push(node, row_of(profile_.stacks.frame(pending_[i])));
      known_index_.find_or_add(
          hash_pair(root, index(pending_[i])),
          [](std::uint32_t) { return false; },
          [&] {
            known_.push_back({root, pending_[i], node});
            return static_cast<std::uint32_t>(known_.size() - 1);
          });
    }
    return node;
  }

  // rank[old] = new, where order[new] = old.
  static std::vector<std::uint32_t> ranks(
      const std::vector<std::uint32_t>& order, std::size_t count) {
    std::vector<std::uint32_t> rank(count);
    for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
    return rank;
  }
  static std::vector<std::uint32_t> first_numbers(std::size_t count) {
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    return numbers;
  }

  void sort_functions() {
    std::vector<std::uint32_t> order = first_numbers(names_.size());
    const auto text = [&](std::uint32_t i) { return names_[StringId{i}]; };
    // A table of strings always has the empty one.
    const bool has_empty = std::ranges::any_of(
        result_.frames, [](const PageFrame& f) { return f.function == 0; });
    if (!has_empty) order.erase(order.begin());
    std::ranges::sort(order, {}, text);
    for (const std::uint32_t i : order) result_.functions.emplace_back(text(i));
    const std::vector<std::uint32_t> rank = ranks(order, names_.size());
    for (PageFrame& frame : result_.frames)
      frame.function = rank[frame.function];
  }

  void sort_frames() {
    std::vector<std::uint32_t> order = first_numbers(result_.frames.size());
    std::ranges::sort(order, {},
                      [&](std::uint32_t i) { return result_.frames[i]; });
    std::vector<PageFrame> sorted;
    sorted.reserve(order.size());
    for (const std::uint32_t i : order) sorted.push_back(result_.frames[i]);
    result_.frames = std::move(sorted);
    const std::vector<std::uint32_t> rank = ranks(order, order.size());
    for (std::size_t i = 1; i < result_.nodes.size(); ++i)
      result_.nodes[i].frame = rank[result_.nodes[i].frame];
  }

  void sort_nodes() {
    std::vector<PageStacks::Node>& nodes = result_.nodes;
    const std::size_t count = nodes.size();
    // The children of each node, one after the other.
    std::vector<std::uint32_t> first(count + 1), children(count);
    for (std::size_t i = 1; i < count; ++i) ++first[nodes[i].parent + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (std::uint32_t i = 1; i < count; ++i)
      children[next[nodes[i].parent]++] = i;
    for (std::size_t i = 0; i < count; ++i)
      std::sort(children.begin() + first[i], children.begin() + first[i + 1],
                [&](std::uint32_t a, std::uint32_t b) {
                  return nodes[a].frame < nodes[b].frame;
                });

    std::vector<PageStacks::Node> sorted;
    sorted.reserve(count);
    std::vector<std::uint32_t> rank(count), open{0};
    while (!open.empty()) {
      const std::uint32_t id = open.back();
      open.pop_back();
      rank[id] = static_cast<std::uint32_t>(sorted.size());
      // The parent was met before, so its rank is known.
      sorted.push_back({rank[nodes[id].parent], nodes[id].frame});
      for (std::uint32_t i = first[id + 1]; i-- > first[id];)
        open.push_back(children[i]);
    }
    nodes = std::move(sorted);
    for (std::uint32_t& node : result_.node_of_sample) node = rank[node];
  }

  struct Known {
    std::uint32_t root;
    StackId stack;
    std::uint32_t node;
  };

  const Profile& profile_;
  const FoldOptions& options_;
  PageStacks result_{.nodes = {{}}};
  std::vector<std::uint32_t> depth_{0};
  StringTable names_;
  Column<FrameId, std::uint32_t> row_of_frame_;
  Column<ThreadId, std::uint32_t> root_of_thread_;
  HashIndex frame_index_, node_index_, known_index_;
  std::vector<Known> known_;
  std::vector<StackId> pending_;
};

}  // namespace

PageStacks page_stacks(const Profile& profile, const FoldOptions& options) {
  return Builder(profile, options).run();
}

}  // namespace wick
