// SPDX-License-Identifier: Apache-2.0
// Stores sums of batches on a thread of its own, so that a slow or full disk
// stops nobody. What cannot be stored yet waits in memory; beyond a budget, the
// oldest is dropped and counted as a loss of its host.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "server/history/batch_sum.h"
#include "server/store/store.h"

namespace wick {

struct WriterOptions {
  RetainPolicy retain;
  std::size_t budget = std::size_t{16} << 20;                 // encoded
  std::chrono::milliseconds retry = std::chrono::seconds(2);  // if it is full
  // The functions are called on the thread of the writer.
  // A batch, or a sum of several, is durable.
  std::function<void(const std::string& agent, std::uint64_t sequence)> stored;
  // Sentences for the person who runs the server.
  std::function<void(std::string_view)> tell;
  std::function<std::int64_t()> now_ns;
};

class Writer {
 public:
  Writer(Store& store, WriterOptions options);
  // Stores what is there, unless the store is full.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Batches of one agent come one after the other. By one thread.
  void add(Batch batch);
  void set_retain(const RetainPolicy& policy);

  struct State {
    std::size_t waiting = 0;        // sums that are not stored
    std::size_t waiting_bytes = 0;  // encoded
    std::uint64_t lost = 0;         // batches, since the start
    bool is_full = false;
  };
  State state() const;

  static constexpr std::string_view kLossReason =
      "seconds that the server could not store";

 private:
  struct Waiting {
    std::string bytes;  // an encoded batch
    std::string host;
    std::uint64_t numbers = 1;
  };
  enum class Result : std::uint8_t { kStored, kFull, kUnusable };
  static constexpr int kAttempts = 3;  // to put a batch into a full store
  static constexpr int kSteps = 20;    // of retain() after each batch

  void queue(Batch sum);
  void remove(std::list<Waiting>::iterator at);
  void lose(const Waiting& waiting);
  void run();
  Result store(const Waiting& waiting);
  void put(const Batch& batch);
  std::uint64_t lost_of(const std::string& host) const;
  void forget_lost(const std::string& host, std::uint64_t stored);
  void make_room();
  RetainPolicy policy() const;
  void set_full(bool is_full, std::string_view why);
  void tell_once(const std::string& message);

  Store& store_;
  WriterOptions options_;
  BatchSum sum_;  // of the thread that adds

  mutable std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  // Only the writer removes the first one, which may be on its way.
  std::list<Waiting> waiting_;
  State state_;
  std::map<std::string, std::uint64_t> losses_;  // to be stored, by host
  bool is_ending_ = false;
  std::string told_;  // last, of the writer's thread
  std::thread thread_;
};

}  // namespace wick
