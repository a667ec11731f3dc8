// SPDX-License-Identifier: Apache-2.0
#include "render/tooltip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/append.h"
#include "base/text.h"
#include "base/time_text.h"
#include "profile/profile.h"

namespace wick {
namespace {

std::int64_t rounded(double value) {
  constexpr double kMost = 9.2e18;
  return static_cast<std::int64_t>(
      std::round(std::fmin(std::fmax(value, -kMost), kMost)));
}

}  // namespace

std::string_view shown_name(const FlameGraph& graph, NodeId id) {
  if (id == NodeId::kRoot) return "all";
  std::string_view name = graph.name_of(id);
  for (const std::string_view annotation : {"_[k]", "_[w]", "_[i]", "_[j]"})
    if (name.ends_with(annotation)) {
      name.remove_suffix(annotation.size());
      break;
    }
  return name;
}

Tooltips::Tooltips(const FlameGraph& graph, const DrawOptions& options,
                   std::string count_name, bool is_normalised)
    : graph_(graph),
      count_name_(std::move(count_name)),
      factor_(options.factor),
      unit_ns_(options.count_name.empty() && options.factor == 1 &&
                       !options.as_inferno
                   ? nanoseconds_in(graph.unit)
                   : 0),
      negate_(options.negate),
      as_inferno_(options.as_inferno),
      is_normalised_(is_normalised) {
  std::int64_t whole = graph.total[NodeId::kRoot];
  // Everything vanished: shares are of the whole before.
  if (whole == 0 && graph.is_difference)
    whole = graph.before_total[NodeId::kRoot];
  whole_ = static_cast<double>(whole == 0 ? 1 : whole);
  // inferno multiplies the whole by the factor, but not the change.
  change_whole_ = as_inferno_ ? whole_ * factor_ : whole_;
}

std::int64_t Tooltips::change(NodeId id) const {
  if (as_inferno_) return graph_.self[id] - graph_.before_self[id];
  const std::int64_t change = graph_.total[id] - graph_.before_total[id];
  // What scaling rounds is not a change.
  constexpr double kLeast = 1e-9;
  const bool is_rounding =
      is_normalised_ && std::abs(static_cast<double>(change)) < kLeast * whole_;
  return is_rounding ? 0 : change;
}

void Tooltips::append_count(std::string& out, std::int64_t weight) const {
  const double value = graph_.value(weight) * factor_;
  if (unit_ns_ != 0) {
    out += time_text(value * static_cast<double>(unit_ns_));
    return;
  }
  if (graph_.decimals == 0) {
    out += with_commas(rounded(value));
  } else {
    const double size = std::abs(value);
    const double whole = std::trunc(value);
    if (size != 0 && size < 1) {
      append(out, "{:.3g}", value);
    } else {
      std::string fraction = fmt::format("{:.3f}", size - std::abs(whole));
      while (fraction.ends_with('0')) fraction.pop_back();
      const bool carried = fraction.starts_with('1');
      out += with_commas(rounded(carried ? std::round(value) : whole));
      if (!carried && fraction.size() > 2) out += fraction.substr(1);
    }
  }
  out += ' ';
  out += count_name_;
}

void Tooltips::append_percent(std::string& out, std::int64_t weight) const {
  append(out, "{:.2f}%", 100 * share(weight));
}

// With a factor, shares are of the rounded numbers that are shown, as in the
// peers, unless weights have decimals or the factor makes the numbers too small
// to be useful. inferno's whole is not rounded: its shares can exceed 1.
double Tooltips::share(std::int64_t weight) const {
  const double exact = static_cast<double>(weight) / whole_;
  if (graph_.decimals != 0 || factor_ == 1) return exact;
  if (!as_inferno_ && factor_ < 1) return exact;
  const double shown =
      static_cast<double>(rounded(static_cast<double>(weight) * factor_));
  const double whole = whole_ * factor_;
  return shown / (as_inferno_ ? whole : static_cast<double>(rounded(whole)));
}

void Tooltips::append_counts(std::string& out, NodeId id) const {
  out += " (";
  append_count(out, graph_.total[id]);
  out += ", ";
  if (id == NodeId::kRoot) {
    out += "100%)";
    return;
  }
  append_percent(out, graph_.total[id]);
  if (graph_.is_difference) append_change(out, id);
  out += ')';
}

void Tooltips::append_change(std::string& out, NodeId id) const {
  // The peers' --negate changes the sign, too.
  const std::int64_t change =
      negate_ && as_inferno_ ? -this->change(id) : this->change(id);
  append(out, "; {}", change > 0 ? "+" : "");
  if (is_normalised_ || as_inferno_)
    append(out, "{:.2f}%", 100 * static_cast<double>(change) / change_whole_);
  else
    append_count(out, change);
}

}  // namespace wick
