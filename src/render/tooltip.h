// SPDX-License-Identifier: Apache-2.0
// The text about a frame: "name (1,234 samples, 12.34%)".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/draw_options.h"
#include "profile/fold.h"

namespace wick {

// The name to show: "all" for the root, without annotations such as "_[k]".
std::string_view shown_name(const FlameGraph& graph, NodeId id);

class Tooltips {
 public:
  // `count_name` is used as it is; escape it before if needed. A unit of time
  // that the user has not named or scaled is shown for people: "12.4 ms".
  // `is_normalised`: the sides of a difference were scaled to each other.
  Tooltips(const FlameGraph& graph, const DrawOptions& options,
           std::string count_name, bool is_normalised);

  // The change of a frame's total or, as in inferno, of its self weight.
  std::int64_t change(NodeId id) const;

  // Appends "1,234 samples" or "12.4 ms".
  void append_count(std::string& out, std::int64_t weight) const;
  // Appends " (1,234 samples, 12.34%)", in a difference
  // " (1,234 samples, 12.34%; +1.23%)", or "; +12 samples" if it is absolute.
  void append_counts(std::string& out, NodeId id) const;

 private:
  void append_percent(std::string& out, std::int64_t weight) const;
  void append_change(std::string& out, NodeId id) const;
  double share(std::int64_t weight) const;

  const FlameGraph& graph_;
  std::string count_name_;
  double factor_;
  std::int64_t unit_ns_;  // 0: not shown as a time
  bool negate_, as_inferno_, is_normalised_;
  double whole_;         // what percentages are of
  double change_whole_;  // what changes are of
};

}  // namespace wick
