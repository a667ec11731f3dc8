// SPDX-License-Identifier: Apache-2.0
// The contract of a store: where batches are kept and what can be asked of
// them. Nothing outside of server/store/ knows what a store is made of.
//
// Time is cut into buckets. A batch is a bucket at first; buckets of a minute
// and of an hour take their place as they age (see RetainPolicy). A bucket
// belongs to a span if it begins in it. Times are nanoseconds since 1970.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "host/process_metrics.h"
#include "profile/profile.h"
#include "server/batch/batch.h"

namespace wick {

struct TimeSpan {
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t to_ns = std::numeric_limits<std::int64_t>::max();  // exclusive
};

// The disk is full, or the store as large as it may become. Nothing was
// changed; retain() makes room, and then the batch can be put again.
class StoreFull : public Error {
 public:
  using Error::Error;
  ~StoreFull() override;
};

// A query that would cost too much; the message says how to ask for less.
class TooMuch : public Error {
 public:
  using Error::Error;
  ~TooMuch() override;
};

struct StoredHost {
  std::string name;
  std::int64_t first_ns = 0;  // where its oldest bucket begins
  // Everything up to here that was put is durable.
  std::int64_t stored_until_ns = 0;
};

// What the threads of the resulting profile stand for.
enum class ThreadDetail : std::uint8_t {
  kName,       // threads of one name are one
  kProcess,    // a row for each process, with its name
  kThread,     // a row for each thread
  kCgroup,     // a row for each control group; its path is the name
  kContainer,  // a row for each container
};

// Empty texts and missing values select everything.
struct ProfileQuery {
  std::string host;
  TimeSpan span;
  std::optional<std::int32_t> pid;
  std::string comm, process, cgroup, container, event;
  ThreadDetail detail = ThreadDetail::kName;
  // More distinct stacks of threads are TooMuch.
  std::size_t most_rows = std::size_t{4} << 20;
};

struct MetricQuery {
  std::string host;
  TimeSpan span;
  // Names of metrics; one that ends in '*' stands for all that begin so.
  std::vector<std::string> names;
  std::int64_t step_ns = 0;          // 0: as it is stored
  std::size_t most_points = 10'000;  // of a series; more are TooMuch

  bool wants(std::string_view name) const;
};

// Values of all series at the same times. What is not known is NaN.
struct MetricColumns {
  struct Series {
    std::string host, name, label;
    std::vector<double> mean, max;
  };
  std::vector<std::int64_t> from_ns;  // where each step begins
  std::vector<Series> series;
  std::uint64_t damaged_buckets = 0;  // that could not be read
};

// One process in one bucket; rates are means over it.
struct StoredProcess {
  std::string host;
  std::int64_t from_ns = 0, to_ns = 0;
  ProcessMetrics process;
};

struct HostQuery {
  std::string host;
  TimeSpan span;
};

struct StoredLoss {
  std::string host;
  Loss loss;
};

// Ages are counted back from the time that is given to retain().
struct RetainPolicy {
  std::int64_t keep_ns = std::int64_t{30} * 24 * 3600 * 1'000'000'000;
  std::uint64_t max_bytes = std::uint64_t{2} << 30;
  // Buckets older than these become buckets of a minute and of an hour. Sums
  // stay the same.
  std::int64_t minutes_after_ns = std::int64_t{24} * 3600 * 1'000'000'000;
  std::int64_t hours_after_ns = std::int64_t{7} * 24 * 3600 * 1'000'000'000;
};

// put() and retain() are called by one thread at a time, everything else by any
// number of threads at any time. Each query sees one state of the store.
class Store {
 public:
  virtual ~Store();

  // Durable when it returns. False if the batch was put before, which changes
  // nothing: it is known by its agent and number. A batch whose host, names or
  // times are unusable is an Error.
  virtual bool put(const Batch& batch) = 0;

  // In alphabetical order.
  virtual std::vector<StoredHost> hosts() = 0;
  // Without times; names, addresses and build ids as they were put. What could
  // not be read is noted in its diagnostics.
  virtual Profile profile(const ProfileQuery& query) = 0;
  virtual MetricColumns metrics(const MetricQuery& query) = 0;
  // The busiest processes of each bucket, in the order of times.
  virtual std::vector<StoredProcess> processes(const HostQuery& query) = 0;
  // Summed up by host and reason.
  virtual std::vector<StoredLoss> losses(const HostQuery& query) = 0;

  // One short step of what the policy asks for: drops the oldest buckets, thins
  // an hour, forgets stacks that nothing refers to any longer. True if there is
  // more to do at once. StoreFull if there is not even room to delete.
  virtual bool retain(const RetainPolicy& policy, std::int64_t now_ns) = 0;

  // Bytes on disk, without what is kept for safety (a journal).
  virtual std::uint64_t size() = 0;
};

}  // namespace wick
