// SPDX-License-Identifier: Apache-2.0
#include "perf/session/lost_records.h"

#include <algorithm>

namespace wick {

void LostRecords::on_lost(std::uint64_t time, std::uint32_t cpu) {
  const auto last = newest_.find(cpu);
  const Gap gap{last == newest_.end() ? 0 : std::min(last->second, time), time};
  add(by_cpu_[cpu], gap);
  add(all_, gap);
  on_record(time, cpu);
}

void LostRecords::on_lost_end(std::uint64_t time) {
  for (auto& [cpu, last] : newest_) {
    if (last >= time) continue;
    add(by_cpu_[cpu], {last, time});
    add(all_, {last, time});
    last = time;
  }
}

void LostRecords::forget_before(std::uint64_t time) {
  const auto is_old = [&](const Gap& gap) { return gap.end < time; };
  std::erase_if(all_, is_old);
  for (auto& [cpu, gaps] : by_cpu_) std::erase_if(gaps, is_old);
}

// Ends come in order.
void LostRecords::add(Gaps& gaps, Gap gap) {
  for (; !gaps.empty() && gaps.back().end >= gap.begin; gaps.pop_back()) {
    gap.begin = std::min(gap.begin, gaps.back().begin);
    gap.end = std::max(gap.end, gaps.back().end);
  }
  gaps.push_back(gap);
}

std::optional<LostRecords::Gap> LostRecords::between(std::uint64_t begin,
                                                     std::uint64_t end,
                                                     std::uint32_t cpu) const {
  const bool knows_cpus = !by_cpu_.contains(kNoCpu);
  const auto own = by_cpu_.find(cpu);
  if (cpu != kNoCpu && knows_cpus && own == by_cpu_.end()) return {};
  const Gaps& gaps = cpu != kNoCpu && knows_cpus ? own->second : all_;
  const auto first = std::ranges::upper_bound(gaps, begin, {}, &Gap::end);
  const auto after = std::ranges::lower_bound(gaps, end, {}, &Gap::begin);
  if (first >= after) return {};
  return Gap{std::max(first->begin, begin), std::min((after - 1)->end, end)};
}

std::optional<LostRecords::Gap> LostRecords::between(std::uint64_t begin,
                                                     std::uint64_t end,
                                                     std::uint32_t from,
                                                     std::uint32_t to) const {
  if (from == to || from == kNoCpu || to == kNoCpu)
    return between(begin, end, from == to ? from : kNoCpu);
  const auto first = between(begin, end, from);
  const auto last = between(begin, end, to);
  const auto untold = newest_.find(from);
  Gap gap{first                     ? first->begin
          : untold == newest_.end() ? begin
                                    : std::clamp(untold->second, begin, end),
          last ? last->end : end};
  if (gap.end <= gap.begin) gap.end = end;
  return gap;
}

}  // namespace wick
