// SPDX-License-Identifier: Apache-2.0
#include "cli/missing_hart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/append.h"
#include "io/input_file.h"
#include "itrace/formats/trace_reader.h"

namespace wick {
namespace {

// "harts 0 and 1", "harts 0, 1, 2 and 61 more".
std::string harts_text(const std::set<std::uint32_t>& harts) {
  constexpr std::size_t kMost = 8;
  std::string text = harts.size() == 1 ? "hart " : "harts ";
  std::size_t left = harts.size();
  for (const std::uint32_t hart : harts) {
    if (left + kMost == harts.size()) break;
    const bool is_first = left == harts.size();
    append(text, "{}{}", is_first ? "" : left == 1 ? " and " : ", ", hart);
    --left;
  }
  if (left > 0) append(text, " and {} more", left);
  return text;
}

}  // namespace

std::string why_no_hart(std::span<const std::string> paths,
                        const std::string& format,
                        const TraceOptions& options) {
  if (options.hart < 0 || std::ranges::find(paths, "-") != paths.end())
    return "";
  TraceOptions all = options;
  all.hart = -1;
  all.trigger = {};
  std::set<std::uint32_t> harts;
  for (const std::string& path : paths) {
    InputFile file = InputFile::open(path);
    const auto reader = open_trace(file, format, all, {});
    for (TraceBlock block; reader->next(block);)
      if (!block.instructions.empty()) harts.insert(block.hart);
  }
  if (harts.empty() || harts.contains(static_cast<std::uint32_t>(options.hart)))
    return "";
  return fmt::format("there is no hart {}; the trace has {}", options.hart,
                     harts_text(harts));
}

}  // namespace wick
