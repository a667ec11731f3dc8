// SPDX-License-Identifier: Apache-2.0
#include "server/history/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "server/history/batch_sum.h"
#include "server/history/profile_rows.h"
#include "server/store/steps.h"
#include "transform/merge.h"

namespace wick {
namespace {

// What of `span` is asked of the store if `recent` need not be.
std::vector<TimeSpan> without(const TimeSpan& span, const TimeSpan& recent) {
  if (recent.from_ns >= recent.to_ns) return {span};
  std::vector<TimeSpan> parts;
  if (span.from_ns < recent.from_ns)
    parts.push_back({span.from_ns, recent.from_ns});
  if (recent.to_ns < span.to_ns) parts.push_back({recent.to_ns, span.to_ns});
  return parts;
}

// Values of series at the steps of a query.
class MetricSteps {
 public:
  explicit MetricSteps(const MetricQuery& query) : query_(query) {}

  // Stored buckets of a step, as one value.
  void add(const MetricColumns& columns, const TimeSpan& span) {
    damaged_ += columns.damaged_buckets;
    for (const MetricColumns::Series& series : columns.series)
      for (std::size_t i = 0; i < columns.from_ns.size(); ++i) {
        if (std::isnan(series.mean[i])) continue;
        const std::int64_t from = columns.from_ns[i];
        const std::int64_t to = from + query_.step_ns;
        const double seconds =
            static_cast<double>(std::min(to, span.to_ns) -
                                std::max(from, span.from_ns)) /
            1e9;
        sum_of(series.host, series.name, series.label, from)
            .add(series.mean[i], series.max[i], std::max(seconds, 1e-9));
      }
  }

  void add(const std::string& host, const Recent::Second& second) {
    const double seconds = static_cast<double>(std::min(
                               second.to_ns - second.from_ns, query_.step_ns)) /
                           1e9;
    const Steps steps = steps_of(second.from_ns, second.to_ns, query_.step_ns);
    for (std::size_t i = 0; i < second.names->size(); ++i) {
      const auto& [name, label] = (*second.names)[i];
      if (!query_.wants(name)) continue;
      for (std::int64_t at = steps.first_ns; at < steps.end_ns;
           at += query_.step_ns)
        if (at == steps.first_ns || at < query_.span.to_ns)
          sum_of(host, name, label, at)
              .add(second.mean[i], second.max[i], std::max(seconds, 1e-9));
    }
  }

  MetricColumns columns() const {
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    MetricColumns columns{.from_ns = {times_.begin(), times_.end()},
                          .damaged_buckets = damaged_};
    for (const auto& [key, sums] : series_) {
      MetricColumns::Series& series = columns.series.emplace_back();
      std::tie(series.host, series.name, series.label) = key;
      for (const std::int64_t time : columns.from_ns) {
        const auto found = sums.find(time);
        series.mean.push_back(found == sums.end() ? unknown
                                                  : found->second.mean());
        series.max.push_back(found == sums.end() ? unknown
                                                 : found->second.max());
      }
    }
    return columns;
  }

 private:
  MetricSum& sum_of(const std::string& host, const std::string& name,
                    const std::string& label, std::int64_t time) {
    constexpr std::size_t kMostValues = std::size_t{1} << 20;
    times_.insert(time);
    if (times_.size() > query_.most_points)
      throw TooMuch(
          fmt::format("more than {} points of time; ask for a shorter time or "
                      "a longer step",
                      query_.most_points));
    auto& series = series_[{host, name, label}];
    const auto [found, is_new] = series.try_emplace(time);
    if (is_new && ++values_ > kMostValues)
      throw TooMuch(
          fmt::format("more than {} values; ask for fewer metrics, a shorter "
                      "time or a longer step",
                      kMostValues));
    return found->second;
  }

