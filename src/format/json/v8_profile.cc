// SPDX-License-Identifier: Apache-2.0
#include "format/json/v8_profile.h"

#include <algorithm>
#include <ranges>

#include "base/bytes.h"
#include "profile/wasm_names.h"

namespace wick {

std::uint32_t V8Profile::find(std::int64_t id) const {
  return by_id_.find(hash_pair(static_cast<std::uint64_t>(id), 0),
                     [&](std::uint32_t row) { return nodes_[row].id == id; });
}

std::uint32_t V8Profile::add_node(const Json& node, const Json& call_frame,
                                  int first_line) {
  std::string_view name = call_frame["functionName"].text();
  const std::string_view url = call_frame["url"].text();
  const std::int64_t line =
      call_frame["lineNumber"].integer().value_or(-1) + 1 - first_line;
  // "(program)", "(idle)" and "(garbage collector)" are not functions.
  const bool is_label = url.empty() && name.starts_with('(');
  const bool is_wasm = url.starts_with("wasm://") || is_wasm_name(name);
  const bool is_root = name == "(root)";
  if (name.empty()) name = "(anonymous)";
  nodes_.push_back({.id = node["id"].integer().value_or(-1),
                    .frame = profile_.frames.intern(
                        {.function = profile_.strings.intern(name),
                         .file = profile_.strings.intern(url),
                         .line = line > 0 && line <= UINT32_MAX
                                     ? static_cast<std::uint32_t>(line)
                                     : 0,
                         .kind = is_label  ? FrameKind::kLabel
                                 : is_wasm ? FrameKind::kWasm
                                           : FrameKind::kUser}),
                    .hits = node["hitCount"].integer().value_or(0),
                    .is_root = is_root});
  const auto row = static_cast<std::uint32_t>(nodes_.size() - 1);
  const std::int64_t id = nodes_[row].id;
  const std::uint32_t first = by_id_.find_or_add(
      hash_pair(static_cast<std::uint64_t>(id), 0),
      [&](std::uint32_t other) { return nodes_[other].id == id; },
      [&] { return row; });
  if (first != row)
    profile_.diagnostics.note_at(Problem::kBadRecord, "two nodes have one id");
  return row;
}

void V8Profile::add_nodes(const Json& nodes) {
  const std::size_t begin = nodes_.size();
  for (const Json node : nodes.items()) {
    const Json call_frame = node["callFrame"];
    if (!call_frame.is_object()) {
      profile_.diagnostics.note_at(Problem::kBadRecord,
                                   "a node without a callFrame");
      continue;
    }
    add_node(node, call_frame, 0);
  }
  // A caller may follow the functions it calls.
  std::size_t row = begin;
  for (const Json node : nodes.items()) {
    if (!node["callFrame"].is_object()) continue;
    if (const auto parent = node["parent"].integer())
      nodes_[row].parent = find(*parent);
    for (const Json child : node["children"].items()) {
      const std::uint32_t at = find(child.integer().value_or(-1));
      if (at != kNone) nodes_[at].parent = static_cast<std::uint32_t>(row);
    }
    ++row;
  }
}

void V8Profile::add_tree(const Json& head) {
  std::vector<std::pair<Json, std::uint32_t>> pending{{head, kNone}};
  while (!pending.empty()) {
    const auto [node, parent] = pending.back();
    pending.pop_back();
    const std::uint32_t row = add_node(node, node, 1);
    nodes_[row].parent = parent;
    for (const Json child : node["children"].items())
      if (child.is_object()) pending.emplace_back(child, row);
  }
}

void V8Profile::add_sample(const Json& id, std::int64_t time) {
  const auto number = id.integer();
  const std::uint32_t node = number ? find(*number) : kNone;
  if (node == kNone)
    profile_.diagnostics.note_at(Problem::kBadRecord,
                                 "a sample of a node that does not exist");
  samples_.push_back({std::max<std::int64_t>(0, time), node});
}

void V8Profile::add_samples(const Json& ids, const Json& deltas) {
  const auto all_deltas = deltas.items();
  auto delta = all_deltas.begin();
  for (const Json id : ids.items()) {
    if (!(delta != all_deltas.end())) {
      // The duration of this one is unknown, and so is the end of the one
      // before.
      profile_.diagnostics.note_at(Problem::kBadRecord,
                                   "a sample without a time");
      end_.reset();
      continue;
    }
    clock_ = saturating_add(clock_, (*delta).integer().value_or(0));
    ++delta;
    add_sample(id, clock_);
  }
}

void V8Profile::add_stamped_samples(const Json& ids, const Json& timestamps) {
  const auto all_times = timestamps.items();
  auto time = all_times.begin();
  for (const Json id : ids.items()) {
    if (time != all_times.end()) {
      clock_ = (*time).integer().value_or(clock_);
      ++time;
    }
    add_sample(id, clock_);
  }
}

// The stack of each node. Parents may be anywhere and, in a damaged file, form
// cycles.
std::vector<StackId> V8Profile::stacks() {
  enum class State : std::uint8_t { kOpen, kOnPath, kDone };
  std::vector<State> states(nodes_.size(), State::kOpen);
  std::vector<StackId> stacks(nodes_.size(), StackId::kRoot);
  std::vector<std::uint32_t> path;
  for (std::uint32_t start = 0; start < nodes_.size(); ++start) {
    path.clear();
    std::uint32_t at = start;
    while (at != kNone && states[at] == State::kOpen) {
      states[at] = State::kOnPath;
      path.push_back(at);
      at = nodes_[at].parent;
    }
    if (at != kNone && states[at] == State::kOnPath) {
      profile_.diagnostics.note_at(
          Problem::kBadRecord, "functions that call each other in a circle");
      at = kNone;
    }
    StackId stack = at == kNone ? StackId::kRoot : stacks[at];
    for (const std::uint32_t row : path | std::views::reverse) {
      if (!nodes_[row].is_root)
        stack = profile_.stacks.push(stack, nodes_[row].frame);
      stacks[row] = stack;
      states[row] = State::kDone;
    }
  }
  return stacks;
}

void V8Profile::finish(SampleCollector& samples, ThreadId thread) {
  const std::vector<StackId> stack_of = stacks();
  if (samples_.empty()) {
    const EventId event = profile_.event_id("samples");
    for (std::size_t row = 0; row < nodes_.size(); ++row)
      if (nodes_[row].hits != 0)
        samples.add({.weight = nodes_[row].hits,
                     .stack = stack_of[row],
                     .thread = thread,
                     .event = event});
    return;
  }
  std::uint64_t disorder = 0;
  for (std::size_t i = 1; i < samples_.size(); ++i)
    disorder += samples_[i].time < samples_[i - 1].time;
  profile_.diagnostics.note(Problem::kTimeDisorder, disorder);
  if (disorder > 0) std::ranges::stable_sort(samples_, {}, &Sample::time);

  const EventId event = profile_.event_id("time", "nanoseconds");
  const StackId unknown =
      profile_.stacks.push(StackId::kRoot, profile_.named_frame("[unknown]"));
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const std::int64_t time = samples_[i].time;
    const std::int64_t end = i + 1 < samples_.size()
                                 ? samples_[i + 1].time
                                 : std::max(time, end_.value_or(time));
    if (end == time) {
      profile_.diagnostics.note(Problem::kZeroWeight);
      continue;
    }
    const std::uint32_t node = samples_[i].node;
    const StackId stack = node == kNone ? unknown : stack_of[node];
    if (stack == StackId::kRoot) profile_.diagnostics.note(Problem::kNoStack);
    samples.add({.time = static_cast<std::uint64_t>(saturating_mul(time, 1000)),
                 .weight = saturating_mul(end - time, 1000),
                 .stack = stack,
                 .thread = thread,
                 .event = event});
  }
}

}  // namespace wick
