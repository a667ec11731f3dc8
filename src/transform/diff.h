// SPDX-License-Identifier: Apache-2.0
// Comparing two profiles: one profile with weights before and after, and a
// table of what changed. docs/diff.md describes the model behind the intervals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/fold.h"
#include "profile/format.h"
#include "profile/profile.h"
#include "transform/confidence.h"

namespace wick {

struct JoinOptions {
  // "0x7f12" becomes "0x..." in names.
  bool strip_hex = false;
  // inferno cuts the decimals of its inputs.
  Compat compat = Compat::kWick;
};

// Joins two profiles into one with two events, of the roles kBefore and kAfter.
// Processes and threads are matched by name, since their numbers change with
// every run. Times are dropped. Facts about one side alone ("command") are
// marked ("command, before"). Fails if one side is a difference already.
Profile join_as_difference(Profile before, Profile after,
                           const JoinOptions& options = {});

// Scales the weights before so that both sides have the same total. Each stack
// is rounded down as by the peers (by difffolded.pl to whole numbers, by wick
// to the last digit that the profile holds); the loss is noted.
void normalize(Profile& difference, Compat compat = Compat::kWick);

// How a difference is shown: by the shares of each side, for which the weights
// before are scaled to the total after, or by the weights as they are.
enum class Scale : std::uint8_t { kNormalised, kAbsolute };
// Kept among the facts about the profile.
void set_scale(Profile& difference, Scale scale);

// Adds the files of both sides to what is known of a difference, without their
// folders. "" and "-": not a file.
void set_files(Profile& difference, std::string_view before,
               std::string_view after);
Scale scale_of(const Profile& difference);

// The same as normalize() for a graph, with as many decimals as make rounding
// invisible. Nothing changes if a side is empty.
void normalise(FlameGraph& difference);

// One side as a whole.
struct DiffSide {
  std::int64_t weight = 0;
  double samples = 0;  // see effective_samples
  std::string event, unit;
};

// One function or stack on both sides. Shares are of the whole side, 0 to 1.
struct Change {
  std::int64_t before = 0, after = 0;
  double before_share = 0, after_share = 0;
  Interval interval;  // of points()

  double points() const { return after_share - before_share; }
  bool is_new() const { return before == 0 && after != 0; }
  bool is_gone() const { return before != 0 && after == 0; }
};

struct FunctionChange {
  std::string name;
  Change total, self;
};

struct StackChange {
  NodeId leaf{};  // in DiffTable::graph
  Change change;
};

// How much each side did, to compare what it cost: 3 runs against 5, or a
// million operations against two.
struct DiffWork {
  double before = 1, after = 1;
  std::string_view unit = "run";
};

// Has a row for everything with weight on either side. Rows are ordered by the
// size of their change (functions: of their total), largest first.
struct DiffTable {
  DiffSide before, after;
  DiffWork work;
  bool shows_costs = false;  // rows are ordered by cost, not by share
  bool is_absolute = false;  // the same; only costs are shown
  double confidence = 95;    // percent
  double z = 0;              // normal_quantile(confidence)
  FlameGraph graph;
  std::vector<FunctionChange> functions;
  std::vector<StackChange> stacks;

  // The whole program.
  Change whole() const;
};

struct CompareOptions {
  // How many samples each side has; default: effective_samples() of the
  // difference. Count before joining, which adds samples up.
  std::optional<SideSamples> samples;
  double confidence = 95;
  FoldOptions fold;
  // If given, changes are ordered by cost (see diff_cost.h) and not by share.
  std::optional<DiffWork> work;
  // The same if the scale is absolute.
  Scale scale = Scale::kNormalised;
};
DiffTable compare(const Profile& difference, const CompareOptions& options);

// What rows are ordered by: how much the share or the cost changed.
double extent(const Change& change, const DiffTable& table);

// "main;parse;read".
std::string stack_text(const FlameGraph& graph, NodeId leaf);

}  // namespace wick
