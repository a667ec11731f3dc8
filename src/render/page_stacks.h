// SPDX-License-Identifier: Apache-2.0
// The stacks of a profile for the viewer's page: printed names sorted by their
// bytes, and one tree of frames in preorder, with siblings sorted by name, so
// that the page lays it out without sorting. Unlike fold(), it keeps lines and
// modules apart and sums nothing: the page filters samples.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profile/fold.h"
#include "profile/function_code.h"
#include "profile/profile.h"

namespace wick {

struct PageFrame {
  std::uint32_t function = 0;  // into PageStacks::functions
  StringId file = StringId::kEmpty;
  ModuleId module = ModuleId::kUnknown;
  std::uint32_t line = 0;
  FrameKind kind = FrameKind::kUser;
  bool unnamed = false;  // see is_unnamed()
  // Where a stack ends in code that the page includes: 1 + its number, and the
  // instruction. 0: not there.
  std::uint32_t code = 0, offset = 0;
  friend auto operator<=>(const PageFrame&, const PageFrame&) = default;
};

struct PageStacks {
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t frame = 0;  // into `frames`; of the root: meaningless
  };
  // Sorted, and distinct but for threads: one named like a function comes after
  // it.
  std::vector<std::string> functions;
  // Those of `functions` that are the names of threads, ascending.
  std::vector<std::uint32_t> thread_names;
  std::vector<PageFrame> frames;  // distinct, sorted
  std::vector<Node> nodes;        // preorder; 0 is the root
  // For each sample of the profile, the node it ends at.
  std::vector<std::uint32_t> node_of_sample;
  std::uint64_t too_deep = 0;  // frames beyond the depth limit
};

// Names and thread roots are those of fold(). `code` is what the page includes.
PageStacks page_stacks(const Profile& profile, const FoldOptions& options,
                       std::span<const FunctionCode> code = {});

}  // namespace wick
