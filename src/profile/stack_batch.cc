// SPDX-License-Identifier: Apache-2.0
#include "profile/stack_batch.h"

#include <algorithm>

#include "base/metrics.h"

namespace wick {

void StackBatch::add(std::span<const FrameId> frames) {
  // One frame too many tells the table that the stack is cut.
  frames = frames.first(
      std::min<std::size_t>(frames.size(), StackTable::kMaxDepth + 1));
  frames_.insert(frames_.end(), frames.begin(), frames.end());
  ends_.push_back(frames_.size());
}

std::span<const FrameId> StackBatch::frames_of(std::uint32_t stack) const {
  const std::size_t begin = stack == 0 ? 0 : ends_[stack - 1];
  return std::span(frames_).subspan(begin, ends_[stack] - begin);
}

// Frames `depth` and `depth` + 1 as one number that sorts like the pair. 0 is
// the end of a stack, so frames count from 1.
std::uint64_t StackBatch::key_at(std::uint32_t stack, std::size_t depth) const {
  const std::span<const FrameId> frames = frames_of(stack);
  const auto at = [&](std::size_t i) {
    return i < frames.size() ? std::uint64_t{index(frames[i])} + 1 : 0;
  };
  return at(depth) << 32 | at(depth + 1);
}

// Radix sort from the front, two frames at a time, each group of equal keys by
// itself. Groups wait in a list instead of the call stack, since they nest as
// deep as the deepest stack.
std::vector<StackBatch::Entry> StackBatch::sorted() const {
  constexpr std::size_t kSmall = 12;
  std::vector<Entry> entries(size());
  for (std::uint32_t i = 0; i < entries.size(); ++i) entries[i].stack = i;
  struct Group {
    std::size_t begin, end, depth;
  };
  std::vector<Group> groups{{0, entries.size(), 0}};
  while (!groups.empty()) {
    const Group group = groups.back();
    groups.pop_back();
    const auto begin =
        entries.begin() + static_cast<std::ptrdiff_t>(group.begin);
    const auto end = entries.begin() + static_cast<std::ptrdiff_t>(group.end);
    if (group.end - group.begin <= kSmall) {
      std::sort(begin, end, [&](const Entry& a, const Entry& b) {
        const auto x = frames_of(a.stack), y = frames_of(b.stack);
        return std::lexicographical_compare(
            x.begin() +
                static_cast<std::ptrdiff_t>(std::min(group.depth, x.size())),
            x.end(),
            y.begin() +
                static_cast<std::ptrdiff_t>(std::min(group.depth, y.size())),
            y.end());
      });
      continue;
    }
    bool equal = true;
    for (auto at = begin; at != end; ++at) {
      at->key = key_at(at->stack, group.depth);
      equal = equal && at->key == begin->key;
    }
    if (!equal)
      std::sort(begin, end,
                [](const Entry& a, const Entry& b) { return a.key < b.key; });
    for (auto at = begin; at != end;) {
      const std::uint64_t key = at->key;
      auto next =
          std::find_if(at, end, [&](const Entry& e) { return e.key != key; });
      if (next - at > 1 && (key & 0xffffffff) != 0)
        groups.push_back({static_cast<std::size_t>(at - entries.begin()),
                          static_cast<std::size_t>(next - entries.begin()),
                          group.depth + 2});
      at = next;
    }
  }
  return entries;
}

std::vector<StackId> StackBatch::move_to(StackTable& stacks) {
  // The first batch of a table needs no look-ups at all.
  const bool fresh = stacks.size() == 1;
  // An upper bound; unused memory is never touched.
  if (fresh) stacks.reserve(frames_.size() + 1);
  std::vector<StackId> ids(size());
  std::vector<StackId> path{StackId::kRoot};
  std::span<const FrameId> previous;
  const std::vector<Entry> order = sorted();
  count_steps(frames_.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Entry& entry = order[i];
    // Sorted stacks are scattered in memory.
    if (i + 4 < order.size())
      __builtin_prefetch(frames_of(order[i + 4].stack).data());
    const std::span<const FrameId> frames = frames_of(entry.stack);
    const auto same =
        static_cast<std::size_t>(std::mismatch(frames.begin(), frames.end(),
                                               previous.begin(), previous.end())
                                     .first -
                                 frames.begin());
    path.resize(same + 1);
    for (const FrameId frame : frames.subspan(same))
      path.push_back(fresh ? stacks.append(path.back(), frame)
                           : stacks.push(path.back(), frame));
    ids[entry.stack] = path.back();
    previous = frames;
  }
  frames_.clear();
  ends_.clear();
  return ids;
}

}  // namespace wick
