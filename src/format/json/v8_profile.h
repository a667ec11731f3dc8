// SPDX-License-Identifier: Apache-2.0
// The CPU profile of V8, which node and DevTools write to a file (.cpuprofile)
// and Chrome, in pieces, to its traces.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/hash_index.h"
#include "format/json/json.h"
#include "profile/profile.h"

namespace wick {

// Collects nodes and samples, then adds the samples to a profile.
class V8Profile {
 public:
  explicit V8Profile(Profile& profile) : profile_(profile) {}

  // Nodes {id, callFrame, children or parent, hitCount}.
  void add_nodes(const Json& nodes);
  // A tree {functionName, url, lineNumber, id, hitCount, children: […]}, as
  // Chrome wrote it before 2016.
  void add_tree(const Json& head);
  // Ids of nodes, and the microseconds since the sample before. Comes after
  // set_start and set_end.
  void add_samples(const Json& ids, const Json& deltas);
  // The same with absolute microseconds.
  void add_stamped_samples(const Json& ids, const Json& timestamps);

  // Microseconds.
  void set_start(std::int64_t time) { clock_ = time; }
  void set_end(std::int64_t time) { end_ = time; }

  bool has_samples() const { return !samples_.empty(); }

  // A sample lasts until the next one; without samples, the hit counts of the
  // nodes are the weights.
  void finish(SampleCollector& samples, ThreadId thread);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Node {
    std::int64_t id = 0;
    std::uint32_t parent = kNone;
    FrameId frame{};
    std::int64_t hits = 0;
    bool is_root = false;  // V8's own "(root)", not a function
  };
  struct Sample {
    std::int64_t time = 0;  // microseconds
    std::uint32_t node = kNone;
  };

  std::uint32_t add_node(const Json& node, const Json& call_frame,
                         int first_line);
  std::uint32_t find(std::int64_t id) const;
  void add_sample(const Json& id, std::int64_t time);
  std::vector<StackId> stacks();

  Profile& profile_;
  std::vector<Node> nodes_;
  HashIndex by_id_;
  std::vector<Sample> samples_;
  std::int64_t clock_ = 0;
  std::optional<std::int64_t> end_;
};

}  // namespace wick
