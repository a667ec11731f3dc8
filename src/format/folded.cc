// SPDX-License-Identifier: Apache-2.0
// Folded stacks: "main;parse;read 12", outermost frame first, the weight last.
// Two numbers are the weights before and after of a difference.
#include <algorithm>
#include <optional>

#include "base/bytes.h"
#include "base/text.h"
#include "profile/format.h"

namespace wick {
namespace {

// "stack N" or "stack N M".
struct Line {
  std::string_view stack;
  Decimal first;
  std::optional<Decimal> second;
};

// Takes the last word of `text` if it is a number.
std::optional<Decimal> take_number_back(std::string_view& text) {
  const std::string_view trimmed = trim_right(text);
  const std::size_t blank = trimmed.find_last_of(" \t");
  if (blank == trimmed.npos) return {};
  const auto number = to_decimal(trimmed.substr(blank + 1));
  if (number) text = trim_right(trimmed.substr(0, blank));
  return number;
}

std::optional<Line> parse(std::string_view text) {
  Line line;
  const auto last = take_number_back(text);
  if (!last) return {};
  const auto before = take_number_back(text);
  line.first = before ? *before : *last;
  if (before) line.second = *last;
  line.stack = text;
  return line;
}

bool sniff(std::string_view head) {
  int good = 0, bad = 0;
  const bool cut = head.size() >= 65536;
  while (!head.empty() && good + bad < 50) {
    const std::string_view line = take_line(head);
    if (line.find('\0') != line.npos) return false;
    if (trim(line).empty() || line.starts_with('#') || (cut && head.empty()))
      continue;
    parse(line) ? ++good : ++bad;
  }
  return good > bad;
}

FrameKind kind_of(std::string_view name) {
  if (name.ends_with("_[k]")) return FrameKind::kKernel;
  if (name.ends_with("_[j]")) return FrameKind::kJit;
  if (name.ends_with("_[i]")) return FrameKind::kInlined;
  return FrameKind::kUser;
}

std::int64_t scaled(const Decimal& number, int decimals) {
  return saturating_mul(number.value, power_of_ten(decimals - number.decimals));
}

Profile read(InputFile& file, const ReadOptions& options) {
  Profile profile;
  SampleCollector samples(profile, options.keep_time);
  const auto add = [&](StackId stack, const Decimal& number, EventId event) {
    raise_decimals(profile, event, number.decimals);
    samples.add({.weight = scaled(number, profile.events[event].decimals),
                 .stack = stack, .event = event});
  };
  std::uint64_t line_number = 0;
  for (std::string_view block; !(block = file.next_block(4 << 20)).empty();) {
    while (!block.empty()) {
      const std::string_view text = take_line(block);
      ++line_number;
      if (trim(text).empty() || text.starts_with('#')) continue;
      const auto line = parse(text);
      if (!line) {
        profile.diagnostics.note_at(Problem::kBadLine, text, line_number);
        continue;
      }
      StackId stack = StackId::kRoot;
      std::string_view rest = line->stack;
      while (!rest.empty()) {
        const std::string_view name = take_until(rest, ';');
        stack = profile.stacks.push(stack, profile.named_frame(name, kind_of(name)));
      }
      if (!line->second) {
        add(stack, line->first, profile.event_id("samples"));
      } else {
        add(stack, line->first, profile.event_id("samples", "", EventRole::kBefore));
        add(stack, *line->second, profile.event_id("samples", "", EventRole::kAfter));
      }
    }
  }
  return profile;
}

}  // namespace

extern const InputFormat folded_input = {
    .name = "folded",
    .description = "folded stacks (FlameGraph, inferno, bcc, async-profiler)",
    .sniff = sniff,
    .read = read,
};

extern const OutputFormat folded_output = {
    .name = "folded",
    .extension = ".folded",
    .description = "folded stacks, one line for each",
    .write = [](const Profile& profile, const WriteOptions& options,
                std::ostream& out) {
      const FlameGraph graph = fold(profile, options.fold);
      for (const NodeId id : graph.ids()) {
        const bool sampled = !graph.sampled.empty() && graph.sampled[id];
        if (graph.self[id] == 0 && (!sampled || id == NodeId::kRoot)) continue;
        std::string line;
        for (NodeId at = id; at != NodeId::kRoot; at = graph.parent[at]) {
          std::string name(graph.name_of(at));
          line = line.empty() ? name : name + ";" + line;
        }
        out << line << ' ' << format_decimal(graph.self[id], graph.decimals)
            << '\n';
      }
    },
    .lacks = "times, threads, addresses, files and lines",
    .only_sums = true,
};

}  // namespace wick
