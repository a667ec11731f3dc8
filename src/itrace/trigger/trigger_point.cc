// SPDX-License-Identifier: Apache-2.0
// Parses triggers.
#include <fmt/format.h>

#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "itrace/trigger/trigger.h"

namespace wick {
namespace {

using Kind = TracePoint::Kind;

[[noreturn]] void fail_point(std::string_view text) {
  fail_usage(
      "'{}' is not cycle:N, base-cycle:N, pc:HEX, insn:HEX[/MASK] or "
      "symbol:NAME, optionally followed by #N for the N-th match",
      excerpt(text));
}

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return to_number<std::uint64_t>(text, 16);
}

// A mask may follow "/" or, as in FireSim, be the upper half.
bool parse_instruction(std::string_view text, TracePoint& point) {
  const std::size_t slash = text.find('/');
  const auto value = hexadecimal(text.substr(0, slash));
  if (!value) return false;
  point.value = *value & 0xffffffff;
  if (*value >> 32 != 0) point.mask = static_cast<std::uint32_t>(*value >> 32);
  if (slash == text.npos) return true;
  const auto mask = hexadecimal(text.substr(slash + 1));
  if (!mask || *mask > 0xffffffff || *value >> 32 != 0) return false;
  point.mask = static_cast<std::uint32_t>(*mask);
  return true;
}

// As C's atol: leading blanks, a sign and digits; ignores the rest.
std::int64_t as_atol(std::string_view text) {
  text = trim_left(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::uint64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) break;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    constexpr auto kMost =
        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    value = value > (kMost - digit) / 10 ? kMost : value * 10 + digit;
  }
  return negative ? -static_cast<std::int64_t>(value)
                  : static_cast<std::int64_t>(value);
}

std::uint64_t scaled(std::uint64_t value, std::uint64_t by,
                     std::uint64_t over) {
  __extension__ using Wide = unsigned __int128;
  const Wide result = Wide{value} * by / over;
  return result > UINT64_MAX ? UINT64_MAX : static_cast<std::uint64_t>(result);
}

}  // namespace

TracePoint parse_trace_point(std::string_view text) {
  const std::string_view whole = text;
  TracePoint point;
  // A name may contain '#'; digits after the last one are the number.
  if (const std::size_t mark = text.rfind('#');
      mark != text.npos && all_digits(text.substr(mark + 1))) {
    point.hit = to_number<std::uint64_t>(text.substr(mark + 1)).value_or(0);
    if (point.hit == 0) fail_point(whole);
    text = text.substr(0, mark);
  }
  const std::size_t colon = text.find(':');
  if (colon == text.npos) fail_point(whole);
  const std::string_view kind = text.substr(0, colon);
  const std::string_view rest = text.substr(colon + 1);
  std::optional<std::uint64_t> value = 0;
  if (kind == "cycle" || kind == "base-cycle") {
    point.kind = kind == "cycle" ? Kind::kCycle : Kind::kBaseCycle;
    value = to_number<std::uint64_t>(rest);
    if (point.hit != 0) fail_point(whole);
  } else if (kind == "pc") {
    point.kind = Kind::kPc;
    value = hexadecimal(rest);
  } else if (kind == "insn") {
    point.kind = Kind::kInstruction;
    if (!parse_instruction(rest, point)) fail_point(whole);
    value = point.value;
  } else if (kind == "symbol") {
    point.kind = Kind::kSymbol;
    point.symbol = rest;
    if (rest.empty()) fail_point(whole);
  } else {
    fail_point(whole);
  }
  if (!value) fail_point(whole);
  point.value = *value;
  return point;
}

void set_tracerv_trigger(TriggerOptions& trigger, int selector,
                         std::string_view start, std::string_view end) {
  trigger.from.clear();
  trigger.until.clear();
  start = trim(start);
  end = trim(end);
  const auto number = [](std::string_view text) {
    if (text == "-1") return UINT64_MAX;  // FireSim's "no end"
    const auto value = hexadecimal(text);
    if (!value)
      fail_usage("the trigger '{}' is not a hexadecimal number", excerpt(text));
    return *value;
  };
  switch (selector) {
    case 0:
      return;
    case 1:
      // TracerV treats the numbers as unsigned: -1 is the last possible cycle.
      if (const auto first = static_cast<std::uint64_t>(as_atol(start));
          first != 0)
        trigger.from = fmt::format("base-cycle:{}", first);
      if (const auto last = static_cast<std::uint64_t>(as_atol(end));
          last != UINT64_MAX)
        trigger.until = fmt::format("base-cycle:{}", last);
      return;
    case 2:
      trigger.from = fmt::format("pc:{:x}", number(start));
      trigger.until = fmt::format("pc:{:x}", number(end));
      return;
    case 3:
      for (auto [text, out] :
           {std::pair(start, &trigger.from), std::pair(end, &trigger.until)}) {
        const std::uint64_t value = number(text);
        *out = fmt::format("insn:{:x}/{:x}", value & 0xffffffff, value >> 32);
      }
      return;
    default:
      fail_usage(
          "no trigger selector {}; 0 is none, 1 cycles, 2 a pc, 3 an "
          "instruction",
          selector);
  }
}

std::uint64_t ClockRatio::to_local(std::uint64_t base) const {
  return scaled(base, multiplier, divisor);
}

std::uint64_t ClockRatio::to_base(std::uint64_t local) const {
  return scaled(local, divisor, multiplier);
}

ClockRatio clock_ratio(std::string_view clock_domain) {
  // "uncore_clock, 1/2 of Base Clock"; names may contain commas.
  const std::size_t comma = clock_domain.rfind(", ");
  if (comma == clock_domain.npos) return {};
  std::string_view rest = clock_domain.substr(comma + 2);
  const auto multiplier = to_number<std::uint64_t>(take_until(rest, '/'));
  const auto divisor = to_number<std::uint64_t>(take_word(rest));
  if (!multiplier || !divisor || *multiplier == 0 || *divisor == 0) return {};
  return {*multiplier, *divisor};
}

bool has_trigger(const TriggerOptions& trigger) {
  return !trigger.from.empty() || !trigger.until.empty() ||
         !trigger.space.empty();
}

}  // namespace wick
