// SPDX-License-Identifier: Apache-2.0
// When records were lost. The kernel writes LOST as soon as a CPU's buffer has
// room again, in front of the first record that fits and with its time
// (__perf_output_begin in kernel/events/ring_buffer.c), so what is missing was
// written between that CPU's last record before it and LOST.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace wick {

class LostRecords {
 public:
  // The recording does not say which CPU it was.
  static constexpr std::uint32_t kNoCpu = 0xffffffff;
  struct Gap {
    std::uint64_t begin = 0, end = 0;
    friend bool operator==(const Gap&, const Gap&) = default;
  };

  // Records in the order of time. Those that are few need not be told: a gap
  // then is too long rather than too short.
  void on_record(std::uint64_t time, std::uint32_t cpu) {
    if (cpu != kNoCpu) newest_[cpu] = time;
  }
  void on_lost(std::uint64_t time, std::uint32_t cpu);
  // Records after the last one of each CPU were lost, too, up to `time`.
  void on_lost_end(std::uint64_t time);

  // Losses that ended before it count no longer.
  void forget_before(std::uint64_t time);

  bool any() const { return !all_.empty(); }
  // From the first loss of this CPU between these times to the last; nothing if
  // there was none. Of all CPUs for kNoCpu.
  std::optional<Gap> between(std::uint64_t begin, std::uint64_t end,
                             std::uint32_t cpu = kNoCpu) const;
  // What may be missing of a thread that was seen on one CPU and, now, on
  // another: from the first loss of one to the last of the other. The former
  // may have lost records of which it has not told yet, since its last one.
  std::optional<Gap> between(std::uint64_t begin, std::uint64_t end,
                             std::uint32_t from, std::uint32_t to) const;

 private:
  using Gaps = std::vector<Gap>;  // in order, none touches another
  static void add(Gaps& gaps, Gap gap);

  std::unordered_map<std::uint32_t, std::uint64_t> newest_;  // by CPU
  std::unordered_map<std::uint32_t, Gaps> by_cpu_;
  Gaps all_;
};

}  // namespace wick
