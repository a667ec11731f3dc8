// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/module_list.h"

#include "base/text.h"

namespace wick {

std::optional<LoadedModule> parse_loaded_module(std::string_view line) {
  line = trim(line);
  const std::string_view name = take_word(line);
  const std::size_t state = line.find("Live ");
  const std::size_t address = line.rfind("0x");
  if (state == line.npos || address == line.npos || address < state) return {};
  std::string_view digits = line.substr(address + 2);
  // Taint flags such as "(OE)" may follow.
  digits = digits.substr(0, digits.find_first_not_of("0123456789abcdef"));
  const auto start = to_number<std::uint64_t>(digits, 16);
  if (!start || *start == 0 || name.empty()) return {};
  return LoadedModule{name, *start};
}

}  // namespace wick
