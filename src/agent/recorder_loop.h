// SPDX-License-Identifier: Apache-2.0
// Records this host for years: each second of it is a Batch. Whatever it may
// not record is left out, and limitations() says so.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/process_places.h"
#include "host/host_metrics.h"
#include "host/host_reader.h"
#include "host/process_metrics.h"
#include "perf/recording/sampler.h"
#include "server/batch/batch.h"

namespace wick {

struct RecorderLoopOptions {
  std::string host;
  int frequency = 19;  // samples per second and CPU
  bool off_cpu = false;
  // For the programs that run, and the names of their functions.
  std::uint64_t memory = std::uint64_t{32} << 20;
};

class RecorderLoop {
 public:
  static constexpr std::size_t kBusiest = 30;
  static constexpr std::int64_t kBusiestSeconds = 5;

  explicit RecorderLoop(const RecorderLoopOptions& options);

  // Takes what was sampled, and waits for it until the second is over, but for
  // at most `timeout`. To be called several times a second.
  void take(std::chrono::milliseconds timeout);
  // Whether a second of the clock is over.
  bool is_due() const;
  // What was seen since the last call.
  Batch cut();

  void set_frequency(int frequency);
  // Another process of wick, whose cost is measured as well; 0: none.
  void set_server(pid_t pid) { server_ = pid; }
  // For the next batch.
  void add_loss(std::string_view reason, std::uint64_t count);

  // What is not recorded, and why; a sentence each.
  const std::vector<std::string>& limitations() const { return limitations_; }

 private:
  HostMetrics measure();
  void note_forks();
  void add_profile(Batch& batch);
  void add_metrics(const HostMetrics& now, Batch& batch);
  void add_processes(const HostMetrics& now, Batch& batch);

  RecorderLoopOptions options_;
  std::vector<std::string> limitations_;
  std::optional<Sampler> sampler_;
  HostReader host_;
  ProcessReader processes_;
  ProcessPlaces places_;
  pid_t server_ = 0;
  std::string agent_;
  std::uint64_t sequence_ = 0;
  HostMetrics before_;
  std::int64_t due_ns_ = 0;  // since the boot
  std::int64_t busiest_at_ns_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> losses_;
};

}  // namespace wick
