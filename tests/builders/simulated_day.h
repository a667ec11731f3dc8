// SPDX-License-Identifier: Apache-2.0
// A simulated day of one busy host with 8 CPUs: 19 samples a second on each,
// compilers that come and go, 50,000 stacks of some 30 frames of which few are
// frequent, 250 metrics.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "server/batch/batch.h"

namespace wick {

class SimulatedDay {
 public:
  static constexpr int kBatches = 8640;  // of ten seconds
  static constexpr std::int64_t kSecond = 1'000'000'000;

  explicit SimulatedDay(std::int64_t start_ns) : start_ns_(start_ns) {}

  Batch batch(int number) {
    Batch batch;
    batch.agent = "agent";
    batch.sequence = static_cast<std::uint64_t>(number) + 1;
    batch.host = "box";
    batch.from_ns = start_ns_ + number * 10 * kSecond;
    batch.to_ns = batch.from_ns + 10 * kSecond;
    Profile& profile = batch.profile;
    const EventId event = profile.event_id("cpu-clock", "ns");
    SampleCollector samples(profile, false);
    for (int i = 0; i < kCpus * kHertz * 10; ++i) {
      const int stack = frequent_first(random_, kStacks);
      const int pid = thread_of(stack, number);
      samples.add({.weight = kSecond / kHertz,
                   .stack = add_stack(profile, stack),
                   .thread = profile.thread_id(
                       {pid, pid,
                        profile.strings.intern("program-" +
                                               std::to_string(stack % 40))}),
                   .event = event});
    }
    for (ThreadId id : profile.threads.ids())
      if (const Thread& thread = profile.threads[id]; thread.pid > 0)
        batch.processes.push_back({thread.pid,
                                   std::string(profile.strings[thread.comm]),
                                   "/system.slice/build.service", ""});
    for (int i = 0; i < 250; ++i) {
      const double value = i % 3 == 0 ? 0 : 1000.0 * i + random_() % 1000;
      batch.metrics.push_back({"metric" + std::to_string(i / 9),
                               std::to_string(i % 9), value, value * 1.5});
    }
    for (int i = 0; i < 30; ++i)
      batch.busiest.push_back(
          {.seconds = 10,
           .pid = i < 20 ? 100 + i : 1000 + number * 10 + i,
           .parent = 1,
           .start_ticks =
               static_cast<std::uint64_t>(i < 20 ? i : number * 1000),
           .name = "program-" + std::to_string(i),
           .cpu = (random_() % 1000) / 1000.0,
           .system_cpu = (random_() % 100) / 1000.0,
           .minor_faults = static_cast<double>(random_() % 1000),
           .read_bytes = 0,
           .written_bytes = static_cast<double>(random_() % 100'000),
           .resident_bytes = random_() % 1'000'000'000});
    return batch;
  }

 private:
  static constexpr int kCpus = 8, kHertz = 19, kStacks = 50'000,
                       kFunctions = 30'000;

  // Zipf's law, as by inverting its integral.
  static int frequent_first(std::mt19937& random, int count) {
    const double uniform = std::uniform_real_distribution<>(0, 1)(random);
    return static_cast<int>(std::pow(count, uniform)) - 1;
  }

  // Programs with an even number run all day, the others for a batch.
  static int thread_of(int stack, int number) {
    const int program = stack % 40;
    return program % 2 == 0 ? 100 + program : 1000 + number * 20 + program;
  }

  // A path in a tree: stacks share their outer frames.
  static StackId add_stack(Profile& profile, int stack) {
    std::mt19937 random(static_cast<unsigned>(stack));
    StackId id = StackId::kRoot;
    const int depth = 20 + static_cast<int>(random() % 20);
    for (int i = 0; i < depth; ++i) {
      const int range = 1 << std::min(i + 2, 14);
      const int function = i < depth - 4
                               ? (stack % range) * 7 % kFunctions
                               : static_cast<int>(random() % kFunctions);
      id = profile.stacks.push(
          id, profile.frames.intern(
                  {.function = profile.strings.intern(
                       "some::library::Class<int>::function_" +
                       std::to_string(function)),
                   .module = profile.module_id(
                       "/usr/lib/lib" + std::to_string(function % 60) + ".so",
                       "0123456789abcdef" + std::to_string(function % 60)),
                   .address =
                       0x1000u + static_cast<std::uint64_t>(function) * 96}));
    }
    return id;
  }

  std::int64_t start_ns_;
  std::mt19937 random_{1};
};

}  // namespace wick
