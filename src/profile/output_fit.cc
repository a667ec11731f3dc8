// SPDX-License-Identifier: Apache-2.0
#include "profile/output_fit.h"

#include <algorithm>
#include <ranges>
#include <vector>

#include "base/bytes.h"
#include "base/hash_index.h"
#include "base/metrics.h"
#include "base/text.h"
#include "profile/stack_path.h"

namespace wick {
namespace {

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

class OutputFit {
 public:
  OutputFit(Profile& profile, const OutputCost& cost)
      : profile_(profile),
        stacks_(profile.stacks),
        cost_(cost),
        budget_(saturating_sum(
            cost.free_bytes, saturating_product(profile.input_bytes,
                                                cost.bytes_per_input_byte))) {}

  void run() {
    if (cost_.repeats == Repeats::kNothing) return;
    std::uint32_t depth = longest_piece();
    if (estimate() > budget_ && most() > budget_)
      depth = std::min(depth, largest_depth());
    if (depth < StackTable::kMaxDepth) cut_at(depth);
  }

 private:
  std::uint64_t bytes(StackId id) const {
    std::uint64_t size = cost_.frame_bytes;
    if (cost_.names) size += profile_.function(stacks_.frame(id)).size();
    return size;
  }

  // The most that any frame takes.
  std::uint64_t largest_frame() const {
    std::size_t longest = 0;
    if (cost_.names)
      for (const StringId id : profile_.strings.ids())
        longest = std::max(longest, profile_.strings[id].size());
    return cost_.frame_bytes + longest;
  }

  // At least what it would cost to spell out every sample: cheaply found, and
  // mostly within the budget.
  std::uint64_t estimate() const {
    std::uint64_t frames = 0;
    for (const Sample& sample : profile_.samples)
      frames += stacks_.depth(sample.stack);
    return saturating_product(frames, largest_frame());
  }

  // The depth down to which every stack can be written in one piece.
  std::uint32_t longest_piece() const {
    std::uint32_t depth = StackTable::kMaxDepth;
    if (saturating_product(depth, largest_frame()) <= cost_.stack_bytes)
      return depth;
    const Column<StackId, std::uint64_t> whole = whole_stacks();
    for (const StackId id : stacks_.ids())
      if (whole[id] > cost_.stack_bytes)
        depth = std::min(depth, stacks_.depth(id) - 1);
    return std::max(depth, 1u);
  }

  Column<StackId, std::uint64_t> whole_stacks() const {
    Column<StackId, std::uint64_t> whole(stacks_.size());
    for (const StackId id : stacks_.ids())
      if (id != StackId::kRoot)
        whole[id] = whole[stacks_.parent(id)] + bytes(id);
    return whole;
  }

  // Exactly that.
  std::uint64_t most() const {
    const Column<StackId, std::uint64_t> whole = whole_stacks();
    std::uint64_t sum = 0;
    for (const Sample& sample : profile_.samples)
      sum = saturating_sum(sum, whole[sample.stack]);
    return sum;
  }

  // The depth down to which everything that is repeated fits.
  std::uint32_t largest_depth() const {
    const Column<StackId, std::uint64_t> times = repetitions();
    std::vector<std::uint64_t> at_depth(StackTable::kMaxDepth + 1);
    for (const StackId id : stacks_.ids()) {
      if (id == StackId::kRoot) continue;
      std::uint64_t& sum = at_depth[stacks_.depth(id)];
      sum = saturating_sum(sum, saturating_product(times[id], bytes(id)));
    }
    std::uint32_t depth = 0;
    for (std::uint64_t sum = 0; depth < StackTable::kMaxDepth; ++depth) {
      sum = saturating_sum(sum, at_depth[depth + 1]);
      if (sum > budget_) break;
    }
    return std::max(depth, 1u);
  }

  // How often the last frame of each stack is written.
  Column<StackId, std::uint64_t> repetitions() const {
    const bool timeless = !profile_.has_time;
    switch (cost_.repeats) {
      case Repeats::kSamples:
        return sums_of([&](auto add) {
          for (const Sample& sample : profile_.samples) add(sample.stack, 1);
        });
      case Repeats::kChanges:
        return changes();
      case Repeats::kTimeline:
        return timeless ? trees_of_threads() : changes();
      case Repeats::kThreads:
        return trees_of_threads();
      default:
        return stacks_of_threads();
    }
  }

  // Counts what count(add) adds with add(stack, n), for each stack with all
  // that it calls.
  template <class Count>
  Column<StackId, std::uint64_t> sums_of(Count count) const {
    Column<StackId, std::uint64_t> sums(stacks_.size());
    count([&](StackId id, std::uint64_t n) { sums[id] += n; });
    for (const StackId id : stacks_.ids() | std::views::reverse)
      if (id != StackId::kRoot) sums[stacks_.parent(id)] += sums[id];
    return sums;
  }

