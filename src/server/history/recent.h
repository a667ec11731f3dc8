// SPDX-License-Identifier: Apache-2.0
// The last minutes as they came, second by second, for live views: a store
// has sums of ten seconds, and has them later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/batch/batch.h"
#include "server/store/store.h"

namespace wick {

struct RecentLimits {
  std::int64_t profiles_ns = 90'000'000'000;
  std::int64_t metrics_ns = 600'000'000'000;
  std::size_t profile_bytes = std::size_t{16} << 20;  // encoded
  std::size_t metric_bytes = std::size_t{16} << 20;
};

class Recent {
 public:
  // What was measured in one second.
  struct Second {
    std::int64_t from_ns = 0, to_ns = 0;
    // Names and labels; the same list for as long as they stay the same.
    using Names = std::vector<std::pair<std::string, std::string>>;
    std::shared_ptr<const Names> names;
    std::vector<double> mean, max;  // of each name
    std::vector<ProcessMetrics> busiest;
    std::vector<Loss> losses;
  };

  explicit Recent(RecentLimits limits = {}) : limits_(limits) {}

  // `encoded` is the same batch as bytes, a fraction of its size.
  void add(const Batch& batch, std::string encoded);

  // The part of a span that is here and need not be asked of a store.
  template <class T>
  struct Part {
    TimeSpan span;                                // where it is; empty: nowhere
    std::vector<std::shared_ptr<const T>> items;  // that begin in it
  };
  // Encoded batches.
  Part<std::string> batches(const std::string& host,
                            const TimeSpan& wanted) const;
  Part<Second> seconds(const std::string& host, const TimeSpan& wanted) const;

  std::vector<std::string> hosts() const;
  // The last one.
  std::shared_ptr<const Second> last(const std::string& host) const;

 private:
  // Items of one kind, oldest first, of which there are so many bytes.
  template <class T>
  struct Window {
    struct Item {
      std::int64_t from_ns = 0, to_ns = 0;
      std::size_t bytes = 0;
      std::shared_ptr<const T> value;
    };
    std::deque<Item> items;
    std::size_t bytes = 0;
    bool is_cut = false;  // at its beginning

    void add(Item item, std::int64_t most_ns, std::size_t most_bytes);
    // Begins with a sum of the store (see kSumNs), or nothing was before it.
    TimeSpan span() const;
    Part<T> part(const TimeSpan& wanted) const;
  };
  struct Host {
    Window<std::string> batches;
    Window<Second> seconds;
  };
  RecentLimits limits_;
  mutable std::mutex mutex_;
  std::map<std::string, Host> hosts_;
};

}  // namespace wick
