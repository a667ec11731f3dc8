// SPDX-License-Identifier: Apache-2.0
#include "builders/debug_info_text.h"

#include <fmt/format.h>

namespace wick {

std::string resolved(DebugInfo& info,
                     const std::vector<std::uint64_t>& addresses) {
  std::vector<std::string> lines(addresses.size(), "not told");
  info.resolve(
      addresses, 2, [&](std::size_t i, std::span<const SourceFrame> frames) {
        lines[i].clear();
        for (const SourceFrame& frame : frames)
          lines[i] +=
              fmt::format("{}{}{} {}:{}", lines[i].empty() ? " " : " > ",
                          frame.function.empty() ? "?" : frame.function,
                          frame.is_linkage_name ? "!" : "",
                          frame.file.empty() ? "?" : frame.file, frame.line);
      });
  std::string text;
  for (std::size_t i = 0; i < addresses.size(); ++i)
    text += fmt::format("{:x}:{}\n", addresses[i], lines[i]);
  return text;
}

std::string resolved(DebugInfo::Files files,
                     const std::vector<std::uint64_t>& addresses) {
  DebugInfo info(std::move(files));
  return resolved(info, addresses);
}

std::string resolved(const DwarfBuilder& dwarf,
                     const std::vector<std::uint64_t>& addresses) {
  return resolved({.main = dwarf.file()}, addresses);
}

}  // namespace wick
