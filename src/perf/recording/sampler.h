// SPDX-License-Identifier: Apache-2.0
// Samples the whole machine for years: opened once, it hands over what it saw
// as a Profile every few seconds and stores nothing itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace wick {

struct SamplerOptions {
  int frequency = 19;     // samples per second and CPU
  std::vector<int> cpus;  // only these; empty: all
  // For processes, their mappings and what is read of their files.
  std::uint64_t memory = std::uint64_t{64} << 20;
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
  // stay right whatever the frequency is. Samples have the time of
  // CLOCK_MONOTONIC.
  Profile cut();

  void set_frequency(int frequency);

  // How it falls short of the options, a sentence each.
  const std::vector<std::string>& limitations() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wick
