// SPDX-License-Identifier: Apache-2.0
#include "format/text/folded_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string>

namespace wick {
namespace {

std::optional<Decimal> take_number_back(std::string_view& line) {
  const std::string_view text = trim_right(line);
  std::size_t at = text.size();
  while (at > 0 && is_digit(text[at - 1])) --at;
  const std::string_view digits = text.substr(at);
  // Up to 18 digits between a blank and the end: the usual case.
  if (at > 0 && is_blank(text[at - 1]) && !digits.empty() &&
      digits.size() <= 18) {
    std::int64_t value = 0;
    for (const char digit : digits) value = value * 10 + (digit - '0');
    line = trim_right(text.substr(0, at - 1));
    return Decimal{value, 0};
  }
  const std::size_t blank = text.find_last_of(" \t");
  if (blank == text.npos) return {};
  const auto number = to_decimal(text.substr(blank + 1));
  if (number) line = trim_right(text.substr(0, blank));
  return number;
}

}  // namespace

std::optional<FoldedWeights> take_folded_weights(std::string_view& line,
                                                 int columns) {
  FoldedWeights weights;
  std::string_view rest = line;
  for (int column = columns; column-- > 0;) {
    const auto number = take_number_back(rest);
    if (!number) return {};
    weights.value[column] = *number;
  }
  line = rest;
  return weights;
}

int folded_columns(std::string_view head) {
  const bool cut = head.size() >= (64 << 10);
  bool any = false;
  while (!head.empty()) {
    std::string_view line = take_line(head);
    if (trim(line).empty() || line.starts_with('#')) continue;
    if (cut && head.empty()) break;
    if (!take_folded_weights(line, 2)) return 1;
    any = true;
  }
  return any ? 2 : 1;
}

std::vector<std::string_view> pieces_at_lines(std::string_view text,
                                              int count) {
  std::vector<std::string_view> pieces;
  for (int left = count; left > 1; --left) {
    const std::size_t near = text.size() / static_cast<std::size_t>(left);
    const std::size_t cut = text.find('\n', near);
    if (cut == text.npos) break;
    pieces.push_back(text.substr(0, cut + 1));
    text.remove_prefix(cut + 1);
  }
  pieces.push_back(text);
  return pieces;
}

namespace {

// Walks the tree in the order of the stacks as text. That is nearly preorder:
// "foo" comes before "foo2", which comes before "foo;bar", since `;` is larger
// than a digit. So the stack that ends in a node and the stacks that go on
// below it are two items, sorted among those of its siblings.
class FoldedLinesWriter {
 public:
  FoldedLinesWriter(const FlameGraph& graph, std::ostream& out)
      : graph_(graph), out_(out) {
    end_ = Column<NodeId, std::uint32_t>(graph.size());
    for (const NodeId id : graph.ids() | std::views::reverse) {
      end_[id] = std::max(end_[id], index(id) + 1);
      end_[graph.parent[id]] = std::max(end_[graph.parent[id]], end_[id]);
    }
    for (const StringId id : graph.strings.ids())
      has_separator_.push_back(graph.strings[id].find_first_of(kSeparators) !=
                               std::string_view::npos);
  }

  void write() {
    if (graph_.self[NodeId::kRoot] != 0) write_line(NodeId::kRoot);
    push_children(NodeId::kRoot, 0);
    while (!items_.empty()) {
      const Item item = items_.back();
      items_.pop_back();
      path_.resize(item.path_size);
      if (item.path_size > 0 || graph_.parent[item.node] != NodeId::kRoot)
        path_ += ';';
      append_name(graph_.name[item.node]);
      if (item.below)
        push_children(item.node, path_.size());
      else
        write_line(item.node);
    }
    flush();
  }

 private:
  struct Item {
    NodeId node;
    bool below;  // callees of the node, not the node itself
    std::size_t path_size;
  };

  // A name must not contain what ends a frame or a line.
  static constexpr std::string_view kSeparators = ";\n\r";
  void append_name(StringId name) {
    const std::size_t begin = path_.size();
    path_ += graph_.strings[name];
    if (!has_separator_[index(name)]) return;
    for (std::size_t at = begin;
         (at = path_.find_first_of(kSeparators, at)) != path_.npos; ++at)
      path_[at] = path_[at] == ';' ? ':' : ' ';
  }

  bool ends_here(NodeId id) const {
    return graph_.self[id] != 0 ||
           (graph_.is_difference && graph_.before_self[id] != 0) ||
           (!graph_.sampled.empty() && graph_.sampled[id]);
  }

  // Pushed last to first, so that the first is on top.
  void push_children(NodeId parent, std::size_t path_size) {
    const std::size_t begin = items_.size();
    bool in_order = true;
    std::string_view previous;
    for (std::uint32_t i = index(parent) + 1; i < end_[parent];) {
      const NodeId id{i};
      i = end_[id];
      if (ends_here(id)) items_.push_back({id, false, path_size});
      if (end_[id] > index(id) + 1) items_.push_back({id, true, path_size});
      const std::string_view name = graph_.name_of(id);
      if (name.starts_with(previous) && !previous.empty()) in_order = false;
      previous = name;
    }
    const auto first = items_.begin() + static_cast<std::ptrdiff_t>(begin);
    if (!in_order && !graph_.is_chart)
      std::stable_sort(first, items_.end(), [&](const Item& a, const Item& b) {
        return less(a, b);
      });
    std::reverse(first, items_.end());
  }

  // Compares "name" or "name;" with "name" or "name;".
  bool less(const Item& a, const Item& b) const {
    const std::string_view x = graph_.name_of(a.node);
    const std::string_view y = graph_.name_of(b.node);
    const std::size_t common = std::min(x.size(), y.size());
    const int order = x.substr(0, common).compare(y.substr(0, common));
    if (order != 0) return order < 0;
    const auto next = [common](std::string_view name, bool below) {
      if (name.size() > common)
        return int{static_cast<unsigned char>(name[common])};
      return below ? int{';'} : -1;
    };
    return next(x, a.below) < next(y, b.below);
  }

  void write_line(NodeId id) {
    buffer_ += path_;
    if (graph_.is_difference) append_number(graph_.before_self[id]);
    append_number(graph_.self[id]);
    buffer_ += '\n';
    if (buffer_.size() > (256 << 10)) flush();
  }

  void append_number(std::int64_t weight) {
    buffer_ += ' ';
    if (graph_.decimals == 0) {
      const fmt::format_int digits(weight);
      buffer_.append(digits.data(), digits.size());
    } else {
      buffer_ += format_decimal(weight, graph_.decimals);
    }
  }

  void flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }

  const FlameGraph& graph_;
  std::ostream& out_;
  Column<NodeId, std::uint32_t> end_;  // one past the last node below
  std::vector<bool> has_separator_;    // by name
  std::vector<Item> items_;
  std::string path_, buffer_;
};

}  // namespace

void write_folded(const FlameGraph& graph, std::ostream& out) {
  FoldedLinesWriter(graph, out).write();
}

}  // namespace wick
