// SPDX-License-Identifier: Apache-2.0
#include "perf/session/process_jit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace wick {

// ".../jit-1234.dump"
bool ProcessJit::is_jitdump(std::string_view path) {
  const std::string_view name = base_name(path);
  return name.starts_with("jit-") && name.ends_with(".dump");
}

void ProcessJit::announce_jitdump(std::uint32_t pid, std::string_view path) {
  if (announced_.size() + dumps_.size() >= kMostDumps ||
      std::ranges::find(dumps_, path, &Dump::path) != dumps_.end() ||
      std::ranges::find(announced_, path, &Announced::path) != announced_.end())
    return;
  announced_.push_back({pid, std::string(path)});
}

MemoryAccount& ProcessJit::memory(const JitReading& reading) {
  if (!memory_)
    memory_ = std::make_unique<MemoryAccount>(reading.memory,
                                              JitReading::kMostOfProcess);
  return *memory_;
}

void ProcessJit::read_announced(JitReading& reading) {
  for (Announced& announced : std::exchange(announced_, {})) {
    const KeptJitFile* kept =
        reading.kept == nullptr
            ? nullptr
            : reading.kept->jitdump(announced.pid, announced.path);
    if (kept != nullptr) {
      dumps_.push_back(
          {std::move(announced.path),
           JitMap::from_jitdump(kept->content, memory(reading).available())});
      memory(reading).take(dumps_.back().map.bytes());
    } else if (auto file = read_jitdump(announced.pid, announced.path,
                                        memory(reading))) {
      if (!file->is_complete) ++reading.incomplete_files;
      dumps_.push_back({std::move(announced.path), std::move(file->map)});
    }
  }
}

ProcessTimes ProcessJit::times(const JitReading& reading) const {
  ProcessTimes times{.seen_until = reading.recorded_until};
  if (began_ != 0 && reading.clock_offset)
    times.began = static_cast<std::int64_t>(
        began_ + static_cast<std::uint64_t>(*reading.clock_offset));
  return times;
}

void ProcessJit::read_map(std::uint32_t pid, std::uint64_t time,
                          JitReading& reading) {
  looked_for_map_ = true;
  map_path_ = fmt::format("/tmp/perf-{}.map", pid);
  const KeptJitFile* kept =
      reading.kept == nullptr ? nullptr : reading.kept->perf_map(pid, time);
  if (kept != nullptr) {
    map_ = JitMap::from_perf_map(kept->content, memory(reading).available());
    memory(reading).take(map_->bytes());
  } else if (auto file = read_perf_map(pid, memory(reading), times(reading))) {
    if (!file->is_complete) ++reading.incomplete_files;
    map_ = std::move(file->map);
  }
}

bool ProcessJit::has_jitdump(JitReading& reading) {
  if (!announced_.empty()) read_announced(reading);
  return !dumps_.empty();
}

std::optional<ProcessJit::Found> ProcessJit::find(std::uint32_t pid,
                                                  std::uint64_t address,
                                                  std::uint64_t time,
                                                  JitReading& reading) {
  if (!announced_.empty()) read_announced(reading);
  for (const Dump& dump : dumps_) {
    const std::uint64_t when =
        dump.map.has_cycles_as_time() ? JitMap::kAnyTime : time;
    if (const auto function = dump.map.find(address, when))
      return Found{&dump.map, *function, dump.path};
  }
  if (!looked_for_map_) read_map(pid, time, reading);
  if (map_)
    if (const auto function = map_->find(address))
      return Found{&*map_, *function, map_path_};
  return {};
}

}  // namespace wick
