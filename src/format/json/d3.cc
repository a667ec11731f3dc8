// SPDX-License-Identifier: Apache-2.0
// The tree that d3-flame-graph draws and LEP sends to its browser:
// {"name", "value", "children"}, or n, v, c for short. Values are inclusive: a
// node's own weight is its value less those of its children. In a difference,
// "delta" is the change of a node's own weight.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "format/json/json.h"
#include "format/text/perf_script.h"
#include "profile/format.h"

namespace wick {
namespace {

struct Node {
  std::uint32_t parent;
  Json json;
  std::optional<Decimal> value;
  std::int64_t children = 0;  // the sum of their values
};

Json either(const Json& node, std::string_view name, std::string_view letter) {
  const Json value = node[name];
  return value ? value : node[letter];
}

FrameKind kind_of(std::string_view libtype) {
  if (libtype == "kernel") return FrameKind::kKernel;
  if (libtype == "jit") return FrameKind::kJit;
  if (libtype == "inlined") return FrameKind::kInlined;
  return FrameKind::kUser;
}

std::string_view libtype_of(FrameKind kind) {
  switch (kind) {
    case FrameKind::kKernel:
      return "kernel";
    case FrameKind::kJit:
    case FrameKind::kWasm:
      return "jit";
    case FrameKind::kInlined:
      return "inlined";
    case FrameKind::kUser:
    case FrameKind::kLabel:
    case FrameKind::kOffCpu:
      break;
  }
  return "";
}

// Every node in preorder: parents before their children.
std::vector<Node> nodes_of(const Json& root) {
  struct Level {
    Json::Items::Iterator at, end;
    std::uint32_t node;
  };
  std::vector<Node> nodes;
  std::vector<Level> levels;
  const auto enter = [&](const Json& json, std::uint32_t parent) {
    nodes.push_back({parent, json, either(json, "value", "v").decimal()});
    const auto items = either(json, "children", "c").items();
    levels.push_back({items.begin(), items.end(),
                      static_cast<std::uint32_t>(nodes.size() - 1)});
  };
  enter(root, 0);
  while (!levels.empty()) {
    Level& level = levels.back();
    if (!(level.at != level.end)) {
      levels.pop_back();
      continue;
    }
    const Json child = *level.at;
    const std::uint32_t parent = level.node;
    ++level.at;
    enter(child, parent);
  }
  return nodes;
}

class D3Reader {
 public:
  D3Reader(Profile& profile, const Json& root, const ReadOptions& options)
      : profile_(profile),
        samples_(profile, options.keep_time),
        nodes_(nodes_of(root)) {}

  void read() {
    const Json extras = nodes_[0].json["extras"];
    name_ = extras["event"].text();
    if (name_.empty()) name_ = "samples";
    unit_ = extras["unit"].text();
    if (unit_ == "samples") unit_.clear();
    find_scale();
    sum_children();
    add_samples();
  }

 private:
  std::int64_t scaled(const Decimal& number) const {
    return saturating_mul(number.value,
                          power_of_ten(decimals_ - number.decimals));
  }
  std::int64_t value_of(const Node& node) const {
    return node.value ? std::max<std::int64_t>(scaled(*node.value), 0)
                      : node.children;
  }
  std::optional<Decimal> delta_of(const Node& node) const {
    return either(node.json, "delta", "d").decimal();
  }

  void find_scale() {
    for (const Node& node : nodes_) {
      if (node.value) decimals_ = std::max(decimals_, node.value->decimals);
      if (const auto delta = delta_of(node)) {
        is_difference_ = true;
        decimals_ = std::max(decimals_, delta->decimals);
      }
    }
  }

  void sum_children() {
    for (std::size_t i = nodes_.size(); i-- > 1;) {
      std::int64_t& sum = nodes_[nodes_[i].parent].children;
      sum = saturating_add(sum, value_of(nodes_[i]));
    }
  }

  EventId event(EventRole role) {
    const EventId id = profile_.event_id(name_, unit_, role);
    profile_.events[id].decimals = static_cast<std::uint8_t>(decimals_);
    return id;
  }

  // The name of a root that only sums up its children means nothing.
  static bool is_frame(const Node& node, std::size_t i) {
    if (i > 0) return true;
    const std::string_view name = either(node.json, "name", "n").text();
    for (const std::string_view whole : {"", "root", "all", "total", "(root)"})
      if (name == whole) return false;
    return true;
  }

