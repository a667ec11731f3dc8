// SPDX-License-Identifier: Apache-2.0
// From one stack to the next, at the cost of what they do not share: neighbours
// in time have most of their callers in common, however deep they are.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash_index.h"
#include "base/id.h"
#include "profile/tables.h"

namespace wick {

// Finds where two stacks part, in steps that grow with the logarithm of their
// depth.
class SharedCallers {
 public:
  explicit SharedCallers(const StackTable& stacks);

  // The deepest stack that is part of both.
  StackId of(StackId a, StackId b) const;

 private:
  // The caller at this depth or, if it is less deep, the stack itself.
  StackId at_depth(StackId id, std::uint32_t depth) const;

  const StackTable& stacks_;
  // A caller further up: as far as that of its own caller's jumps together, or
  // the caller itself (Myers, "An applicative random-access stack").
  Column<StackId, StackId> jump_;
};

// Walks along stacks whose frames are equal if their keys are.
class StackPath {
 public:
  // key_of(FrameId) gives the key of a frame.
  template <class KeyOf>
  StackPath(const StackTable& stacks, KeyOf key_of)
      : stacks_(stacks), same_(stacks.size()) {
    for (const StackId id : stacks.ids())
      if (id != StackId::kRoot)
        same_[id] = keys_.push(same_[stacks.parent(id)],
                               FrameId{key_of(stacks.frame(id))});
  }

  // Moves to `stack` and puts the frames that differ from the stack before
  // into new_frames(), outermost first. Returns how many are the same.
  std::uint32_t move_to(StackId stack);
  const std::vector<FrameId>& new_frames() const { return new_frames_; }
  // As at the beginning: the next stack has nothing in common.
  void clear() { path_.clear(); }

 private:
  const StackTable& stacks_;
  StackTable keys_;                   // the stacks, made of keys
  Column<StackId, StackId> same_;     // of each stack, in keys_
  std::vector<StackId> path_, next_;  // in keys_, outermost first
  std::vector<FrameId> new_frames_;
};

}  // namespace wick
