// SPDX-License-Identifier: Apache-2.0
// Batches for tests of stores, by a few words each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "server/batch/batch.h"

namespace wick {

class BatchBuilder {
 public:
  // Ten seconds of the host "box".
  explicit BatchBuilder(std::uint64_t sequence) {
    batch_.agent = "agent";
    batch_.sequence = sequence;
    batch_.host = "box";
    at(1'700'000'000'000'000'000);
  }
  BatchBuilder& host(std::string_view name) {
    batch_.host = name;
    return *this;
  }
  BatchBuilder& at(std::int64_t from_ns) {
    batch_.from_ns = from_ns;
    batch_.to_ns = from_ns + 10'000'000'000;
    return *this;
  }
  // One second, as recorders send them.
  BatchBuilder& second(std::int64_t from_ns) {
    batch_.from_ns = from_ns;
    batch_.to_ns = from_ns + 1'000'000'000;
    return *this;
  }
  BatchBuilder& process(std::int32_t pid, std::string_view name,
                        std::string_view cgroup = "",
                        std::string_view container = "") {
    batch_.processes.push_back(
        {pid, std::string(name), std::string(cgroup), std::string(container)});
    return *this;
  }
  BatchBuilder& loss(std::string_view reason, std::uint64_t count) {
    batch_.losses.push_back({std::string(reason), count});
    return *this;
  }
  // Of the samples that follow.
  BatchBuilder& thread(std::int32_t pid, std::int32_t tid,
                       std::string_view comm) {
    thread_ = batch_.profile.thread_id(
        {pid, tid, batch_.profile.strings.intern(comm)});
    return *this;
  }
  BatchBuilder& event(std::string_view name) {
    event_ = name;
    return *this;
  }
  // "comm;outer;inner". The comm is that of the thread, if there is one.
  BatchBuilder& sample(std::string_view folded, std::int64_t weight) {
    Profile& profile = batch_.profile;
    const std::string_view comm = take_until(folded, ';');
    const ThreadId thread =
        thread_ != ThreadId::kUnknown
            ? thread_
            : profile.thread_id({.comm = profile.strings.intern(comm)});
    StackId stack = StackId::kRoot;
    while (!folded.empty())
      stack = profile.stacks.push(stack,
                                  profile.named_frame(take_until(folded, ';')));
    profile.samples.push_back({.weight = weight,
                               .stack = stack,
                               .thread = thread,
                               .event = profile.event_id(event_)});
    return *this;
  }
  BatchBuilder& metric(std::string_view name, std::string_view label,
                       double mean, double max) {
    batch_.metrics.push_back(
        {std::string(name), std::string(label), mean, max});
    return *this;
  }
  Batch batch() { return std::move(batch_); }

 private:
  Batch batch_;
  ThreadId thread_ = ThreadId::kUnknown;
  std::string event_ = "cpu-clock";
};

}  // namespace wick
