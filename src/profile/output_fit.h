// SPDX-License-Identifier: Apache-2.0
// Keeps outputs in proportion to their inputs. A table of stacks is small
// however deep its stacks are: 300,000 rows can hold 300,000 stacks of 16,384
// frames. A writer that spells them all out would turn such a file of a few MB
// into many GB. So before a profile is written, it is measured what the writer
// will repeat; if that is too much, the deepest stacks are cut at their leaves,
// which is noted. Weight is never lost.
//
// What is allowed grows with the input's size (Profile::input_bytes), and no
// output of up to `free_bytes` is ever cut. Measuring takes a few sums over the
// tables.
#pragma once

#include <cstdint>

#include "profile/fold.h"
#include "profile/profile.h"

namespace wick {

// Of which stacks an output repeats the callers.
enum class Repeats : std::uint8_t {
  kNothing,  // every stack is a row of a table
  kThreads,  // a tree for each thread
  kStacks,   // every frame of each distinct stack of a thread
  kSamples,  // every frame of each sample
  kChanges,  // the frames that differ from the thread's sample before
  // The same with gaps in time, over which nothing is shared. Without times,
  // as kThreads.
  kTimeline,
};

struct OutputCost {
  Repeats repeats = Repeats::kNothing;
  std::uint32_t frame_bytes = 0;  // for each frame that is repeated
  bool names = false;             // plus the name of its function
  // The most that one stack may take, if it is written in one piece.
  std::uint64_t stack_bytes = UINT64_MAX;
  std::uint64_t free_bytes = std::uint64_t{512} << 20;
  std::uint64_t bytes_per_input_byte = 128;
};

// Cuts stacks until an output of this cost is in proportion.
void fit_to_output(Profile& profile, const OutputCost& cost);

// What the tree costs that fold() makes in memory.
OutputCost cost_of_fold(const FoldOptions& options);

}  // namespace wick
