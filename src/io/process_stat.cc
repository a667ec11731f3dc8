// SPDX-License-Identifier: Apache-2.0
#include "io/process_stat.h"

#include <limits>

#include "base/text.h"

namespace wick {
namespace {

template <class T>
bool set_number(T& value, std::string_view word) {
  const auto number = to_number<T>(word);
  if (number) value = *number;
  return number.has_value();
}

bool set_priority(ProcessStat& stat, std::string_view word) {
  constexpr int kNormal = 100;  // 0 to 39 are 100 to 139
  const auto shown = to_number<int>(word);
  if (!shown || *shown > std::numeric_limits<int>::max() - kNormal)
    return false;
  stat.priority = *shown + kNormal;
  return true;
}

bool set_field(ProcessStat& stat, int field, std::string_view word) {
  switch (field) {
    case 3:
      if (word.size() != 1) return false;
      stat.state = word.front();
      return true;
    case 4:
      return set_number(stat.parent, word);
    case 10:
      return set_number(stat.minor_faults, word);
    case 12:
      return set_number(stat.major_faults, word);
    case 14:
      return set_number(stat.user_ticks, word);
    case 15:
      return set_number(stat.system_ticks, word);
    case 18:
      return set_priority(stat, word);
    case 20:
      return set_number(stat.threads, word);
    case 22:
      return set_number(stat.start_ticks, word);
    case 24:
      return set_number(stat.resident_pages, word);
    case 39:
      return set_number(stat.cpu, word);
    default:
      return true;
  }
}

}  // namespace

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
  // The process chooses its name, which may have parentheses and blanks.
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == text.npos || close == text.npos || close < open) return {};
  ProcessStat stat{.name = text.substr(open + 1, close - open - 1)};
  text.remove_prefix(close + 1);
  // Fields are numbered as in proc_pid_stat(5).
  constexpr int kLastField = 39;
  for (int field = 3; field <= kLastField; ++field)
    if (!set_field(stat, field, take_word(text))) return {};
  return stat;
}

}  // namespace wick
