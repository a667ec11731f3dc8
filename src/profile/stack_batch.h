// SPDX-License-Identifier: Apache-2.0
// Many stacks at once, for readers of wide inputs. Pushing stacks into a
// StackTable costs a hash look-up for each frame, mostly cache misses with
// millions of nodes. A batch sorts the stacks instead and appends what each
// does not share with the one before it: 200,000 stacks of 48 frames take a
// fifth of the time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profile/tables.h"

namespace wick {

class StackBatch {
 public:
  // `frames` outermost first.
  void add(std::span<const FrameId> frames);

  // Room for `frames` frames in all; there may be more.
  void reserve(std::size_t frames) { frames_.reserve(frames); }

  std::size_t size() const { return ends_.size(); }
  std::size_t frame_count() const { return frames_.size(); }

  // Adds every stack to `stacks` and clears the batch. Returns their ids in the
  // order of add().
  std::vector<StackId> move_to(StackTable& stacks);

 private:
  // A stack while it is sorted; `key` is the two frames at the current depth.
  struct Entry {
    std::uint64_t key;
    std::uint32_t stack;
  };
  std::span<const FrameId> frames_of(std::uint32_t stack) const;
  std::uint64_t key_at(std::uint32_t stack, std::size_t depth) const;
  std::vector<Entry> sorted() const;

  std::vector<FrameId> frames_;  // of all stacks, one after the other
  std::vector<std::size_t> ends_;
};

}  // namespace wick
