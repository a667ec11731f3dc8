// SPDX-License-Identifier: Apache-2.0
// The table of buckets, and how they are thinned and dropped.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "server/store/dictionary.h"
#include "server/store/sqlite.h"
#include "server/store/store.h"

namespace wick {

// The numbers are stored.
enum class BucketKind : std::uint8_t {
  kSamples = 0,
  kMetrics = 1,
  kProcesses = 2,
  kLosses = 3,
};
inline constexpr std::array kBucketKinds = {
    BucketKind::kSamples, BucketKind::kMetrics, BucketKind::kProcesses,
    BucketKind::kLosses};

// How long a bucket is: as the batch, a minute, an hour.
enum class BucketLevel : std::uint8_t { kBatch = 0, kMinute = 1, kHour = 2 };
inline constexpr std::array kBucketLevels = {
    BucketLevel::kBatch, BucketLevel::kMinute, BucketLevel::kHour};

// How many processes a bucket has.
inline constexpr std::size_t kStoredProcesses = 30;

struct BucketTime {
  std::int64_t from_ns = 0, to_ns = 0;
  double seconds() const { return static_cast<double>(to_ns - from_ns) / 1e9; }
};

// False of a damaged row. A bucket of an hour ends with its last batch, which
// may be of an hour.
constexpr bool is_possible(const BucketTime& time) {
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  constexpr std::int64_t kLongest = std::int64_t{2} * 3600 * 1'000'000'000;
  return time.from_ns > -kFar && time.from_ns < time.to_ns &&
         time.to_ns < kFar && time.to_ns - time.from_ns <= kLongest;
}

class Buckets {
 public:
  static void create(Database& database);
  explicit Buckets(Database& database) : database_(database) {}

  void add(std::int64_t host, BucketKind kind, BucketLevel level,
           const BucketTime& time, std::string_view data);
  // In the order of levels, then of times.
  void each(
      std::int64_t host, BucketKind kind, const TimeSpan& span,
      const std::function<void(const BucketTime&, std::string_view)>& visit);
  // Where the oldest bucket of the host, or of all hosts, begins.
  std::optional<std::int64_t> oldest(std::int64_t host);
  std::optional<std::int64_t> oldest();
  std::vector<std::int64_t> hosts();

  // Deletes up to `most` buckets that end before `before_ns`; whether there may
  // be more.
  bool drop(std::int64_t before_ns, std::int64_t most);

  // Puts buckets of the next level in the place of those of one hour that begin
  // before `before_ns`; false if there are none. What cannot be read is
  // dropped.
  bool thin_an_hour(std::int64_t host, BucketKind kind, BucketLevel level,
                    std::int64_t before_ns, DictionaryWriter& dictionary);

 private:
  Database& database_;
};

}  // namespace wick
