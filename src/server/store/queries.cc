// SPDX-License-Identifier: Apache-2.0
#include "server/store/queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "server/store/buckets.h"
#include "server/store/dictionary.h"
#include "server/store/metric_sums.h"
#include "server/store/sample_sums.h"
#include "server/store/steps.h"

namespace wick {
namespace {

// Finds the threads and events that a query selects. A text that the dictionary
// does not have is nobody's.
class QueryView {
 public:
  QueryView(Database& database, const SipKey& key, const ProfileQuery& query)
      : query_(query) {
    Statement find = database.prepare("SELECT id FROM text WHERE hash = ?");
    const auto number = [&](const std::string& text) -> std::uint64_t {
      if (text.empty()) return kAny;
      if (!find.bind(static_cast<std::int64_t>(siphash(key, text))).step())
        return kNone;
      const auto id = static_cast<std::uint64_t>(find.number(0));
      find.reset();
      return id;
    };
    comm_ = number(query.comm);
    process_ = number(query.process);
    cgroup_ = number(query.cgroup);
    container_ = number(query.container);
    event_ = number(query.event);
  }

  SampleSums::View view() const {
    return {
        .thread = [this](SampleSums::Thread& thread) { return select(thread); },
        .event =
            [this](const SampleSums::Event& event) {
              return is(event_, event.name);
            }};
  }

 private:
  static constexpr std::uint64_t kAny = 0, kNone = ~std::uint64_t{0};
  static bool is(std::uint64_t wanted, std::uint64_t text) {
    return wanted == kAny || wanted == text;
  }

  bool select(SampleSums::Thread& thread) const {
    if ((query_.pid && *query_.pid != thread.pid) || !is(comm_, thread.comm) ||
        !is(process_, thread.process) || !is(cgroup_, thread.cgroup) ||
        !is(container_, thread.container))
      return false;
    const SampleSums::Thread whole = std::exchange(thread, {});
    switch (query_.detail) {
      case ThreadDetail::kName:
        thread.comm = whole.comm;
        break;
      case ThreadDetail::kProcess:
        thread.pid = thread.tid = whole.pid;
        thread.comm = whole.process != 0 ? whole.process : whole.comm;
        break;
      case ThreadDetail::kThread:
        thread.pid = whole.pid;
        thread.tid = whole.tid;
        thread.comm = whole.comm;
        break;
      case ThreadDetail::kCgroup:
        thread.comm = whole.cgroup;
        break;
      case ThreadDetail::kContainer:
        thread.comm = whole.container;
        break;
    }
    return true;
  }

  const ProfileQuery& query_;
  std::uint64_t comm_, process_, cgroup_, container_, event_;
};

// Series and times become known while buckets are read, so values are collected
// by time first.
class MetricTable {
 public:
  explicit MetricTable(const MetricQuery& query) : query_(query) {}

  void add(const std::string& host, const BucketTime& time,
           const std::vector<MetricSums::Value>& values,
           DictionaryReader& dictionary) {
    const std::int64_t step = query_.step_ns;
    if (step == 0) return add_at(time.from_ns, kEver, host, values, dictionary);
    const Steps steps = steps_of(time.from_ns, time.to_ns, step);
    for (std::int64_t at = steps.first_ns; at < steps.end_ns; at += step)
      // The first may be all there is of a sum that begins in the span.
      if (at == steps.first_ns || at < query_.span.to_ns)
        add_at(at, static_cast<double>(step) / 1e9, host, values, dictionary);
  }

  MetricColumns columns() && {
    constexpr std::size_t kMostValues = std::size_t{4} << 20;
    if (times_.size() * series_.size() > kMostValues)
      throw TooMuch(fmt::format(
          "{} metrics at {} points of time are too many; ask for less",
          series_.size(), times_.size()));
    MetricColumns columns;
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    columns.series = std::move(series_);
    for (MetricColumns::Series& series : columns.series) {
      series.mean.resize(times_.size(), unknown);
      series.max.resize(times_.size(), unknown);
    }
    for (const auto& [time, sums] : times_) {
      const std::size_t at = columns.from_ns.size();
      columns.from_ns.push_back(time);
      for (const MetricSums::Value& value : sums.values()) {
        columns.series[value.series].mean[at] = value.mean;
        columns.series[value.series].max[at] = value.max;
      }
    }
    return columns;
  }

 private:
  static constexpr std::size_t kLeftOut = ~std::size_t{0};
  static constexpr double kEver = std::numeric_limits<double>::infinity();

  void add_at(std::int64_t time, double most_seconds, const std::string& host,
              const std::vector<MetricSums::Value>& values,
              DictionaryReader& dictionary) {
    auto& at = times_[time];
    if (times_.size() > query_.most_points)
      throw TooMuch(fmt::format(
          "more than {} points of time; ask for a shorter time or a longer "
          "step",
          query_.most_points));
    for (const MetricSums::Value& value : values) {
      const std::size_t row = row_of(host, value.series, dictionary);
      if (row != kLeftOut)
        at.add(row, value.mean, value.max,
               std::min(value.seconds, most_seconds));
    }
  }

