// SPDX-License-Identifier: Apache-2.0
// A unit is read once from front to back. Most of it are functions that cover
// none of the addresses, and GCC's DW_AT_sibling leads past them. That can miss
// functions: a nested one is inside its parent's DIE but not inside its code,
// and languages other than C and C++ define methods inside types. So if an
// address was not found and something was skipped, the unit is read again
// without skipping anything.
#include "object/dwarf/dwarf_functions.h"

#include <algorithm>

namespace wick {
namespace {

class Walk {
 public:
  Walk(const Unit& unit, const AbbrevTable& table,
       std::span<const std::uint64_t> addresses, FunctionsAt& out)
      : unit_(unit), table_(table), addresses_(addresses), out_(out) {
    best_.assign(addresses.size(), UINT64_MAX);
    touches_left_ = (1 << 20) + 4096 * addresses.size();
  }

  void run(bool whole) {
    whole_ = whole;
    open_.clear();
    DwarfCursor in = unit_.dies(unit_.header.first_die);
    std::uint64_t depth = 0;
    while (!in.at_end()) {
      const std::uint64_t die = in.offset();
      const std::uint64_t code = in.uleb();
      if (code == 0) {
        if (depth <= 1) return;
        --depth;
        while (!open_.empty() && open_.back().depth >= depth) open_.pop_back();
        continue;
      }
      const Abbrev* abbrev = table_.find(code);
      if (abbrev == nullptr) break;
      if (!step(*abbrev, in, die, depth) && abbrev->has_children) ++depth;
      if (depth == 0) return;
    }
    // Missing zeros at the end lose nothing.
    if (in.failed() || !in.at_end()) out_.damaged = true;
  }

  bool left_out() const { return left_out_; }

 private:
  struct Open {
    std::uint64_t depth;
    std::int32_t node;  // -1: not made yet
    FunctionNode function;
  };

  // True if the children were skipped, too.
  bool step(const Abbrev& abbrev, DwarfCursor& in, std::uint64_t die,
            std::uint64_t depth) {
    switch (abbrev.kind) {
      case DieKind::kFunction:
        return function(abbrev, in, die, depth);
      case DieKind::kInlined:
        if (open_.empty()) break;
        inlined(abbrev, in, die, depth);
        return false;
      case DieKind::kAbstract:
        return over_subtree(abbrev, in);
      case DieKind::kType:
        if (unit_.is_c_or_cpp()) return over_subtree(abbrev, in);
        break;
      default:
        break;
    }
    table_.skip(abbrev, in);
    return false;
  }

  bool function(const Abbrev& abbrev, DwarfCursor& in, std::uint64_t die,
                std::uint64_t depth) {
    const Die values = table_.read(abbrev, in);
    open_.push_back({.depth = depth, .node = -1, .function = {.die = die}});
    const bool wanted = cover(values);
    if (wanted && abbrev.has_children) return false;
    open_.pop_back();
    return !wanted && abbrev.has_children && go_to_sibling(values, in);
  }

  void inlined(const Abbrev& abbrev, DwarfCursor& in, std::uint64_t die,
               std::uint64_t depth) {
    const Die values = table_.read(abbrev, in);
    if (open_.size() >= kMaxDepth) {
      out_.damaged = true;
      return;
    }
    open_.push_back({.depth = depth,
                     .node = -1,
                     .function = {.die = die,
                                  .call_file = values[Attr::kCallFile].value,
                                  .call_line = static_cast<std::uint32_t>(
                                      values[Attr::kCallLine].value),
                                  .inlined = true}});
    cover(values);
    if (!abbrev.has_children) open_.pop_back();
  }