  const MetricQuery& query_;
  std::set<std::int64_t> times_;
  std::map<std::tuple<std::string, std::string, std::string>,
           std::map<std::int64_t, MetricSum>>
      series_;
  std::size_t values_ = 0;
  std::uint64_t damaged_ = 0;
};

// The busiest processes are looked at less often than every second.
std::int64_t begin_of(const ProcessMetrics& process, std::int64_t to_ns) {
  return to_ns - std::llround(process.seconds * 1e9);
}

template <class Query>
Query with(const Query& query, const std::string& host, const TimeSpan& span) {
  Query part = query;
  part.host = host;
  part.span = span;
  return part;
}

}  // namespace

std::vector<KnownHost> History::hosts() const {
  std::map<std::string, KnownHost> known;
  for (StoredHost& host : store_.hosts())
    known[host.name] = {.name = host.name,
                        .first_ns = host.first_ns,
                        .stored_until_ns = host.stored_until_ns};
  for (const std::string& name : recent_.hosts()) {
    const auto last = recent_.last(name);
    if (!last) continue;
    const auto [found, is_new] = known.try_emplace(name);
    KnownHost& host = found->second;
    host.name = name;
    if (is_new) host.first_ns = last->from_ns;
    host.seen_until_ns = last->to_ns;
  }
  std::vector<KnownHost> hosts;
  for (auto& [name, host] : known) hosts.push_back(std::move(host));
  return hosts;
}

std::vector<std::string> History::hosts_of(const std::string& wanted) const {
  if (!wanted.empty()) return {wanted};
  std::vector<std::string> names;
  for (KnownHost& host : hosts()) names.push_back(std::move(host.name));
  return names;
}

Profile History::profile(const ProfileQuery& query) const {
  Profile sum;
  std::size_t parts = 0;
  const auto add = [&](Profile profile, bool may_replace) {
    // A day is large; nothing is gained by copying it.
    if (++parts == 1 && may_replace)
      sum = std::move(profile);
    else
      merge(sum, profile);
    if (sum.samples.size() > query.most_rows)
      throw TooMuch(
          fmt::format("more than {} stacks of threads; ask for a shorter time "
                      "or for less detail",
                      query.most_rows));
  };
  for (const std::string& host : hosts_of(query.host)) {
    const auto recent = recent_.batches(host, query.span);
    for (const TimeSpan& span : without(query.span, recent.span))
      add(store_.profile(with(query, host, span)), true);
    for (const auto& batch : recent.items)
      add(selected_profile(decode_batch(*batch), query), false);
  }
  if (parts > 1) sum_equal_rows(sum);
  return sum;
}

MetricColumns History::metrics(const MetricQuery& query) const {
  MetricSteps steps(query);
  for (const std::string& host : hosts_of(query.host)) {
    const auto recent = recent_.seconds(host, query.span);
    for (const auto& second : recent.items) steps.add(host, *second);
    for (const TimeSpan& span : without(query.span, recent.span))
      steps.add(store_.metrics(with(query, host, span)), span);
  }
  return steps.columns();
}

std::vector<StoredProcess> History::processes(const HostQuery& query) const {
  std::vector<StoredProcess> all;
  for (const std::string& host : hosts_of(query.host)) {
    const auto recent = recent_.seconds(host, query.span);
    for (const auto& second : recent.items)
      for (const ProcessMetrics& process : second->busiest)
        all.push_back(
            {host, begin_of(process, second->to_ns), second->to_ns, process});
    for (const TimeSpan& span : without(query.span, recent.span))
      for (StoredProcess& process : store_.processes(with(query, host, span)))
        all.push_back(std::move(process));
  }
  std::ranges::stable_sort(all, {}, &StoredProcess::from_ns);
  return all;
}

std::vector<StoredLoss> History::losses(const HostQuery& query) const {
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts;
  for (const std::string& host : hosts_of(query.host)) {
    const auto recent = recent_.seconds(host, query.span);
    for (const auto& second : recent.items)
      for (const Loss& loss : second->losses)
        counts[{host, loss.reason}] += loss.count;
    for (const TimeSpan& span : without(query.span, recent.span))
      for (const StoredLoss& row : store_.losses(with(query, host, span)))
        counts[{row.host, row.loss.reason}] += row.loss.count;
  }
  std::vector<StoredLoss> losses;
  for (const auto& [key, count] : counts)
    losses.push_back({key.first, {key.second, count}});
  return losses;
}

}  // namespace wick
