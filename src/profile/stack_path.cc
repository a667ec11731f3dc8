// SPDX-License-Identifier: Apache-2.0
#include "profile/stack_path.h"

#include <algorithm>

#include "base/metrics.h"

namespace wick {

SharedCallers::SharedCallers(const StackTable& stacks)
    : stacks_(stacks), jump_(stacks.size()) {
  for (const StackId id : stacks.ids()) {
    if (id == StackId::kRoot) continue;
    const StackId caller = stacks.parent(id);
    const StackId once = jump_[caller], twice = jump_[once];
    jump_[id] = stacks.depth(caller) - stacks.depth(once) ==
                        stacks.depth(once) - stacks.depth(twice)
                    ? twice
                    : caller;
  }
}

StackId SharedCallers::at_depth(StackId id, std::uint32_t depth) const {
  while (stacks_.depth(id) > depth)
    id = stacks_.depth(jump_[id]) >= depth ? jump_[id] : stacks_.parent(id);
  return id;
}

StackId SharedCallers::of(StackId a, StackId b) const {
  a = at_depth(a, stacks_.depth(b));
  b = at_depth(b, stacks_.depth(a));
  // Stacks of equal depth jump equally far.
  while (a != b) {
    const bool far = jump_[a] != jump_[b];
    a = far ? jump_[a] : stacks_.parent(a);
    b = far ? jump_[b] : stacks_.parent(b);
  }
  return a;
}

std::uint32_t StackPath::move_to(StackId stack) {
  next_.clear();
  const auto is_on_path = [&](StackId id) {
    const std::uint32_t depth = keys_.depth(id);
    return depth == 0 || (depth <= path_.size() && path_[depth - 1] == id);
  };
  StackId key = same_[stack];
  for (; !is_on_path(key); key = keys_.parent(key)) next_.push_back(key);
  const std::uint32_t same = keys_.depth(key);
  path_.resize(same);
  path_.insert(path_.end(), next_.rbegin(), next_.rend());
  new_frames_.clear();
  for (; stacks_.depth(stack) > same; stack = stacks_.parent(stack))
    new_frames_.push_back(stacks_.frame(stack));
  std::ranges::reverse(new_frames_);
  count_steps(next_.size());
  return same;
}

}  // namespace wick
