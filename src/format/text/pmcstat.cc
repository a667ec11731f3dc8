// SPDX-License-Identifier: Apache-2.0
// The call graph that FreeBSD's `pmcstat -R log -G graph` writes: under each
// function where samples were taken, a tree of its callers. The number in
// brackets counts the samples of a function and of everything below it.
//
//   @ CPU_CLK_UNHALTED_CORE [25 samples]
//
//   68.00%  [17]       witness_unlock @ /boot/kernel/kernel
//    70.59%  [12]        __mtx_unlock_flags
//     100.0%  [12]         sys_poll
//    29.41%  [5]         lockmgr_unlock
//
// What the callers of a function do not account for (pmcstat -z cuts stacks)
// stays with the function; other tools drop it.
#include <algorithm>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "format/text/text_stacks.h"

namespace wick {
namespace {

struct Node {
  std::size_t indent = 0;
  std::int64_t count = 0;
  std::string_view function, module;
};

std::optional<Node> parse_node(std::string_view line) {
  Node node;
  while (node.indent < line.size() && is_blank(line[node.indent]))
    ++node.indent;
  std::string_view rest = line.substr(node.indent);
  const std::string_view percent = take_word(rest);
  if (!percent.ends_with('%') ||
      !to_decimal(percent.substr(0, percent.size() - 1)))
    return {};
  const std::string_view count = take_word(rest);
  if (!count.starts_with('[') || !count.ends_with(']')) return {};
  const auto number =
      to_number<std::int64_t>(count.substr(1, count.size() - 2));
  if (!number || *number < 0) return {};
  node.count = *number;
  rest = trim(rest);
  const std::size_t at = rest.find(" @ ");
  node.function = rest.substr(0, at);
  if (at != rest.npos) node.module = trim(rest.substr(at + 3));
  return node;
}

// "@ EVENT [N samples]".
std::optional<std::string_view> parse_event(std::string_view line) {
  if (!line.starts_with("@ ")) return {};
  line.remove_prefix(2);
  const std::size_t bracket = line.rfind(" [");
  if (bracket == line.npos || !trim_right(line).ends_with(" samples]"))
    return {};
  return trim(line.substr(0, bracket));
}

bool sniff_pmcstat(std::string_view head) {
  return any_head_line(head, 20, [](std::string_view line) {
    return parse_event(line) || parse_node(line);
  });
}

class PmcstatReader {
 public:
  explicit PmcstatReader(const ReadOptions& options)
      : stack_(profile_, options), options_(options) {}

  bool read_line(std::string_view line) {
    if (trim(line).empty()) return true;
    if (const auto event = parse_event(line)) {
      end_nodes(0);
      event_ = profile_.event_id(*event);
      return true;
    }
    const auto node = parse_node(line);
    if (!node) return false;
    end_nodes(node->indent);
    if (!event_) event_ = profile_.event_id("samples");
    Frame frame;
    // Printed only where it changes.
    if (!node->module.empty())
      frame.module = profile_.module_id(node->module);
    else if (!open_.empty())
      frame.module = open_.back().frame.module;
    const std::string_view module =
        profile_.strings[profile_.modules[frame.module].path];
    if (module.starts_with("/boot/")) frame.kind = FrameKind::kKernel;
    frame.function =
        profile_.strings.intern(symbol_name(node->function, options_));
    if (!open_.empty())
      open_.back().of_callers =
          saturating_add(open_.back().of_callers, node->count);
    open_.push_back({node->indent, node->count, 0, frame});
    return true;
  }

  Profile finish() {
    end_nodes(0);
    return std::move(profile_);
  }

 private:
  // A node whose callers are being read.
  struct Open {
    std::size_t indent;
    std::int64_t count, of_callers;
    Frame frame;
  };

  // Ends the nodes that are indented by `indent` or more.
  void end_nodes(std::size_t indent) {
    while (!open_.empty() && open_.back().indent >= indent) {
      const Open& node = open_.back();
      if (node.count > node.of_callers) {
        for (const Open& each : open_) stack_.frames().push_back(each.frame);
        stack_.add({.weight = node.count - node.of_callers, .event = *event_});
      }
      open_.pop_back();
    }
  }

  Profile profile_;
  StackBuffer stack_;
  const ReadOptions& options_;
  std::optional<EventId> event_;
  std::vector<Open> open_;  // from the function of the samples outwards
};

}  // namespace

extern const InputFormat pmcstat_input = {
    .name = "pmcstat",
    .description = "call graphs of FreeBSD's pmcstat -G",
    .sniff = sniff_pmcstat,
    .read = read_by_line<PmcstatReader>,
};

}  // namespace wick
