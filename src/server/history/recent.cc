// SPDX-License-Identifier: Apache-2.0
#include "server/history/recent.h"

#include <algorithm>

#include "server/history/batch_sum.h"
#include "server/store/steps.h"

namespace wick {
namespace {

// Those of the second before, if they are the same.
std::shared_ptr<const Recent::Second::Names> names_of(
    const Batch& batch,
    const std::shared_ptr<const Recent::Second::Names>& before) {
  const auto is_same = [](const auto& name, const BatchMetric& metric) {
    return name.first == metric.name && name.second == metric.label;
  };
  if (before && std::ranges::equal(*before, batch.metrics, is_same))
    return before;
  auto names = std::make_shared<Recent::Second::Names>();
  names->reserve(batch.metrics.size());
  for (const BatchMetric& metric : batch.metrics)
    names->emplace_back(metric.name, metric.label);
  return names;
}

// About; a new list of names takes more than the numbers.
std::size_t size_of(const Recent::Second& second, bool has_own_names) {
  constexpr std::size_t kName = 100, kProcess = 250;
  return sizeof second + 2 * sizeof(double) * second.mean.size() +
         (has_own_names ? kName * second.names->size() : 0) +
         kProcess * second.busiest.size();
}

}  // namespace

template <class T>
void Recent::Window<T>::add(Item item, std::int64_t most_ns,
                            std::size_t most_bytes) {
  // The clock was set back: what is here is of a time that is yet to come.
  if (!items.empty() && item.from_ns < items.back().from_ns) {
    items.clear();
    bytes = 0;
    is_cut = false;
  }
  bytes += item.bytes;
  items.push_back(std::move(item));
  while (items.size() > 1 &&
         (bytes > most_bytes ||
          items.back().to_ns - items.front().from_ns > most_ns)) {
    bytes -= items.front().bytes;
    items.pop_front();
    is_cut = true;
  }
}

template <class T>
TimeSpan Recent::Window<T>::span() const {
  if (items.empty()) return {0, 0};
  const std::int64_t first = items.front().from_ns;
  const std::int64_t begin = step_begin(first, kSumNs);
  return {is_cut && begin < first ? begin + kSumNs : first, items.back().to_ns};
}

template <class T>
Recent::Part<T> Recent::Window<T>::part(const TimeSpan& wanted) const {
  const TimeSpan here = span();
  Part<T> part{{std::max(wanted.from_ns, here.from_ns),
                std::min(wanted.to_ns, here.to_ns)},
               {}};
  for (const Item& item : items)
    if (item.from_ns >= part.span.from_ns && item.from_ns < part.span.to_ns)
      part.items.push_back(item.value);
  return part;
}

void Recent::add(const Batch& batch, std::string encoded) {
  auto second = std::make_shared<Second>();
  second->from_ns = batch.from_ns;
  second->to_ns = batch.to_ns;
  second->busiest = batch.busiest;
  second->losses = batch.losses;
  for (const BatchMetric& metric : batch.metrics) {
    second->mean.push_back(metric.mean);
    second->max.push_back(metric.max);
  }
  const std::lock_guard lock(mutex_);
  Host& host = hosts_[batch.host];
  const auto before = host.seconds.items.empty()
                          ? nullptr
                          : host.seconds.items.back().value->names;
  second->names = names_of(batch, before);
  const std::size_t size = size_of(*second, second->names != before);
  host.seconds.add({batch.from_ns, batch.to_ns, size, std::move(second)},
                   limits_.metrics_ns, limits_.metric_bytes);
  const std::size_t bytes = encoded.size();
  host.batches.add({batch.from_ns, batch.to_ns, bytes,
                    std::make_shared<const std::string>(std::move(encoded))},
                   limits_.profiles_ns, limits_.profile_bytes);
}

std::vector<std::string> Recent::hosts() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, host] : hosts_) names.push_back(name);
  return names;
}

Recent::Part<std::string> Recent::batches(const std::string& host,
                                          const TimeSpan& wanted) const {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(host);
  if (found == hosts_.end()) return {{0, 0}, {}};
  return found->second.batches.part(wanted);
}

Recent::Part<Recent::Second> Recent::seconds(const std::string& host,
                                             const TimeSpan& wanted) const {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(host);
  if (found == hosts_.end()) return {{0, 0}, {}};
  return found->second.seconds.part(wanted);
}

std::shared_ptr<const Recent::Second> Recent::last(
    const std::string& host) const {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(host);
  if (found == hosts_.end() || found->second.seconds.items.empty())
    return nullptr;
  return found->second.seconds.items.back().value;
}

}  // namespace wick