  Column<StackId, std::uint64_t> stacks_of_threads() const {
    return sums_of([&](auto add) {
      HashIndex seen;
      std::uint32_t row = 0;
      for (const Sample& sample : profile_.samples) {
        seen.find_or_add(
            hash_pair(index(sample.thread), index(sample.stack)),
            [&](std::uint32_t i) {
              return profile_.samples[i].thread == sample.thread &&
                     profile_.samples[i].stack == sample.stack;
            },
            [&] {
              add(sample.stack, 1);
              return row;
            });
        ++row;
      }
    });
  }

  Column<StackId, std::uint64_t> trees_of_threads() const {
    Column<StackId, std::uint64_t> times = stacks_of_threads();
    for (std::uint64_t& n : times)
      n = std::min<std::uint64_t>(n, profile_.threads.size());
    return times;
  }

  // A stack is entered by each sample in it that follows one outside of it: the
  // sums of its samples less those of its pairs of neighbours, which are
  // counted where their stacks part.
  Column<StackId, std::uint64_t> changes() const {
    const SharedCallers shared(stacks_);
    const Column<ThreadId, std::uint64_t> usual = usual_distances();
    constexpr std::uint32_t kNone = 0xffffffff;
    Column<ThreadId, std::uint32_t> last(profile_.threads.size(), kNone);
    return sums_of([&](auto add) {
      for (std::uint32_t i = 0; i < profile_.samples.size(); ++i) {
        const Sample& sample = profile_.samples[i];
        add(sample.stack, 1);
        std::uint32_t& before = last[sample.thread];
        if (before != kNone && !is_gap(profile_.samples[before], sample, usual))
          add(shared.of(sample.stack, profile_.samples[before].stack),
              std::uint64_t{0} - 1);
        before = i;
      }
    });
  }

  // Whether a timeline shows nothing for a while between two samples.
  bool is_gap(const Sample& before, const Sample& sample,
              const Column<ThreadId, std::uint64_t>& usual) const {
    if (cost_.repeats != Repeats::kTimeline) return false;
    const std::uint64_t distance = sample.time - before.time;
    const Event& event = profile_.events[before.event];
    const std::int64_t unit =
        event.time == TimeKind::kTraceClock
            ? 1
            : nanoseconds_in(profile_.strings[event.unit]);
    if (unit > 0)
      return static_cast<std::uint64_t>(saturating_mul(before.weight, unit)) <
             saturating_product(distance, static_cast<std::uint64_t>(
                                              power_of_ten(event.decimals)));
    return distance / 3 > usual[sample.thread] / 2;
  }

  // The median of the distances between the samples of each thread.
  Column<ThreadId, std::uint64_t> usual_distances() const {
    Column<ThreadId, std::uint64_t> usual(profile_.threads.size());
    if (cost_.repeats != Repeats::kTimeline) return usual;
    Column<ThreadId, std::vector<std::uint64_t>> distances(
        profile_.threads.size());
    Column<ThreadId, std::uint64_t> last(profile_.threads.size());
    for (const Sample& sample : profile_.samples) {
      if (sample.time > last[sample.thread])
        distances[sample.thread].push_back(sample.time - last[sample.thread]);
      last[sample.thread] = sample.time;
    }
    for (const ThreadId id : profile_.threads.ids()) {
      std::vector<std::uint64_t>& of = distances[id];
      if (of.empty()) continue;
      const auto middle =
          of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
      std::ranges::nth_element(of, middle);
      usual[id] = *middle;
    }
    return usual;
  }

  void cut_at(std::uint32_t depth) {
    Column<StackId, StackId> shown(stacks_.size());
    for (const StackId id : stacks_.ids())
      shown[id] = stacks_.depth(id) <= depth ? id : shown[stacks_.parent(id)];
    const FrameId mark = profile_.named_frame("[truncated]", FrameKind::kLabel);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < profile_.samples.size(); ++i) {
      StackId& stack = profile_.samples[i].stack;
      if (shown[stack] == stack) continue;
      stack = profile_.stacks.push(shown[stack], mark);
      count +=
          i < profile_.sample_counts.size() ? profile_.sample_counts[i] : 1;
    }
    profile_.diagnostics.note(Problem::kCutToFit, count);
  }

  Profile& profile_;
  const StackTable& stacks_;
  const OutputCost& cost_;
  std::uint64_t budget_;
};

}  // namespace

void fit_to_output(Profile& profile, const OutputCost& cost) {
  const Timer timer("measure");
  OutputFit(profile, cost).run();
}

OutputCost cost_of_fold(const FoldOptions& options) {
  // A node takes about a hundred bytes in all tables.
  return {.repeats = options.flamechart ? Repeats::kChanges
                     : options.reversed ? Repeats::kStacks
                                        : Repeats::kThreads,
          .frame_bytes = 100,
          .free_bytes = std::uint64_t{400} << 20,
          .bytes_per_input_byte = 64};
}

}  // namespace wick
