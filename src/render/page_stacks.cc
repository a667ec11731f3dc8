// SPDX-License-Identifier: Apache-2.0
#include "render/page_stacks.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/hash_index.h"
#include "base/text.h"
#include "profile/stack_tree.h"

namespace wick {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;
// Marks the number of a name in thread_names_, until names are sorted.
constexpr std::uint32_t kThread = 0x80000000;

class Builder {
 public:
  Builder(const Profile& profile, const FoldOptions& options,
          std::span<const FunctionCode> code)
      : profile_(profile),
        options_(options),
        code_(code),
        row_of_frame_(profile.frames.size(), kNone),
        root_of_thread_(profile.threads.size(), kNone) {}

  PageStacks run() {
    carry_samples();
    sort_functions();
    sort_frames();
    sort_nodes();
    return std::move(result_);
  }

 private:
  std::uint32_t function(std::string_view name) {
    return index(names_.intern(valid_utf8(name)));
  }

  std::uint32_t thread_name(std::string_view name) {
    return index(thread_names_.intern(valid_utf8(name))) | kThread;
  }

  std::uint32_t frame_row(const PageFrame& frame) {
    const std::uint64_t hash = hash_pair(
        hash_pair(std::uint64_t{frame.function} << 32 | frame.line,
                  std::uint64_t{index(frame.file)} << 32 | index(frame.module)),
        hash_pair(static_cast<std::uint64_t>(frame.kind) << 1 | frame.unnamed,
                  std::uint64_t{frame.code} << 32 | frame.offset));
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
                   .kind = frame.kind,
                   .unnamed = is_unnamed(profile_, frame)});
    return row;
  }

  // Samples of one thread root come one after the other, as StackCarrier needs.
  void carry_samples() {
    const std::vector<Sample>& samples = profile_.samples;
    std::vector<std::uint32_t> order = first_numbers(samples.size());
    std::ranges::stable_sort(
        order, {}, [&](std::uint32_t i) { return root_of(samples[i].thread); });
    StackCarrier carrier(tree_, profile_.stacks,
                         static_cast<std::uint32_t>(options_.max_depth));
    result_.node_of_sample.resize(samples.size());
    for (const std::uint32_t i : order) {
      const StackId stack = samples[i].stack;
      std::uint32_t& node = result_.node_of_sample[i];
      node = carrier.carry(root_of(samples[i].thread), stack,
                           [this](FrameId frame) { return row_of(frame); });
      if (!code_.empty() && stack != StackId::kRoot)
        node = at_instruction(node, profile_.stacks.frame(stack));
    }
    result_.too_deep = carrier.too_deep();
  }

  // The node of the instruction at which the stack of `node` ends, or `node`.
  std::uint32_t at_instruction(std::uint32_t node, FrameId leaf) {
    const Frame& frame = profile_.frames[leaf];
    if (frame.address == 0 || frame.module == ModuleId::kUnknown) return node;
    // A stack that was cut ends elsewhere.
    if (tree_.nodes()[node].key != row_of(leaf)) return node;
    const auto found = std::ranges::find_if(
        code_, [&](const FunctionCode& code) { return code.covers(frame); });
    if (found == code_.end()) return node;
    PageFrame place = result_.frames[row_of(leaf)];
    place.code = static_cast<std::uint32_t>(found - code_.begin()) + 1;
    place.offset = instruction_at(*found, frame.address - found->start);
    return tree_.push(tree_.nodes()[node].parent, frame_row(place), leaf);
  }

  // The offset of the instruction that has the byte at `offset`.
  static std::uint32_t instruction_at(const FunctionCode& code,
                                      std::uint64_t offset) {
    const auto after = std::ranges::upper_bound(
        code.instructions, offset, {}, &FunctionCode::Instruction::offset);
    return after == code.instructions.begin() ? 0 : std::prev(after)->offset;
  }

  // The node of a thread's root; threads of one name share it.
  std::uint32_t root_of(ThreadId thread) {
    std::uint32_t& root = root_of_thread_[thread];
    if (root != kNone) return root;
    const std::string name =
        thread_root_name(profile_, profile_.threads[thread], options_.root);
    root = name.empty() ? StackTree::kRoot
                        : tree_.push(StackTree::kRoot,
                                     frame_row({.function = thread_name(name),
                                                .kind = FrameKind::kLabel}));
    return root;
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
    struct Name {
      std::string_view text;
      std::uint32_t number = 0;  // with kThread, if it is a thread's
    };
    std::vector<Name> all;
    for (const StringId id : names_.ids())
      all.push_back({names_[id], index(id)});
    for (const StringId id : thread_names_.ids())
      if (id != StringId::kEmpty)
        all.push_back({thread_names_[id], index(id) | kThread});
    // A table of strings always has the empty one.
    const bool has_empty = std::ranges::any_of(
        result_.frames, [](const PageFrame& f) { return f.function == 0; });
    if (!has_empty) all.erase(all.begin());
    std::ranges::sort(all, {}, [](const Name& name) {
      return std::pair(name.text, name.number);
    });
    std::vector<std::uint32_t> rank(names_.size());
    std::vector<std::uint32_t> thread_rank(thread_names_.size());
    for (const auto& [text, number] : all) {
      const auto row = static_cast<std::uint32_t>(result_.functions.size());
      result_.functions.emplace_back(text);
      if ((number & kThread) != 0) {
        thread_rank[number & ~kThread] = row;
        result_.thread_names.push_back(row);
      } else {
        rank[number] = row;
      }
    }
    for (PageFrame& frame : result_.frames)
      frame.function = (frame.function & kThread) != 0
                           ? thread_rank[frame.function & ~kThread]
                           : rank[frame.function];
  }

  void sort_frames() {
    std::vector<std::uint32_t> order = first_numbers(result_.frames.size());
    std::ranges::sort(order, {},
                      [&](std::uint32_t i) { return result_.frames[i]; });
    std::vector<PageFrame> sorted;
    sorted.reserve(order.size());
    for (const std::uint32_t i : order) sorted.push_back(result_.frames[i]);
    result_.frames = std::move(sorted);
    frame_rank_ = ranks(order, order.size());
  }

  void sort_nodes() {
    const StackTree::Children children = tree_.children_by(frame_rank_);
    std::vector<PageStacks::Node>& sorted = result_.nodes;
    sorted.reserve(tree_.size());
    std::vector<std::uint32_t> rank(tree_.size()), open{StackTree::kRoot};
    while (!open.empty()) {
      const std::uint32_t id = open.back();
      open.pop_back();
      rank[id] = static_cast<std::uint32_t>(sorted.size());
      const StackTree::Node& node = tree_.nodes()[id];
      // Parents come first, so the rank is known.
      sorted.push_back({rank[node.parent],
                        id == StackTree::kRoot ? 0 : frame_rank_[node.key]});
      for (std::uint32_t i = children.first[id + 1]; i-- > children.first[id];)
        open.push_back(children.ids[i]);
    }
    for (std::uint32_t& node : result_.node_of_sample) node = rank[node];
  }

  const Profile& profile_;
  const FoldOptions& options_;
  std::span<const FunctionCode> code_;
  PageStacks result_;
  StackTree tree_;                         // keys are rows of result_.frames
  std::vector<std::uint32_t> frame_rank_;  // of those rows when sorted
  StringTable names_, thread_names_;
  Column<FrameId, std::uint32_t> row_of_frame_;
  Column<ThreadId, std::uint32_t> root_of_thread_;
  HashIndex frame_index_;
};

}  // namespace

PageStacks page_stacks(const Profile& profile, const FoldOptions& options,
                       std::span<const FunctionCode> code) {
  return Builder(profile, options, code).run();
}

}  // namespace wick
