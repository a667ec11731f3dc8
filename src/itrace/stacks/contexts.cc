// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/contexts.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace wick {

void Memory::resume(SpaceId space, bool was_changed_for_it) {
  if (was_changed_for_it)
    be(space);
  else
    add({State::kAny, space});
}

void Memory::add(const Memory& later) {
  switch (later.state_) {
    case State::kUnknown:
      return;
    case State::kAny:
      if (state_ == State::kUnknown)
        *this = later;
      else if (space_ != later.space_)
        state_ = State::kNone;
      return;
    case State::kOwn:
    case State::kNone:
      *this = later;
  }
}

Memory::Doubt Memory::doubt(SpaceId space, bool was_changed) const {
  switch (state_) {
    case State::kOwn:
      return space_ == space ? Doubt::kNone : Doubt::kOther;
    case State::kNone:
      return was_changed ? Doubt::kOther : Doubt::kNone;
    case State::kUnknown:
    case State::kAny:
      break;
  }
  return was_changed ? Doubt::kUnknown : Doubt::kNone;
}

Context Contexts::make(std::uint32_t hart) {
  Context context;
  if (unused_.empty()) {
    context.thread = static_cast<std::uint32_t>(threads_.size());
    threads_.emplace_back();
  } else {
    context.thread = unused_.back();
    unused_.pop_back();
  }
  threads_[context.thread] = {.hart = hart, .number = ++last_number_};
  return context;
}

void Contexts::release(std::uint32_t thread) {
  threads_[thread] = {};
  unused_.push_back(thread);
}

void Contexts::park(Context context) {
  if (parked_.size() >= kMaxParked) {
    note_end(parked_.front().thread);
    by_thread_.erase(parked_.front().thread);
    parked_.pop_front();
  }
  context.parked_at = ++switches_;
  const std::uint32_t thread = context.thread;
  parked_.push_back(std::move(context));
  by_thread_[thread] = std::prev(parked_.end());
}

Context* Contexts::find(std::uint32_t thread) {
  const auto at = by_thread_.find(thread);
  return at == by_thread_.end() ? nullptr : &*at->second;
}

Context Contexts::take(std::uint32_t thread) {
  const auto at = by_thread_.find(thread);
  Context context = std::move(*at->second);
  parked_.erase(at->second);
  by_thread_.erase(at);
  return context;
}

void Contexts::note_birth(Birth birth) {
  if (births_.size() >= kMaxBirths) births_.pop_front();
  birth.number = birth_;
  births_.push_back(std::move(birth));
}

std::optional<Contexts::Birth> Contexts::take_birth(std::uint64_t pc) {
  const auto found = std::ranges::find_if(births_, [&](const Birth& birth) {
    return birth.frames.back().site != pc && birth.frames.back().resumes_at(pc);
  });
  if (found == births_.end()) return {};
  Birth birth = std::move(*found);
  std::erase_if(births_, [&](const Birth& other) {
    return other.number == birth.number;
  });
  return birth;
}

}  // namespace wick
