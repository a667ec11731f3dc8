// SPDX-License-Identifier: Apache-2.0
#include "host/proc_text.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace wick {
namespace {

bool is_key(const KeyedMetric& metric, std::string_view word) {
  if (!metric.key.ends_with('*')) return word == metric.key;
  return word.starts_with(metric.key.substr(0, metric.key.size() - 1));
}

}  // namespace

void add_number(std::string_view text, Metric metric, HostMetrics& metrics,
                std::string_view label, double factor) {
  if (const auto value = to_number<std::uint64_t>(trim(text)))
    metrics.add(metric, static_cast<double>(*value) * factor, label);
}

void add_keyed(std::string_view text, std::span<const KeyedMetric> keys,
               HostMetrics& metrics) {
  std::vector<std::optional<double>> sums(keys.size());
  while (!text.empty()) {
    std::string_view line = take_line(text);
    std::string_view word = take_word(line);
    if (word.ends_with(':')) word.remove_suffix(1);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!is_key(keys[i], word)) continue;
      const auto value = to_number<std::uint64_t>(take_word(line));
      if (!value) break;
      sums[i] =
          sums[i].value_or(0) + static_cast<double>(*value) * keys[i].factor;
      break;
    }
  }
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (sums[i]) metrics.add(keys[i].metric, *sums[i]);
}

void add_paired(std::string_view text, std::string_view prefix,
                std::span<const KeyedMetric> keys, HostMetrics& metrics) {
  while (!text.empty()) {
    std::string_view names = take_line(text);
    if (take_word(names) != prefix) continue;
    std::string_view values = take_line(text);
    if (take_word(values) != prefix) return;
    while (!trim(names).empty()) {
      const std::string_view name = take_word(names);
      const std::string_view value = take_word(values);
      const auto found = std::ranges::find(keys, name, &KeyedMetric::key);
      if (found != keys.end()) add_number(value, found->metric, metrics);
    }
  }
}

void add_pressure(std::string_view text, std::string_view resource, Metric some,
                  Metric full, HostMetrics& metrics) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view who = take_word(line);
    const std::size_t at = line.find("total=");
    if (at == line.npos || (who != "some" && who != "full")) continue;
    add_number(line.substr(at + 6), who == "some" ? some : full, metrics,
               resource, kMicrosecond);
  }
}

}  // namespace wick
