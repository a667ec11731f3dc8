// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/traced_machine.h"

#include <algorithm>
#include <utility>

namespace wick {
namespace {

// Blocks that wait for those of other harts before them. If a source gives the
// harts' blocks in an order that differs from that of time by more than that,
// it is taken as it is.
constexpr std::size_t kMostWaiting = 24;

}  // namespace

TracedMachine::TracedMachine(TraceReader& reader, CodeMap& map,
                             MakeTracker make)
    : reader_(reader),
      map_(map),
      make_(std::move(make)),
      has_clock_(reader.info().unit != "instructions") {}

TracedMachine::Hart& TracedMachine::hart(std::uint32_t number) {
  Hart& hart = harts_[number];
  if (hart.tracker != nullptr) return hart;
  StackTracker::Options options{.hart = number};
  if (has_clock_)
    options.before_switch = [this](std::uint64_t cycle) {
      if (harts_.size() > 1) advance_others(cycle);
    };
  hart.tracker = make_(std::move(options));
  return hart;
}

// A block is learnt from before the previous one is tracked: it may identify
// code of which little ran in the previous one.
bool TracedMachine::pull() {
  if (is_over_) return false;
  std::unique_ptr<Piece> piece;
  if (unused_.empty()) {
    piece = std::make_unique<Piece>();
  } else {
    piece = std::move(unused_.back());
    unused_.pop_back();
  }
  do {
    is_over_ = !reader_.next(piece->block);
  } while (!is_over_ && piece->block.instructions.empty());
  if (is_over_) return false;
  const std::span<const SpaceChange> learnt = map_.learn(piece->block);
  piece->spaces.assign(learnt.begin(), learnt.end());
  piece->time = has_clock_ ? piece->block.instructions.front().cycle : read_;
  ++read_;
  marked_traps_ += piece->block.traps.size();
  latest_ = piece->time;
  ++waiting_;
  hart(piece->block.hart).pieces.push_back(std::move(piece));
  return true;
}

// Reads on until the hart has a block, or none that begins before `time`.
void TracedMachine::pull_until(const Hart& hart, std::uint64_t time) {
  while (hart.pieces.empty() && latest_ <= time && waiting_ < kMostWaiting &&
         pull()) {
  }
}

// Whether the block after the first one is known, too, or cannot be waited for.
bool TracedMachine::is_ready(const Hart& hart) const {
  return hart.pieces.size() > 1 || is_over_ || waiting_ >= kMostWaiting;
}

void TracedMachine::track(const std::function<void()>& between) {
  while (pull() || waiting_ > 0) {
    const auto first =
        std::ranges::min_element(harts_, {}, [](const auto& row) {
          return row.second.pieces.empty() ? UINT64_MAX
                                           : row.second.pieces.front()->time;
        });
    if (!is_ready(first->second)) continue;
    advance(first->second, UINT64_MAX);
    between();
  }
  for (auto& [number, hart] : harts_) hart.tracker->finish();
}

void TracedMachine::advance_others(std::uint64_t time) {
  for (auto& [number, hart] : harts_) {
    if (hart.is_busy) continue;
    pull_until(hart, time);
    if (!hart.pieces.empty()) advance(hart, time);
  }
}

// Tracks the first block of the hart; those that follow, as far as they begin
// until `time`, if that is not the end of all.
void TracedMachine::advance(Hart& hart, std::uint64_t time) {
  hart.is_busy = true;
  do {
    Piece& piece = *hart.pieces.front();
    if (!hart.has_begun && piece.time > time) break;
    if (!std::exchange(hart.has_begun, true))
      hart.tracker->begin(piece.block, piece.spaces);
    if (!hart.tracker->advance(time)) break;
    hart.has_begun = false;
    unused_.push_back(std::move(hart.pieces.front()));
    hart.pieces.pop_front();
    --waiting_;
    if (time != UINT64_MAX) pull_until(hart, time);
  } while (time != UINT64_MAX && !hart.pieces.empty());
  hart.is_busy = false;
}

TrackerCounts TracedMachine::counts() const {
  TrackerCounts all;
  for (const auto& [number, hart] : harts_) {
    const TrackerCounts one = hart.tracker->counts();
    all.instructions += one.instructions;
    all.calls += one.calls;
    all.traps += one.traps;
    all.switches += one.switches;
    all.weight += one.weight;
    all.resynchronised += one.resynchronised;
    all.unwound += one.unwound;
    all.time_disorder += one.time_disorder;
    all.last_cycle = std::max(all.last_cycle, one.last_cycle);
  }
  // Else they are those that show in the stacks.
  if (reader_.info().has_traps) all.traps = marked_traps_;
  return all;
}

}  // namespace wick
