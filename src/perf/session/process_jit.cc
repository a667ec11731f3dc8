// SPDX-License-Identifier: Apache-2.0
#include "perf/session/process_jit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "object/jit/jit_files.h"

namespace wick {

// ".../jit-1234.dump"
bool ProcessJit::is_jitdump(std::string_view path) {
  const std::string_view name = base_name(path);
  return name.starts_with("jit-") && name.ends_with(".dump");
}

void ProcessJit::add_jitdump(std::uint32_t pid, std::string_view path) {
  if (std::ranges::find(dumps_, path, &Dump::path) != dumps_.end()) return;
  std::string name(path);
  if (auto map = read_jitdump(pid, name))
    dumps_.push_back({std::move(name), std::move(*map)});
}

std::optional<ProcessJit::Found> ProcessJit::find(std::uint32_t pid,
                                                  std::uint64_t address,
                                                  std::uint64_t time) {
  for (const Dump& dump : dumps_) {
    const std::uint64_t when =
        dump.map.has_cycles_as_time() ? JitMap::kAnyTime : time;
    if (const JitMap::Function* function = dump.map.find(address, when))
      return Found{&dump.map, function, dump.path};
  }
  if (!looked_for_map_) {
    looked_for_map_ = true;
    map_ = read_perf_map(pid);
    map_path_ = fmt::format("/tmp/perf-{}.map", pid);
  }
  if (map_)
    if (const JitMap::Function* function = map_->find(address))
      return Found{&*map_, function, map_path_};
  return {};
}

}  // namespace wick
