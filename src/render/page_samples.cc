// SPDX-License-Identifier: Apache-2.0
#include "render/page_samples.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "base/bytes.h"
#include "io/compress.h"
#include "profile/renamed_threads.h"

namespace wick {
namespace {

constexpr std::uint64_t kMicrosecond = 1000, kMillisecond = 1000 * kMicrosecond;
// Ticks that are tried in turn while there are too many samples or too many
// bytes. The heat map has rows of 20 ms, so it looks the same with cells up to
// that.
constexpr std::uint64_t kCells[] = {1 * kMillisecond, 5 * kMillisecond,
                                    20 * kMillisecond, 100 * kMillisecond,
                                    1000 * kMillisecond};
// The same for a trace, which keeps single cycles if there is room.
constexpr std::uint64_t kTraceCells[] = {
    100,          1 * kMicrosecond,  10 * kMicrosecond, 100 * kMicrosecond,
    kMillisecond, 10 * kMillisecond, 100 * kMillisecond};

auto by_place(const PageSample& row) {
  return std::tie(row.thread, row.event, row.tick, row.node);
}

void add_up(PageSamples& samples) {
  std::vector<PageSample>& rows = samples.rows;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (kept > 0 && by_place(rows[kept - 1]) == by_place(rows[i]))
      rows[kept - 1].weight =
          saturating_add(rows[kept - 1].weight, rows[i].weight);
    else
      rows[kept++] = rows[i];
  }
  rows.resize(kept);
}

// Lengthens the ticks to `tick_ns` and merges equal rows.
void coarsen(PageSamples& samples, std::uint64_t tick_ns) {
  const std::uint64_t factor = tick_ns / samples.tick_ns;
  for (PageSample& row : samples.rows) row.tick /= factor;
  samples.tick_ns = tick_ns;
  samples.summed = true;
  std::ranges::sort(samples.rows, {}, by_place);
  add_up(samples);
}

// Numbers the threads that have samples. The result gives the number of each
// row of the profile's threads.
Column<ThreadId, std::uint32_t> number_threads(const Profile& profile,
                                               std::vector<ThreadId>& threads) {
  const Column<ThreadId, ThreadId> names = last_names(profile);
  Column<ThreadId, bool> used(names.size());
  for (const Sample& sample : profile.samples)
    if (sample.weight > 0) used[names[sample.thread]] = true;
  Column<ThreadId, std::uint32_t> number(names.size());
  threads = {ThreadId::kUnknown};
  for (const ThreadId id : names.ids()) {
    if (id == ThreadId::kUnknown || !used[id]) continue;
    number[id] = static_cast<std::uint32_t>(threads.size());
    threads.push_back(id);
  }
  Column<ThreadId, std::uint32_t> of_row;
  of_row.reserve(names.size());
  for (const ThreadId id : names.ids()) of_row.push_back(number[names[id]]);
  return of_row;
}

std::size_t packed_size(const PageSamples& samples) {
  const PageSampleColumns c = columns_of(samples);
  return gzip(c.ticks, 1).size() + gzip(c.nodes, 1).size() +
         gzip(c.weights, 1).size();
}

}  // namespace

PageSamples page_samples(const Profile& profile,
                         const std::vector<std::uint32_t>& node_of_sample,
                         const PageLimits& limits) {
  PageSamples samples;
  const std::vector<Sample>& all = profile.samples;
  const bool of_trace = clock_of_trace(profile).has_value();
  if (profile.has_time && !all.empty()) {
    samples.start_ns = all.front().time;
    samples.tick_ns = of_trace ? 1 : kMicrosecond;
    // From here on, JavaScript's numbers skip integers.
    constexpr std::uint64_t kMaxTick = std::uint64_t{1} << 53;
    while ((all.back().time - samples.start_ns) / samples.tick_ns >= kMaxTick)
      samples.tick_ns *= 1000;
  }
  const auto thread = number_threads(profile, samples.threads);
  samples.rows.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Sample& sample = all[i];
    if (sample.weight <= 0) continue;
    samples.rows.push_back(
        {.tick = profile.has_time
                     ? (sample.time - samples.start_ns) / samples.tick_ns
                     : 0,
         .node = node_of_sample[i],
         .thread = thread[sample.thread],
         .event = index(sample.event),
         .weight = sample.weight});
  }
  std::ranges::sort(samples.rows, {}, by_place);
  if (!profile.has_time) {
    add_up(samples);
    return samples;
  }
  const std::span<const std::uint64_t> cells =
      of_trace ? std::span<const std::uint64_t>(kTraceCells) : kCells;
  for (const std::uint64_t cell : cells) {
    if (cell <= samples.tick_ns) continue;
    if (samples.rows.size() <= limits.samples &&
        packed_size(samples) <= limits.sample_bytes)
      break;
    coarsen(samples, cell);
  }
  return samples;
}

PageSampleColumns columns_of(const PageSamples& samples) {
  PageSampleColumns out;
  PageSample before;
  const auto append = [](std::string& column, std::uint64_t now,
                         std::uint64_t was) {
    append_varint(column, zigzag(static_cast<std::int64_t>(now - was)));
  };
  for (const PageSample& row : samples.rows) {
    append(out.ticks, row.tick, before.tick);
    append(out.nodes, row.node, before.node);
    append(out.threads, row.thread, before.thread);
    append(out.events, row.event, before.event);
    append_varint(out.weights, static_cast<std::uint64_t>(row.weight));
    before = row;
  }
  return out;
}

}  // namespace wick
