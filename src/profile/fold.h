// SPDX-License-Identifier: Apache-2.0
// fold() makes what is drawn: samples summed per stack and the stacks merged
// into one tree whose frames have names. Everything that draws or writes trees
// starts from its result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "profile/profile.h"

namespace wick {

enum class NodeId : std::uint32_t { kRoot = 0 };

// What stands under the root, above the frames of a sample.
enum class ThreadRoot : std::uint8_t {
  kNone,
  kComm,        // "make"
  kCommPid,     // "make-12"
  kCommPidTid,  // "make-12/34"
};

// What makes two frames one node, besides their caller: their printed name,
// which is the function's, with or without more.
enum class NameDetail : std::uint8_t {
  kFunction,
  kLine,    // "function:file:line"
  kModule,  // the module alone
  kFile,    // the source file alone
};

struct FoldOptions {
  ThreadRoot root = ThreadRoot::kComm;
  NameDetail detail = NameDetail::kFunction;
  bool annotate_kernel = false;   // "name_[k]"
  bool annotate_jit = false;      // "name_[j]"
  bool annotate_inlined = false;  // "name_[i]"
  bool addresses = false;         // "[module <address>]" for unknown functions
  bool reversed = false;          // leaves at the root
  bool flamechart = false;        // in the order of time, not merged over it
  // Nodes smaller than this share of the whole are left out (and noted).
  double min_share = 0;
  int max_depth = 16384;
};

// A tree with weights. Nodes are in preorder: a node stands directly before its
// first child, and siblings are in drawing order (by name, or by time in a
// flame chart). Node 0 is the whole.
//
// Invariant: total of a node = its self + the totals of its children + what was
// left out below it (pruned, counted in `hidden`).
struct FlameGraph {
  StringTable strings;
  Column<NodeId, NodeId> parent;
  Column<NodeId, StringId> name;
  Column<NodeId, FrameKind> kind;
  Column<NodeId, std::int64_t> self, total;
  // In a difference: the weights before; `self` and `total` are those after.
  // Empty otherwise.
  Column<NodeId, std::int64_t> before_self, before_total;
  // Whether a sample ends at the node. Empty unless there are samples of weight
  // 0, which would otherwise leave no trace.
  Column<NodeId, bool> sampled;
  // In a chart: the weight of all that was met before the node. Empty
  // otherwise.
  Column<NodeId, std::int64_t> start;

  std::string event;  // its name
  std::string unit;   // "samples", "nanoseconds" …
  int decimals = 0;   // a weight w stands for w × 10^-decimals
  bool is_difference = false;
  bool is_chart = false;
  bool is_reversed = false;
  Diagnostics diagnostics;

  std::string_view name_of(NodeId id) const { return strings[name[id]]; }
  double value(std::int64_t weight) const;
  std::size_t size() const { return parent.size(); }
  auto ids() const { return parent.ids(); }
};

// All events of `profile` are summed (select() picks one before); in a
// difference, those with the roles kBefore and kAfter are kept apart.
FlameGraph fold(const Profile& profile, const FoldOptions& options);

// The name under which a frame is printed.
std::string frame_name(const Profile& profile, const Frame& frame,
                       const FoldOptions& options);

// "make-12/34", "" if there is nothing to say.
std::string thread_root_name(const Profile& profile, const Thread& thread,
                             ThreadRoot root);

// The first thing wrong with `graph`, or "".
std::string check(const FlameGraph& graph);

}  // namespace wick
