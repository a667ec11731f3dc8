// SPDX-License-Identifier: Apache-2.0
// How much memory may be held for the sake of files and programs that nobody
// vouches for. A budget bounds all of them together, an account one of them: a
// file or a process that asks for too much is refused, and the others still
// find room.
//
//   budget ── account of one file ── reservation of one section
//
// Whoever holds memory takes it from an account first and does without if it is
// refused. A reservation gives its bytes back when it ends. Everything is
// thread-safe, except that an object must outlive what was taken from it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace wick {

class MemoryBudget {
 public:
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
  explicit MemoryBudget(std::uint64_t limit) : limit_(limit) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  std::uint64_t limit() const { return limit_; }
  std::uint64_t used() const { return used_; }

  // False, and nothing is taken, if that would exceed the limit.
  bool take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) { used_ -= bytes; }

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_ = 0;
};

class MemoryAccount {
 public:
  // `budget` may be null: then only the account's own limit counts.
  MemoryAccount(std::shared_ptr<MemoryBudget> budget, std::uint64_t limit)
      : budget_(std::move(budget)), own_(limit) {}
  // Gives back what is left.
  ~MemoryAccount() {
    if (budget_) budget_->give_back(own_.used());
  }
  MemoryAccount(const MemoryAccount&) = delete;
  MemoryAccount& operator=(const MemoryAccount&) = delete;

  std::uint64_t used() const { return own_.used(); }
  // What take() would not refuse at the moment.
  std::uint64_t available() const;

  bool take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes);

  // Whether something was refused: because of this account's limit, or because
  // all accounts together had taken too much, which may change.
  bool exceeded_own_limit() const { return exceeded_own_; }
  bool exceeded_budget() const { return exceeded_budget_; }
  bool was_refused() const { return exceeded_own_ || exceeded_budget_; }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  MemoryBudget own_;
  std::atomic<bool> exceeded_own_ = false, exceeded_budget_ = false;
};

// Bytes taken from an account, or none if they were refused.
class MemoryReservation {
 public:
  MemoryReservation() = default;
  MemoryReservation(MemoryAccount& account, std::uint64_t bytes)
      : account_(account.take(bytes) ? &account : nullptr),
        bytes_(account_ != nullptr ? bytes : 0) {}
  MemoryReservation(MemoryReservation&& other) noexcept
      : account_(std::exchange(other.account_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryReservation& operator=(MemoryReservation&& other) noexcept {
    std::swap(account_, other.account_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MemoryReservation() {
    if (account_ != nullptr) account_->give_back(bytes_);
  }

  explicit operator bool() const { return account_ != nullptr; }

 private:
  MemoryAccount* account_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace wick
