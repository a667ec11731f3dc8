// SPDX-License-Identifier: Apache-2.0
#include "base/time_text.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/text.h"

namespace wick {
namespace {

constexpr std::pair<std::string_view, double> kUnits[] = {
    {"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}, {"ns", 1}};

// "1.23", "12.3", "123": as many decimals as three digits leave.
std::string three_digits(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

}  // namespace

std::string time_text(double nanoseconds) {
  if (nanoseconds == 0) return "0 s";
  for (const auto& [unit, size] : kUnits)
    // 999.6 of the smaller unit would be rounded to 1000.
    if (unit != "ns" && std::abs(nanoseconds) >= 0.9995 * size)
      return fmt::format("{} {}", three_digits(nanoseconds / size), unit);
  return fmt::format("{:.3g} ns", nanoseconds);
}

std::optional<double> parse_time(std::string_view text) {
  const std::size_t digits = text.find_last_of("0123456789.") + 1;
  const std::string_view unit = trim(text.substr(digits));
  const auto number = to_double(text.substr(0, digits));
  if (!number || !std::isfinite(*number)) return {};
  for (const auto& [name, size] : kUnits)
    if (unit == name || (unit == "us" && name == "µs")) return *number * size;
  return {};
}

}  // namespace wick
