// SPDX-License-Identifier: Apache-2.0
#include "transform/transform.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/metrics.h"

namespace wick {

Profile replace_frames(Profile profile, const ExpandFrame& expand) {
  const Timer timer("replace frames");
  const FrameTable old_frames = std::exchange(profile.frames, {});
  Column<FrameId, std::pair<std::uint32_t, std::uint32_t>> range;
  std::vector<FrameId> expanded;
  std::vector<Frame> out;
  for (const FrameId id : old_frames.ids()) {
    out.clear();
    expand(profile, old_frames[id], out);
    const auto first = static_cast<std::uint32_t>(expanded.size());
    for (const Frame& frame : out)
      expanded.push_back(profile.frames.intern(frame));
    range.push_back({first, static_cast<std::uint32_t>(expanded.size())});
  }
  const StackTable old_stacks = std::exchange(profile.stacks, {});
  Column<StackId, StackId> moved(old_stacks.size());
  for (const StackId id : old_stacks.ids()) {
    if (id == StackId::kRoot) continue;
    StackId to = moved[old_stacks.parent(id)];
    const auto [first, last] = range[old_stacks.frame(id)];
    for (std::uint32_t i = first; i < last; ++i)
      to = profile.stacks.push(to, expanded[i]);
    if (old_stacks.is_cut(id)) profile.stacks.cut(to);
    moved[id] = to;
  }
  for (Sample& sample : profile.samples) sample.stack = moved[sample.stack];
  return profile;
}

namespace {

class StackMover {
 public:
  StackMover(const StackTable& from, const MoveStack& move)
      : from_(from), move_(move), moved_(from.size(), kNone) {}

  StackId operator()(StackId stack) {
    if (move_.skips_leaf && begins(stack))
      return move_.push(to_, inner(from_.parent(stack)), from_.frame(stack));
    return inner(stack);
  }
  StackTable take() { return std::move(to_); }

 private:
  static constexpr StackId kNone{0xffffffff};

  bool begins(StackId stack) const {
    return move_.begins_at && stack != StackId::kRoot &&
           move_.begins_at(from_.frame(stack));
  }

  // The moved stack, of which each row is made once.
  StackId inner(StackId stack) {
    pending_.clear();
    while (stack != StackId::kRoot && moved_[stack] == kNone) {
      pending_.push_back(stack);
      stack = begins(stack) ? StackId::kRoot : from_.parent(stack);
    }
    count_steps(pending_.size());
    StackId to = stack == StackId::kRoot ? StackId::kRoot : moved_[stack];
    for (const StackId id : pending_ | std::views::reverse)
      to = moved_[id] = move_.push(to_, to, from_.frame(id));
    return to;
  }

  const StackTable& from_;
  const MoveStack& move_;
  StackTable to_;
  Column<StackId, StackId> moved_;
  std::vector<StackId> pending_;
};

}  // namespace

Profile move_stacks(Profile profile, const MoveStack& move) {
  const Timer timer("move stacks");
  Column<StackId, bool> used(profile.stacks.size());
  for (const Sample& sample : profile.samples) used[sample.stack] = true;
  StackMover mover(profile.stacks, move);
  Column<StackId, StackId> moved(profile.stacks.size());
  for (const StackId id : profile.stacks.ids())
    if (used[id]) moved[id] = mover(id);
  profile.stacks = mover.take();
  for (Sample& sample : profile.samples) sample.stack = moved[sample.stack];
  return profile;
}

Profile rewrite_stacks(Profile profile, const RewriteStack& rewrite) {
  const Timer timer("rewrite stacks");
  Column<StackId, bool> used(profile.stacks.size());
  for (const Sample& sample : profile.samples) used[sample.stack] = true;
  StackTable stacks;
  Column<StackId, StackId> moved(profile.stacks.size());
  std::vector<FrameId> frames;
  for (const StackId id : profile.stacks.ids()) {
    if (!used[id]) continue;
    profile.stacks.frames_of(id, frames);
    rewrite(profile, frames);
    StackId to = StackId::kRoot;
    for (const FrameId frame : frames) to = stacks.push(to, frame);
    moved[id] = to;
  }
  profile.stacks = std::move(stacks);
  for (Sample& sample : profile.samples) sample.stack = moved[sample.stack];
  return profile;
}

}  // namespace wick