  std::size_t row_of(const std::string& host, std::uint64_t series,
                     DictionaryReader& dictionary) {
    const auto [found, is_new] =
        rows_.try_emplace(std::pair(host, series), kLeftOut);
    if (!is_new) return found->second;
    const std::string text = dictionary.text(series);
    const auto [name, label] = parts_of_series(text);
    if (!query_.wants(name)) return kLeftOut;
    found->second = series_.size();
    series_.push_back({host, std::string(name), std::string(label), {}, {}});
    return found->second;
  }

  const MetricQuery& query_;
  std::map<std::int64_t, MetricSums> times_;  // of rows of series_
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> rows_;
  std::vector<MetricColumns::Series> series_;
};

struct Host {
  std::int64_t id;
  std::string name;
};

std::vector<Host> selected(Database& database, const std::string& host) {
  std::vector<Host> hosts;
  for (Statement rows =
           database.prepare("SELECT id, name FROM host ORDER BY name");
       rows.step();)
    if (host.empty() || rows.blob(1) == host)
      hosts.push_back({rows.number(0), std::string(rows.blob(1))});
  return hosts;
}

}  // namespace

std::vector<StoredHost> stored_hosts(Database& database) {
  std::vector<StoredHost> hosts;
  Buckets buckets(database);
  for (Statement rows = database.prepare(
           "SELECT id, name, stored_until FROM host ORDER BY name");
       rows.step();)
    if (const auto first = buckets.oldest(rows.number(0)))
      hosts.push_back({std::string(rows.blob(1)), *first, rows.number(2)});
  return hosts;
}

Profile stored_profile(Database& database, const SipKey& key,
                       const ProfileQuery& query) {
  const QueryView selection(database, key, query);
  const SampleSums::View view = selection.view();
  SampleSums sums;
  Profile profile;
  std::uint64_t damaged = 0;
  for (const Host& host : selected(database, query.host))
    Buckets(database).each(
        host.id, BucketKind::kSamples, query.span,
        [&](const BucketTime&, std::string_view data) {
          if (!sums.add_packed(data, view)) ++damaged;
          if (sums.rows() > query.most_rows)
            throw TooMuch(fmt::format(
                "more than {} stacks of threads; ask for a shorter time or "
                "for less detail",
                query.most_rows));
        });
  DictionaryReader dictionary(database);
  sums.append_to(profile, dictionary);
  if (damaged > 0) profile.diagnostics.note(Problem::kBadRecord, damaged);
  if (!query.host.empty()) profile.set_about("host", query.host);
  return profile;
}

MetricColumns stored_metrics(Database& database, const MetricQuery& query) {
  MetricTable table(query);
  DictionaryReader dictionary(database);
  std::uint64_t damaged = 0;
  for (const Host& host : selected(database, query.host))
    Buckets(database).each(
        host.id, BucketKind::kMetrics, query.span,
        [&](const BucketTime& time, std::string_view data) {
          MetricSums sums;
          if (!is_possible(time) ||
              !sums.add_packed(data, [&](std::uint64_t number) {
                return dictionary.text(number);
              })) {
            ++damaged;
            return;
          }
          table.add(host.name, time, sums.values(), dictionary);
        });
  MetricColumns columns = std::move(table).columns();
  columns.damaged_buckets = damaged;
  return columns;
}

std::vector<StoredProcess> stored_processes(Database& database,
                                            const HostQuery& query) {
  std::vector<StoredProcess> processes;
  DictionaryReader dictionary(database);
  for (const Host& host : selected(database, query.host))
    Buckets(database).each(
        host.id, BucketKind::kProcesses, query.span,
        [&](const BucketTime& time, std::string_view data) {
          ProcessSums sums;
          sums.add_packed(data);
          for (const ProcessSums::Value& value : sums.values()) {
            processes.push_back(
                {host.name, time.from_ns, time.to_ns, value.process});
            processes.back().process.name = dictionary.text(value.name);
          }
        });
  std::ranges::stable_sort(processes, {}, &StoredProcess::from_ns);
  return processes;
}

std::vector<StoredLoss> stored_losses(Database& database,
                                      const HostQuery& query) {
  std::vector<StoredLoss> losses;
  DictionaryReader dictionary(database);
  for (const Host& host : selected(database, query.host)) {
    LossSums sums;
    std::uint64_t damaged = 0;
    Buckets(database).each(host.id, BucketKind::kLosses, query.span,
                           [&](const BucketTime&, std::string_view data) {
                             if (!sums.add_packed(data)) ++damaged;
                           });
    for (const auto& [reason, count] : sums.counts())
      losses.push_back({host.name, {dictionary.text(reason), count}});
    if (damaged > 0)
      losses.push_back({host.name, {"damaged in the store", damaged}});
  }
  return losses;
}

}  // namespace wick
