// SPDX-License-Identifier: Apache-2.0
#include "server/api/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "server/api/time_point.h"

namespace wick {
namespace {

// More would be a mistake, and each costs a comparison with each metric.
constexpr std::size_t kMostItems = 200;

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  throw RequestError(400, fmt::format(format, std::forward<Args>(args)...));
}

std::string suggestion(std::string_view name,
                       std::span<const std::string_view> known) {
  const auto distance = [&](std::string_view other) {
    return edit_distance(name.substr(0, 50), other);
  };
  const auto nearest = std::ranges::min_element(known, {}, distance);
  if (nearest == known.end()) return "it takes none";
  if (distance(*nearest) <= 2)
    return fmt::format("did you mean '{}'?", *nearest);
  return fmt::format("it takes {}", fmt::join(known, ", "));
}

}  // namespace

RequestError::~RequestError() = default;

Parameters::Parameters(const HttpTarget& target,
                       std::span<const std::string_view> known,
                       std::int64_t now_ns)
    : target_(target), now_ns_(now_ns) {
  constexpr std::string_view kRepeated = "name";
  for (auto at = target.query.begin(); at != target.query.end(); ++at) {
    const std::string& name = at->first;
    if (std::ranges::find(known, name) == known.end())
      refuse("{} has no parameter '{}'; {}", target.path, excerpt(name),
             suggestion(name, known));
    if (name != kRepeated &&
        std::any_of(target.query.begin(), at,
                    [&](const auto& other) { return other.first == name; }))
      refuse("'{}' is there twice", name);
  }
}

std::optional<std::string_view> Parameters::text(std::string_view name) const {
  const auto value = target_.value(name);
  return value && !value->empty() ? value : std::nullopt;
}

std::string Parameters::text_or(std::string_view name,
                                std::string_view otherwise) const {
  return std::string(text(name).value_or(otherwise));
}

std::vector<std::string> Parameters::list(std::string_view name) const {
  std::vector<std::string> items;
  for (const auto& [key, value] : target_.query) {
    if (key != name) continue;
    for (std::string_view rest = value; !rest.empty();)
      if (const std::string_view item = trim(take_until(rest, ','));
          !item.empty())
        items.emplace_back(item);
  }
  if (items.size() > kMostItems)
    refuse("'{}' has {} items; expected at most {}", name, items.size(),
           kMostItems);
  return items;
}

std::int64_t Parameters::number(
    std::string_view name, std::int64_t otherwise,
    std::pair<std::int64_t, std::int64_t> limits) const {
  const auto value = text(name);
  if (!value) return otherwise;
  const auto number = to_number<std::int64_t>(*value);
  if (!number || *number < limits.first || *number > limits.second)
    refuse("'{}' is '{}'; expected a number from {} to {}", name,
           excerpt(*value), limits.first, limits.second);
  return *number;
}

std::optional<std::int64_t> Parameters::duration(std::string_view name) const {
  const auto value = text(name);
  if (!value) return std::nullopt;
  const auto ns = parse_duration(*value);
  if (!ns)
    refuse("'{}' is '{}'; expected a time such as 10s, 5m or 1h", name,
           excerpt(*value));
  return ns;
}

std::optional<std::int64_t> Parameters::time(std::string_view name) const {
  const auto value = text(name);
  if (!value) return std::nullopt;
  const auto ns = parse_time_point(*value, now_ns_);
  if (!ns)
    refuse(
        "'{}' is '{}'; expected a time such as now, -60s, 1700000000 (seconds "
        "since 1970) or 2026-11-19T20:09:02Z",
        name, excerpt(*value));
  return ns;
}

TimeSpan Parameters::span(std::int64_t default_ns,
                          std::string_view prefix) const {
  const std::string from = fmt::format("{}from", prefix);
  const std::string to = fmt::format("{}to", prefix);
  TimeSpan span;
  span.to_ns = time(to).value_or(now_ns_);
  span.from_ns = time(from).value_or(span.to_ns - default_ns);
  if (span.from_ns >= span.to_ns)
    refuse("'{}' is not before '{}': {} and {}", from, to,
           date_text(span.from_ns), date_text(span.to_ns));
  return span;
}

void Parameters::fail_choice(std::string_view name, std::string_view value,
                             const std::vector<std::string_view>& words) {
  refuse("'{}' is '{}'; expected one of {}", name, excerpt(value),
         fmt::join(words, ", "));
}

}  // namespace wick