  // Assigns the innermost open function to the addresses that its code covers,
  // unless they have one with a smaller piece of code: an inner function is
  // never larger than an outer one.
  bool cover(const Die& values) {
    ranges_.clear();
    if (!unit_.ranges(values, ranges_)) out_.damaged = true;
    bool covers = false;
    for (const AddressRange& range : ranges_) {
      auto at = std::ranges::lower_bound(addresses_, range.begin);
      for (; at != addresses_.end() && *at < range.end; ++at) {
        covers = true;
        if (touches_left_ == 0) {
          out_.damaged = true;
          return covers;
        }
        --touches_left_;
        const auto i = static_cast<std::size_t>(at - addresses_.begin());
        if (range.end - range.begin > best_[i]) continue;
        best_[i] = range.end - range.begin;
        out_.innermost[i] = node();
      }
    }
    return covers;
  }

  // The node of the innermost open function; it and its callers are made on
  // first use.
  std::int32_t node() {
    std::size_t i = open_.size();
    while (i > 0 && open_[i - 1].node < 0) --i;
    for (; i < open_.size(); ++i) {
      Open& open = open_[i];
      if (open.function.inlined) open.function.caller = open_[i - 1].node;
      open.node = static_cast<std::int32_t>(out_.nodes.size());
      out_.nodes.push_back(open.function);
    }
    return open_.back().node;
  }

  // Reads the DIE and skips its children if it says where they end.
  bool over_subtree(const Abbrev& abbrev, DwarfCursor& in) {
    if (whole_ || !abbrev.has_children || !abbrev.has_sibling ||
        !open_.empty()) {
      table_.skip(abbrev, in);
      return false;
    }
    return go_to_sibling(table_.read(abbrev, in), in);
  }

  bool go_to_sibling(const Die& values, DwarfCursor& in) {
    if (whole_ || !open_.empty()) return false;
    const auto sibling = unit_.reference(values[Attr::kSibling]);
    // A sibling before this DIE would make an endless loop.
    if (!sibling || sibling->offset <= in.offset() ||
        sibling->offset >= unit_.header.end)
      return false;
    left_out_ = true;
    in.go_forward(sibling->offset);
    return true;
  }

  static constexpr std::size_t kMaxDepth = 4096;

  const Unit& unit_;
  const AbbrevTable& table_;
  std::span<const std::uint64_t> addresses_;
  FunctionsAt& out_;
  bool whole_ = false, left_out_ = false;
  std::vector<Open> open_;  // the current function and inlined calls
  std::vector<std::uint64_t> best_;
  std::vector<AddressRange> ranges_;
  std::uint64_t touches_left_ = 0;
};

}  // namespace

FunctionsAt find_functions(const Unit& unit, const AbbrevTable& table,
                           std::span<const std::uint64_t> addresses) {
  FunctionsAt found;
  found.innermost.assign(addresses.size(), -1);
  Walk walk(unit, table, addresses, found);
  walk.run(false);
  if (walk.left_out() && std::ranges::count(found.innermost, -1) > 0) {
    std::vector<std::uint64_t> missing;
    for (std::size_t i = 0; i < addresses.size(); ++i)
      if (found.innermost[i] < 0) missing.push_back(addresses[i]);
    FunctionsAt more;
    more.innermost.assign(missing.size(), -1);
    Walk(unit, table, missing, more).run(true);
    const auto base = static_cast<std::int32_t>(found.nodes.size());
    for (FunctionNode node : more.nodes) {
      if (node.caller >= 0) node.caller += base;
      found.nodes.push_back(node);
    }
    std::size_t k = 0;
    for (std::int32_t& node : found.innermost) {
      if (node >= 0) continue;
      node = more.innermost[k] < 0 ? -1 : more.innermost[k] + base;
      ++k;
    }
    found.damaged |= more.damaged;
  }
  return found;
}

bool function_ranges(const Unit& unit, const AbbrevTable& table,
                     std::vector<AddressRange>& out) {
  DwarfCursor in = unit.dies(unit.header.first_die);
  while (!in.at_end()) {
    const std::uint64_t code = in.uleb();
    if (code == 0) continue;
    const Abbrev* abbrev = table.find(code);
    if (abbrev == nullptr) return false;
    if (abbrev->kind != DieKind::kFunction)
      table.skip(*abbrev, in);
    else if (!unit.ranges(table.read(*abbrev, in), out))
      return false;
  }
  return !in.failed();
}

}  // namespace wick
