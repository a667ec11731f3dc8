// SPDX-License-Identifier: Apache-2.0
// fold() sums samples by stack and merges the stacks into one tree of named
// frames. Everything that draws or writes trees starts from its result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "profile/profile.h"

namespace wick {

enum class NodeId : std::uint32_t { kRoot = 0 };

// What is between the root and the frames of a sample.
enum class ThreadRoot : std::uint8_t {
  kNone,
  kComm,        // "make"
  kCommPid,     // "make-12"
  kCommPidTid,  // "make-12/34"
};

// Frames of one caller with equal printed names share a node. The printed name
// is made from:
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
  bool flamechart = false;        // in the order of time, not merged across it
  // Nodes smaller than this share of the whole are left out and noted.
  double min_share = 0;
  // Deeper nodes are left out and noted; their weight is the last one's own.
  int max_depth = StackTable::kMaxDepth + 1;  // a stack and its thread
};

// A tree with weights. Nodes are in preorder: a node comes directly before its
// first child, and siblings are in drawing order (by name, or by time in a
// flame chart). Node 0 is the whole.
//
// Invariant: the total of a node is its self weight, plus the totals of its
// children, plus what was left out below it.
struct FlameGraph {
  StringTable strings;
  Column<NodeId, NodeId> parent;
  Column<NodeId, StringId> name;
  Column<NodeId, FrameKind> kind;
  Column<NodeId, bool> unnamed;     // is_unnamed()
  Column<NodeId, StringId> module;  // the name of its file, without folders
  Column<NodeId, std::int64_t> self, total;
  // In a difference: the weights before, while `self` and `total` are those
  // after. Empty otherwise.
  Column<NodeId, std::int64_t> before_self, before_total;
  // The nodes that stand for threads or processes, ascending. A function of the
  // same name is something else.
  std::vector<NodeId> threads;
  // Whether a sample ends at the node. Empty unless there are samples of weight
  // 0, which would otherwise vanish.
  Column<NodeId, bool> sampled;
  // In a chart: the weight of everything before the node. Empty otherwise.
  Column<NodeId, std::int64_t> start;

  std::string event;  // its name
  std::string unit;   // "samples", "nanoseconds" …
  int decimals = 0;   // a weight w is w × 10^-decimals of `unit`
  bool is_difference = false;
  bool is_chart = false;
  bool is_reversed = false;
  Diagnostics diagnostics;

  std::string_view name_of(NodeId id) const { return strings[name[id]]; }
  double value(std::int64_t weight) const;
  std::size_t size() const { return parent.size(); }
  auto ids() const { return parent.ids(); }
};

// Sums all events of `profile`, so select() one before. In a difference, the
// weights before and after are kept apart.
FlameGraph fold(const Profile& profile, const FoldOptions& options);

// The name under which a frame is printed.
std::string frame_name(const Profile& profile, const Frame& frame,
                       const FoldOptions& options);

// Whether it is code whose function is not known by name.
bool is_unnamed(const Profile& profile, const Frame& frame);

// "make-12/34"; "" if nothing is known about the thread.
std::string thread_root_name(const Profile& profile, const Thread& thread,
                             ThreadRoot root);

// The first violated invariant, or "".
std::string check(const FlameGraph& graph);

}  // namespace wick
