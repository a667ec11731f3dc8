// SPDX-License-Identifier: Apache-2.0
// What a frame says about itself: "name (1,234 samples, 12.34%)".
#pragma once

#include <string>
#include <string_view>

#include "profile/draw_options.h"
#include "profile/fold.h"

namespace wick {

// The name as it is shown: "all" for the root, without "_[k]" and its like.
std::string_view shown_name(const FlameGraph& graph, NodeId id);

class Tooltips {
 public:
  // `count_name` is put in as it is, so a caller that needs it escaped escapes
  // it before.
  Tooltips(const FlameGraph& graph, const DrawOptions& options,
           std::string count_name);

  // What the change of a frame is: of all that was sampled in it, or, as in
  // inferno, of the stacks that end in it.
  std::int64_t change(NodeId id) const;

  // Appends "1,234 samples".
  void append_count(std::string& out, std::int64_t weight) const;
  // Appends " (1,234 samples, 12.34%)", in a difference
  // " (1,234 samples, 12.34%; +1.23%)".
  void append_counts(std::string& out, NodeId id) const;

 private:
  void append_percent(std::string& out, std::int64_t weight) const;
  double share(std::int64_t weight) const;

  const FlameGraph& graph_;
  std::string count_name_;
  double factor_;
  bool negate_, as_inferno_;
  double whole_;         // what percentages are of
  double change_whole_;  // what changes are of
};

}  // namespace wick
