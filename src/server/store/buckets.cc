// SPDX-License-Identifier: Apache-2.0
#include "server/store/buckets.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "server/store/metric_sums.h"
#include "server/store/sample_sums.h"

namespace wick {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHour = 3600 * kSecond;

std::int64_t number_of(BucketKind kind) { return static_cast<int>(kind); }
std::int64_t number_of(BucketLevel level) { return static_cast<int>(level); }

BucketLevel next(BucketLevel level) {
  return level == BucketLevel::kBatch ? BucketLevel::kMinute
                                      : BucketLevel::kHour;
}

std::int64_t length_of(BucketLevel level) {
  return level == BucketLevel::kMinute ? 60 * kSecond : kHour;
}

std::int64_t floor_to(std::int64_t time, std::int64_t step) {
  const std::int64_t rest = time % step;
  return time - (rest < 0 ? rest + step : rest);
}

// Buckets of one kind that become one.
class Sums {
 public:
  Sums(BucketKind kind, Database& database, DictionaryWriter& dictionary,
       std::int64_t day)
      : kind_(kind), reader_(database), writer_(dictionary), day_(day) {}

  void add(std::string_view data) {
    static const SampleSums::View kAll{
        .thread = [](SampleSums::Thread&) { return true; },
        .event = [](const SampleSums::Event&) { return true; }};
    switch (kind_) {
      case BucketKind::kSamples:
        samples_.add_packed(data, kAll);
        return;
      case BucketKind::kMetrics:
        metrics_.add_packed(data,
                            [&](std::uint64_t id) { return reader_.text(id); });
        return;
      case BucketKind::kProcesses:
        processes_.add_packed(data);
        return;
      case BucketKind::kLosses:
        losses_.add_packed(data);
        return;
    }
  }

  std::string packed() const {
    switch (kind_) {
      case BucketKind::kSamples:
        return samples_.packed();
      case BucketKind::kMetrics:
        return metrics_.packed([&](std::string_view text) {
          return writer_.add_text(text, day_);
        });
      case BucketKind::kProcesses:
        return processes_.packed(kStoredProcesses);
      case BucketKind::kLosses:
        return losses_.packed();
    }
    return {};
  }

 private:
  BucketKind kind_;
  mutable DictionaryReader reader_;
  DictionaryWriter& writer_;
  std::int64_t day_;
  SampleSums samples_;
  MetricSums metrics_;
  ProcessSums processes_;
  LossSums losses_;
};

}  // namespace

void Buckets::create(Database& database) {
  database.run(
      "CREATE TABLE bucket(id INTEGER PRIMARY KEY, host INTEGER NOT NULL, "
      "kind INTEGER NOT NULL, level INTEGER NOT NULL, \"from\" INTEGER NOT "
      "NULL, \"to\" INTEGER NOT NULL, data BLOB NOT NULL)");
  database.run(
      "CREATE INDEX bucket_time ON bucket(host, kind, level, \"from\")");
}

void Buckets::add(std::int64_t host, BucketKind kind, BucketLevel level,
                  const BucketTime& time, std::string_view data) {
  database_
      .prepare(
          "INSERT INTO bucket(host, kind, level, \"from\", \"to\", data) "
          "VALUES(?, ?, ?, ?, ?, ?)")
      .bind(host, number_of(kind), number_of(level), time.from_ns, time.to_ns,
            data)
      .run();
}

void Buckets::each(
    std::int64_t host, BucketKind kind, const TimeSpan& span,
    const std::function<void(const BucketTime&, std::string_view)>& visit) {
  Statement rows = database_.prepare(
      "SELECT \"from\", \"to\", data FROM bucket WHERE host = ? AND kind = ? "
      "AND level = ? AND \"from\" >= ? AND \"from\" < ? ORDER BY \"from\"");
  for (const BucketLevel level : kBucketLevels)
    for (rows.bind(host, number_of(kind), number_of(level), span.from_ns,
                   span.to_ns);
         rows.step();)
      visit({rows.number(0), rows.number(1)}, rows.blob(2));
}

std::optional<std::int64_t> Buckets::oldest(std::int64_t host) {
  std::optional<std::int64_t> oldest;
  Statement first = database_.prepare(
      "SELECT \"from\" FROM bucket WHERE host = ? AND kind = ? AND level = ? "
      "ORDER BY \"from\" LIMIT 1");
  for (const BucketKind kind : kBucketKinds)
    for (const BucketLevel level : kBucketLevels)
      if (first.bind(host, number_of(kind), number_of(level)).step())
        oldest = std::min(oldest.value_or(first.number(0)), first.number(0));
  return oldest;
}

std::vector<std::int64_t> Buckets::hosts() {
  std::vector<std::int64_t> hosts;
  for (Statement rows = database_.prepare("SELECT id FROM host"); rows.step();)
    hosts.push_back(rows.number(0));
  return hosts;
}

std::optional<std::int64_t> Buckets::oldest() {
  std::optional<std::int64_t> oldest;
  for (const std::int64_t host : hosts())
    if (const auto first = this->oldest(host))
      oldest = std::min(oldest.value_or(*first), *first);
  return oldest;
}

bool Buckets::drop(std::int64_t before_ns, std::int64_t most) {
  Statement drop = database_.prepare(
      "DELETE FROM bucket WHERE id IN (SELECT id FROM bucket WHERE host = ? "
      "AND kind = ? AND level = ? AND \"from\" < ? ORDER BY \"from\" LIMIT ?)");
  std::int64_t left = most;
  for (const std::int64_t host : hosts())
    for (const BucketKind kind : kBucketKinds)
      for (const BucketLevel level : kBucketLevels) {
        if (left <= 0) return true;
        // A bucket is dropped when all of it is old.
        const std::int64_t length =
            level == BucketLevel::kBatch ? 0 : length_of(level);
        drop.bind(host, number_of(kind), number_of(level), before_ns - length,
                  left)
            .run();
        left -= database_.changes();
      }
  return left <= 0;
}

bool Buckets::thin_an_hour(std::int64_t host, BucketKind kind,
                           BucketLevel level, std::int64_t before_ns,
                           DictionaryWriter& dictionary) {
  // Only whole buckets of the next level: the rest of an hour comes later.
  const std::int64_t length = length_of(next(level));
  before_ns = floor_to(before_ns, length);
  Statement rows = database_.prepare(
      "SELECT \"from\", \"to\", data FROM bucket WHERE host = ? AND kind = ? "
      "AND level = ? AND \"from\" < ? ORDER BY \"from\"");
  std::map<std::int64_t, std::pair<Sums, std::int64_t>> thinned;  // by time
  std::int64_t end = before_ns;
  bool any = false;
  for (rows.bind(host, number_of(kind), number_of(level), before_ns);
       rows.step();) {
    const std::int64_t from = rows.number(0);
    if (from >= end) break;
    if (!any) end = std::min(end, floor_to(from, kHour) + kHour);
    any = true;
    const std::int64_t start = floor_to(from, length);
    auto [at, is_new] = thinned.try_emplace(
        start, Sums(kind, database_, dictionary, day_of(from)), rows.number(1));
    at->second.first.add(rows.blob(2));
    at->second.second = std::max(at->second.second, rows.number(1));
  }
  rows.reset();
  if (!any) return false;
  database_
      .prepare(
          "DELETE FROM bucket WHERE host = ? AND kind = ? AND level = ? AND "
          "\"from\" < ?")
      .bind(host, number_of(kind), number_of(level), end)
      .run();
  for (const auto& [start, sums] : thinned)
    add(host, kind, next(level), {start, sums.second}, sums.first.packed());
  return true;
}

}  // namespace wick
