// SPDX-License-Identifier: Apache-2.0
#include "format/text/perf_line.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace wick {
namespace {

struct Ids {
  std::int32_t pid = -1, tid = -1;
};

// "977", "977/978", "-1".
std::optional<Ids> to_ids(std::string_view word) {
  const std::size_t slash = word.find('/');
  const auto last = to_number<std::int32_t>(
      slash == word.npos ? word : word.substr(slash + 1));
  if (!last) return {};
  if (slash == word.npos) return Ids{-1, *last};
  const auto first = to_number<std::int32_t>(word.substr(0, slash));
  if (!first) return {};
  return Ids{*first, *last};
}

// "[003]".
std::optional<std::uint32_t> to_cpu(std::string_view word) {
  if (word.size() < 3 || word.front() != '[' || word.back() != ']') return {};
  return to_number<std::uint32_t>(word.substr(1, word.size() - 2));
}

// "7628263.042515:", in seconds; with --ns nine digits after the point.
std::optional<std::uint64_t> to_time(std::string_view word) {
  if (!word.ends_with(':') || !is_digit(word.front())) return {};
  word.remove_suffix(1);
  const std::size_t point = word.find('.');
  if (point == word.npos) return {};
  const auto seconds = to_number<std::uint64_t>(word.substr(0, point));
  const std::string_view digits = word.substr(point + 1);
  if (!seconds || !all_digits(digits) || digits.size() > 9 ||
      *seconds > 18'000'000'000)
    return {};
  std::uint64_t fraction = *to_number<std::uint64_t>(digits);
  for (std::size_t i = digits.size(); i < 9; ++i) fraction *= 10;
  return *seconds * 1'000'000'000 + fraction;
}

// "cycles:", "sched:sched_switch:", "cpu/event=0x3c/u:".
bool is_event(std::string_view word) {
  return word.size() > 1 && word.back() == ':' &&
         !all_digits(word.substr(0, word.size() - 1));
}

// Takes "[period] event:" from the front of `text`.
bool take_event(std::string_view& text, PerfEventLine& line) {
  std::string_view rest = text;
  std::string_view word = take_word(rest);
  if (const auto period = to_number<std::int64_t>(word); period) {
    line.period = period;
    text = rest;
    word = take_word(rest);
  }
  if (!is_event(word)) return false;
  line.event = word.substr(0, word.size() - 1);
  text = rest;
  return true;
}

std::string_view between(const char* from, const char* to) {
  return {from, static_cast<std::size_t>(to - from)};
}

// The line has a time: everything is found from there.
std::optional<PerfEventLine> parse_with_time(std::string_view text) {
  // The last three words before the one looked at.
  std::array<std::string_view, 2> before{};
  std::string_view rest = text;
  while (true) {
    const std::string_view word = take_word(rest);
    if (word.empty()) return {};
    const auto time = to_time(word);
    if (!time) {
      before = {before[1], word};
      continue;
    }
    PerfEventLine line;
    line.time_ns = time;
    const char* comm_end = word.data();
    line.cpu = before[1].empty() ? std::nullopt : to_cpu(before[1]);
    std::string_view ids_word = before[1];
    if (line.cpu) {
      comm_end = before[1].data();
      ids_word = before[0];
    }
    if (const auto ids = to_ids(ids_word); ids) {
      comm_end = ids_word.data();
      line.pid = ids->pid;
      line.tid = ids->tid;
    }
    line.comm = trim(between(text.data(), comm_end));
    take_event(rest, line);
    line.rest = trim(rest);
    return line;
  }
}

// Without a time, the first number that is followed by an event is the thread.
std::optional<PerfEventLine> parse_without_time(std::string_view text) {
  std::string_view rest = text;
  while (true) {
    const std::string_view word = take_word(rest);
    if (word.empty()) return {};
    const auto ids = to_ids(word);
    if (!ids) continue;
    PerfEventLine line{.comm = trim(between(text.data(), word.data())),
                       .pid = ids->pid,
                       .tid = ids->tid};
    std::string_view after = rest;
    std::string_view peek = after;
    if (const auto cpu = to_cpu(take_word(peek)); cpu) {
      line.cpu = cpu;
      after = peek;
    }
    if (!take_event(after, line)) continue;
    line.rest = trim(after);
    return line;
  }
}

// The start of the "(module)" at the end of `text`, whose brackets may be
// nested: "(/tmp/x (deleted))".
std::size_t module_start(std::string_view text) {
  int depth = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] == ')') ++depth;
    if (text[at] == '(' && --depth == 0)
      return at > 0 && is_blank(text[at - 1]) ? at : text.npos;
  }
  return text.rfind(" (") == text.npos ? text.npos : text.rfind(" (") + 1;
}

std::string_view without_hex_offset(std::string_view symbol) {
  const std::size_t plus = symbol.rfind("+0x");
  if (plus != symbol.npos && all_hex_digits(symbol.substr(plus + 3)))
    return symbol.substr(0, plus);
  return symbol;
}

}  // namespace

std::optional<PerfEventLine> parse_perf_event(std::string_view line) {
  line = trim_right(line);
  if (auto parsed = parse_with_time(line)) return parsed;
  return parse_without_time(line);
}

std::optional<PerfFrameLine> parse_perf_frame(std::string_view line) {
  std::string_view rest = trim_right(line);
  PerfFrameLine frame;
  frame.address = take_word(rest);
  if (!all_hex_digits(frame.address)) return {};
  rest = trim_left(rest);
  if (rest.ends_with(')')) {
    const std::size_t start =
        rest.starts_with('(') && rest.find(" (") == rest.npos
            ? 0
            : module_start(rest);
    if (start != rest.npos) {
      frame.module = rest.substr(start + 1, rest.size() - start - 2);
      rest = trim_right(rest.substr(0, start));
    }
  }
  frame.symbol = without_hex_offset(rest);
  return frame;
}

bool is_kernel_module(std::string_view module, bool like_peers) {
  if (module == "[unknown]") return false;
  if (module.starts_with('[')) {
    if (like_peers) return true;
    for (const std::string_view user :
         {"[heap", "[stack", "[anon", "[uprobes", "[JIT]"})
      if (module.starts_with(user)) return false;
    return true;
  }
  if (module.ends_with(".ko") || module.find(".ko.") != module.npos)
    return true;
  const std::size_t at = module.rfind("vmlinux");
  return at != module.npos &&
         std::ranges::all_of(module.substr(at + 7), [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'z') ||
                  (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c == '-';
         });
}

bool is_jit_module(std::string_view module) {
  return (module.starts_with("/tmp/perf-") && module.ends_with(".map")) ||
         (module.find("/jitted-") != module.npos && module.ends_with(".so")) ||
         module.starts_with("[JIT]");
}

}  // namespace wick