  void add_samples() {
    const EventId after =
        event(is_difference_ ? EventRole::kAfter : EventRole::kPlain);
    const EventId before = is_difference_ ? event(EventRole::kBefore) : after;
    std::vector<StackId> stacks(nodes_.size(), StackId::kRoot);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      if (is_frame(node, i))
        stacks[i] = profile_.stacks.push(
            i == 0 ? StackId::kRoot : stacks[node.parent],
            profile_.named_frame(
                either(node.json, "name", "n").text(),
                kind_of(either(node.json, "libtype", "l").text())));
      if (node.value && node.value->value < 0)
        profile_.diagnostics.note(Problem::kNegativeWeight);
      std::int64_t self = value_of(node) - node.children;
      if (self < 0) {
        profile_.diagnostics.note_at(
            Problem::kBadRecord, "a node whose children are larger than it is");
        self = 0;
      }
      add(stacks[i], self, after);
      if (const auto delta = delta_of(node); is_difference_)
        add(stacks[i], saturating_add(self, delta ? -scaled(*delta) : 0),
            before);
    }
  }

  void add(StackId stack, std::int64_t weight, EventId event) {
    if (weight == 0) return;
    if (weight > 0 && stack == StackId::kRoot)
      profile_.diagnostics.note(Problem::kNoStack);
    samples_.add({.weight = weight, .stack = stack, .event = event});
  }

  Profile& profile_;
  SampleCollector samples_;
  std::vector<Node> nodes_;
  std::string name_, unit_;
  int decimals_ = 0;
  bool is_difference_ = false;
};

bool has(const std::vector<std::string_view>& keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

bool sniff_d3(std::string_view head) {
  if (!trim(head).starts_with('{')) return false;
  const std::vector<std::string_view> keys = json_keys(head);
  return has(keys, "flame") ||
         (has(keys, "name") && (has(keys, "value") || has(keys, "children"))) ||
         (has(keys, "n") && (has(keys, "v") || has(keys, "c")));
}

bool is_tree(const Json& root) {
  return either(root, "value", "v").is_number() ||
         either(root, "children", "c").is_array();
}

// LEPV's whole reply contains the text of `perf script` and the tree, which is
// empty if LEPV failed to parse that text.
Profile read_script(const Json& lines, const ReadOptions& options) {
  std::string script;
  for (const Json line : lines.items()) {
    script += line.text();
    script += '\n';
  }
  InputFile file = InputFile::from_memory("perf_script_output", script);
  return perf_script_input.read(file, options);
}

Profile read_d3(InputFile& file, const ReadOptions& options) {
  Profile profile;
  const JsonDocument document(file.bytes(), profile.diagnostics);
  Json root = document.root();
  const Json reply = root["flame"];
  if (reply && !is_tree(root)) root = reply;
  if (is_tree(root)) {
    D3Reader(profile, root, options).read();
    return profile;
  }
  const Json lines = document.root()["perf_script_output"];
  if (reply && lines.items().begin() != lines.items().end()) {
    Profile script = read_script(lines, options);
    script.diagnostics.merge(profile.diagnostics);
    return script;
  }
  if (reply.is_object() || profile.diagnostics.count(Problem::kTruncated) > 0)
    return profile;
  fail("has no tree; expected {{name, value, children}}");
}

void write_d3(const Profile& profile, const WriteOptions& options,
              std::ostream& out) {
  const FlameGraph graph = fold(profile, options.fold);
  JsonWriter json(out);
  const auto number = [&](std::string_view key, std::int64_t weight) {
    json.key(key);
    if (graph.decimals == 0)
      json.value(weight);
    else
      json.raw(format_decimal(weight, graph.decimals));
  };
  std::vector<NodeId> open;
  for (const NodeId id : graph.ids()) {
    while (!open.empty() && open.back() != graph.parent[id]) {
      json.end_array().end_object();
      open.pop_back();
    }
    open.push_back(id);
    json.begin_object();
    json.member("name", id == NodeId::kRoot ? "root" : graph.name_of(id));
    number("value", graph.total[id]);
    if (const auto libtype = libtype_of(graph.kind[id]); !libtype.empty())
      json.member("libtype", libtype);
    if (graph.is_difference)
      number("delta", graph.self[id] - graph.before_self[id]);
    if (id == NodeId::kRoot) {
      json.key("extras").begin_object();
      json.member("event", graph.event).member("unit", graph.unit);
      json.key("notes").begin_array();
      for (const std::string& sentence :
           describe(graph.diagnostics, 0, options.setting_names))
        json.value(sentence);
      json.end_array().end_object();
    }
    json.key("children").begin_array();
  }
  for (; !open.empty(); open.pop_back()) json.end_array().end_object();
  json.flush();
  out << '\n';
}

}  // namespace

extern const InputFormat d3_input = {
    .name = "d3",
    .description = "tree of d3-flame-graph, LEP and perf's flamegraph report",
    .sniff = sniff_d3,
    .read = read_d3,
};

extern const OutputFormat d3_output = {
    .name = "d3",
    .extension = ".json",
    .description = "tree for d3-flame-graph, in LEP's form",
    .write = write_d3,
    .lacks =
        "times, threads, events side by side, addresses, files and lines, "
        "stacks of weight 0",
    .only_sums = true,
    .folds = true,
    .cost = {.repeats = Repeats::kThreads, .frame_bytes = 50, .names = true},
    .media_type = "application/json; charset=utf-8",
};

}  // namespace wick
