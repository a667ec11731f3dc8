// SPDX-License-Identifier: Apache-2.0
// Samples the whole machine for years: opened once, it hands over what it saw
// as a Profile every few seconds and stores nothing itself.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace wick {

struct SamplerOptions {
  int frequency = 19;     // samples per second and CPU
  std::vector<int> cpus;  // only these; empty: all
  bool off_cpu = false;   // also how long threads wait, and where
  // For processes, their mappings and what is read of their files.
  std::uint64_t memory = std::uint64_t{64} << 20;
};

// A process that another one has just begun.
struct ForkedProcess {
  std::int32_t parent = 0, pid = 0;
  friend bool operator==(const ForkedProcess&, const ForkedProcess&) = default;
};

class Sampler {
 public:
  // Fails, with advice, if nothing can be sampled.
  explicit Sampler(const SamplerOptions& options);
  ~Sampler();
  Sampler(Sampler&&) noexcept;

  // Waits until a buffer is half full, at most `timeout`, and takes what the
  // kernel has. To be called several times a second: buffers are small.
  void take(std::chrono::milliseconds timeout);

  // What was sampled since the last call, in nanoseconds of CPU time: weights
  // stay right whatever the frequency is. With off_cpu, also what passed of
  // each wait since then. Samples have the time of CLOCK_MONOTONIC.
  Profile cut();

  // Processes that began and were taken since the last call, in that order;
  // the last kMostForks of them.
  std::vector<ForkedProcess> take_forks();
  static constexpr std::size_t kMostForks = 4096;

  void set_frequency(int frequency);

  // How it falls short of the options, a sentence each.
  const std::vector<std::string>& limitations() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wick
