// SPDX-License-Identifier: Apache-2.0
// The functions that a process compiled while it ran.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "object/jit/jit_files.h"
#include "object/jit/jit_map.h"
#include "object/kept_names.h"

namespace wick {

// Bounds what is read of all processes.
struct JitReading {
  // A map of 100,000 functions is 10 MB; one that V8 has written for days is
  // some hundred.
  static constexpr std::uint64_t kMost = std::uint64_t{768} << 20;
  static constexpr std::uint64_t kMostOfProcess = std::uint64_t{512} << 20;

  std::shared_ptr<MemoryBudget> memory = std::make_shared<MemoryBudget>(kMost);
  std::uint64_t incomplete_files = 0;
  const KeptNames* kept = nullptr;  // by the recording, before any files
  // In nanoseconds since 1970; 0: unknown, or processes are being recorded.
  std::int64_t recorded_until = 0;
  // What the clock of the recording is behind that time; nothing if unknown.
  std::optional<std::int64_t> clock_offset;
};

class ProcessJit {
 public:
  // Whether mapping this file announces it as the jitdump of the process.
  static bool is_jitdump(std::string_view path);

  // When the process, or its program, began, by the recording's clock; 0:
  // before the recording.
  void set_began(std::uint64_t time) { began_ = time; }

  // The process mapped its jitdump. It is read when it is first asked for.
  void announce_jitdump(std::uint32_t pid, std::string_view path);
  bool has_jitdump(JitReading& reading);

  struct Found {
    const JitMap* map;
    JitMap::Function function;
    std::string_view file;  // where it was found
  };
  // The function at an address. The perf map of the process is read on first
  // use.
  std::optional<Found> find(std::uint32_t pid, std::uint64_t address,
                            std::uint64_t time, JitReading& reading);

 private:
  // A process has one; a hostile one announces thousands.
  static constexpr std::size_t kMostDumps = 16;

  struct Dump {
    std::string path;
    JitMap map;
  };
  struct Announced {
    std::uint32_t pid;
    std::string path;
  };
  void read_announced(JitReading& reading);
  ProcessTimes times(const JitReading& reading) const;
  void read_map(std::uint32_t pid, std::uint64_t time, JitReading& reading);
  MemoryAccount& memory(const JitReading& reading);

  std::unique_ptr<MemoryAccount> memory_;
  std::vector<Announced> announced_;  // not read yet
  std::vector<Dump> dumps_;
  std::uint64_t began_ = 0;
  bool looked_for_map_ = false;
  std::optional<JitMap> map_;
  std::string map_path_;
};

}  // namespace wick
