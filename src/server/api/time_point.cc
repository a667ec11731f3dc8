// SPDX-License-Identifier: Apache-2.0
#include "server/api/time_point.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace wick {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
// Until the year 2262, as everything in nanoseconds.
constexpr double kMostSeconds = 9.2e9;

// Two digits of at most `most`.
std::optional<int> take_pair(std::string_view& text, int most) {
  if (text.size() < 2 || !is_digit(text[0]) || !is_digit(text[1])) return {};
  const int value = (text[0] - '0') * 10 + (text[1] - '0');
  text.remove_prefix(2);
  return value <= most ? std::optional(value) : std::nullopt;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == any_of.npos) return false;
  text.remove_prefix(1);
  return true;
}

// ".25", if it is there, in nanoseconds.
std::optional<std::int64_t> take_decimals(std::string_view& text) {
  std::int64_t ns = 0, unit = kNsPerSecond;
  if (!take(text, ".")) return 0;
  while (!text.empty() && is_digit(text.front())) {
    unit /= 10;
    ns += (text.front() - '0') * unit;
    text.remove_prefix(1);
  }
  return unit < kNsPerSecond ? std::optional(ns) : std::nullopt;
}

// "Z", "+01:00"; in a query, "+" is a space. In seconds.
std::optional<std::int64_t> take_zone(std::string_view& text) {
  if (take(text, "Zz")) return 0;
  const bool is_west = text.starts_with('-');
  if (!take(text, "-+ ")) return {};
  const auto hours = take_pair(text, 23);
  take(text, ":");
  const auto minutes = take_pair(text, 59);
  if (!hours || !minutes) return {};
  return (*hours * 3600 + *minutes * 60) * (is_west ? -1 : 1);
}

std::optional<std::int64_t> date_ns(std::string_view text) {
  const auto century = take_pair(text, 22), year = take_pair(text, 99);
  const bool has_month = take(text, "-");
  const auto month = take_pair(text, 12);
  const bool has_day = take(text, "-");
  const auto day = take_pair(text, 31);
  if (!century || *century < 19 || !year || !has_month || !month || !has_day ||
      !day || !take(text, "Tt "))
    return {};
  const auto hour = take_pair(text, 23);
  const bool has_minute = take(text, ":");
  const auto minute = take_pair(text, 59);
  const bool has_second = take(text, ":");
  const auto second = take_pair(text, 60);
  const auto decimals = take_decimals(text);
  const auto zone = take_zone(text);
  if (!hour || !has_minute || !minute || !has_second || !second || !decimals ||
      !zone || !text.empty())
    return {};
  const std::chrono::year_month_day date{
      std::chrono::year(*century * 100 + *year),
      std::chrono::month(static_cast<unsigned>(*month)),
      std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *century * 100 + *year >= 2262) return {};
  const std::int64_t days =
      std::chrono::sys_days(date).time_since_epoch().count();
  return (days * 86400 + *hour * 3600 + *minute * 60 + *second - *zone) *
             kNsPerSecond +
         *decimals;
}

std::optional<std::int64_t> since_1970(std::string_view text) {
  const std::string_view digits = text.substr(0, text.find('.'));
  std::int64_t unit = kNsPerSecond;
  for (const auto& [size, unit_of_size] :
       {std::pair(13u, 1'000'000), std::pair(16u, 1000), std::pair(19u, 1)})
    if (digits.size() == size) unit = unit_of_size;
  const auto whole = to_number<std::int64_t>(digits);
  text.remove_prefix(digits.size());
  const auto decimals = take_decimals(text);
  if (!all_digits(digits) || !whole || !decimals || !text.empty() ||
      (unit < kNsPerSecond && *decimals != 0) ||
      static_cast<double>(*whole) * static_cast<double>(unit) >
          kMostSeconds * 1e9)
    return {};
  return *whole * unit + *decimals;
}

}  // namespace

std::optional<std::int64_t> parse_duration(std::string_view text) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ms", 1e-3}, {"s", 1},     {"m", 60},
      {"h", 3600},  {"d", 86400}, {"w", 7 * 86400.}};
  const std::size_t end = text.find_first_not_of("0123456789.");
  if (end == text.npos) return {};
  const auto number = to_double(text.substr(0, end));
  for (const auto& [unit, seconds] : kUnits)
    if (unit == text.substr(end) && number && *number * seconds <= kMostSeconds)
      if (const double ns = std::round(*number * seconds * 1e9); ns > 0)
        return static_cast<std::int64_t>(ns);
  return {};
}

std::optional<std::int64_t> parse_time_point(std::string_view text,
                                             std::int64_t now_ns) {
  const bool says_now = text.starts_with("now");
  if (says_now) text.remove_prefix(3);
  if (says_now && text.empty()) return now_ns;
  if (text.starts_with('-')) {
    const auto before = parse_duration(text.substr(1));
    return before ? std::optional(now_ns - *before) : std::nullopt;
  }
  if (says_now) return {};
  if (const auto date = date_ns(text)) return date;
  return since_1970(text);
}

std::string date_text(std::int64_t ns) {
  using namespace std::chrono;
  const sys_seconds time(floor<seconds>(nanoseconds(ns)));
  const sys_days day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", int{date.year()},
                     unsigned{date.month()}, unsigned{date.day()},
                     clock.hours().count(), clock.minutes().count(),
                     clock.seconds().count());
}

}  // namespace wick
