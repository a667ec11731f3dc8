// SPDX-License-Identifier: Apache-2.0
#include "server/history/writer.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "base/error.h"

namespace wick {

Writer::Writer(Store& store, WriterOptions options)
    : store_(store), options_(std::move(options)), thread_([this] { run(); }) {}

Writer::~Writer() {
  if (auto rest = sum_.take()) queue(std::move(*rest));
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Writer::add(Batch batch) {
  if (auto before = sum_.add(std::move(batch))) queue(std::move(*before));
  if (auto complete = sum_.take_complete()) queue(std::move(*complete));
}

void Writer::set_retain(const RetainPolicy& policy) {
  const std::lock_guard lock(mutex_);
  options_.retain = policy;
}

Writer::State Writer::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void Writer::queue(Batch sum) {
  Waiting waiting{
      .bytes = encode(sum), .host = sum.host, .numbers = sum.numbers};
  {
    const std::lock_guard lock(mutex_);
    state_.waiting_bytes += waiting.bytes.size();
    ++state_.waiting;
    waiting_.push_back(std::move(waiting));
    while (state_.waiting_bytes > options_.budget && waiting_.size() > 2) {
      const auto oldest = std::next(waiting_.begin());
      lose(*oldest);
      remove(oldest);
    }
  }
  changed_.notify_all();
}

// With the mutex.
void Writer::remove(std::list<Waiting>::iterator at) {
  state_.waiting_bytes -= at->bytes.size();
  --state_.waiting;
  waiting_.erase(at);
}

// With the mutex.
void Writer::lose(const Waiting& waiting) {
  losses_[waiting.host] += waiting.numbers;
  state_.lost += waiting.numbers;
}

void Writer::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const auto first = waiting_.begin();
    lock.unlock();
    const Result result = store(*first);
    if (result != Result::kFull) make_room();
    lock.lock();
    if (result == Result::kFull && !is_ending_) {
      changed_.wait_for(lock, options_.retry, [&] { return is_ending_; });
      continue;
    }
    if (result != Result::kStored) lose(*first);
    remove(first);
  }
}

Writer::Result Writer::store(const Waiting& waiting) {
  try {
    Batch batch = decode_batch(waiting.bytes);
    const std::uint64_t lost = lost_of(waiting.host);
    if (lost > 0) batch.losses.push_back({std::string(kLossReason), lost});
    put(batch);
    forget_lost(waiting.host, lost);
    set_full(false, "");
    options_.stored(batch.agent, batch.sequence);
    return Result::kStored;
  } catch (const StoreFull& full) {
    set_full(true, full.what());
    return Result::kFull;
  } catch (const Error& error) {
    tell_once(fmt::format("a batch cannot be stored: {}", error.what()));
    return Result::kUnusable;
  }
}

void Writer::put(const Batch& batch) {
  for (int attempt = 1;; ++attempt) {
    try {
      store_.put(batch);
      return;
    } catch (const StoreFull&) {
      // Old batches make room for new ones, unless even that needs some.
      if (attempt == kAttempts) throw;
      store_.retain(policy(), options_.now_ns());
    }
  }
}

std::uint64_t Writer::lost_of(const std::string& host) const {
  const std::lock_guard lock(mutex_);
  const auto found = losses_.find(host);
  return found == losses_.end() ? 0 : found->second;
}

// More may have been lost meanwhile.
void Writer::forget_lost(const std::string& host, std::uint64_t stored) {
  const std::lock_guard lock(mutex_);
  const auto found = losses_.find(host);
  if (found != losses_.end() && (found->second -= stored) == 0)
    losses_.erase(found);
}

void Writer::make_room() {
  try {
    // A few steps at a time: batches come meanwhile.
    for (int step = 0; step < kSteps; ++step)
      if (!store_.retain(policy(), options_.now_ns())) break;
  } catch (const StoreFull&) {
    // The next batch will say so.
  } catch (const Error& error) {
    tell_once(fmt::format("old batches cannot be dropped: {}", error.what()));
  }
}

RetainPolicy Writer::policy() const {
  const std::lock_guard lock(mutex_);
  return options_.retain;
}

void Writer::set_full(bool is_full, std::string_view why) {
  State state;
  {
    const std::lock_guard lock(mutex_);
    if (state_.is_full == is_full) return;
    state_.is_full = is_full;
    state = state_;
  }
  if (is_full)
    options_.tell(fmt::format(
        "nothing can be stored, and new batches are kept in memory: {}", why));
  else
    options_.tell(
        fmt::format("batches are stored again; {} were lost", state.lost));
}

void Writer::tell_once(const std::string& message) {
  if (told_ != message) options_.tell(message);
  told_ = message;
}

}  // namespace wick
