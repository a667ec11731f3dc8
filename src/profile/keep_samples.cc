// SPDX-License-Identifier: Apache-2.0
#include "profile/keep_samples.h"

namespace wick {
namespace {

void note_dropped(Profile& profile, std::size_t row, Problem problem) {
  const Sample& sample = profile.samples[row];
  if (problem == Problem::kNotSelected)
    problem = not_selected(profile, sample.event);
  const bool counts_weight = problem == Problem::kCutInstructions ||
                             problem == Problem::kCutCycles ||
                             problem == Problem::kCutCalls;
  // Weights of other events are in other units and no share of anything.
  profile.diagnostics.note(problem,
                           counts_weight
                               ? static_cast<std::uint64_t>(sample.weight)
                               : samples_in_row(profile, row),
                           problem == Problem::kOtherEvent ? 0 : sample.weight);
}

template <class Predicate>
std::uint64_t count_samples(const Profile& profile, Predicate predicate) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < profile.samples.size(); ++i)
    if (predicate(profile.samples[i].stack))
      count += samples_in_row(profile, i);
  return count;
}

}  // namespace

void recount(Profile& profile) {
  Diagnostics& diagnostics = profile.diagnostics;
  if (diagnostics.count(Problem::kNoStack) > 0)
    diagnostics.keep_at_most(Problem::kNoStack,
                             count_samples(profile, [](StackId stack) {
                               return stack == StackId::kRoot;
                             }));
  if (diagnostics.count(Problem::kNoSymbol) > 0)
    diagnostics.keep_at_most(
        Problem::kNoSymbol, count_samples(profile, [&](StackId stack) {
          return stack != StackId::kRoot &&
                 profile.function(profile.stacks.frame(stack)).empty();
        }));
  diagnostics.mark_as_of_whole_input();
}

Problem not_selected(const Profile& profile, EventId event) {
  if (!profile.is_trace) return Problem::kNotSelected;
  const std::string_view unit = profile.strings[profile.events[event].unit];
  if (unit == "instructions") return Problem::kCutInstructions;
  if (unit == "cycles") return Problem::kCutCycles;
  if (unit == "calls") return Problem::kCutCalls;
  return Problem::kNotSelected;
}

void keep_samples(Profile& profile, Problem problem,
                  const std::function<bool(const Sample&)>& wanted) {
  std::vector<Sample>& samples = profile.samples;
  std::vector<std::uint32_t>& counts = profile.sample_counts;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!wanted(samples[i])) {
      note_dropped(profile, i, problem);
      continue;
    }
    if (kept < counts.size()) counts[kept] = i < counts.size() ? counts[i] : 1;
    samples[kept++] = samples[i];
  }
  if (kept == samples.size()) return;
  samples.resize(kept);
  if (counts.size() > kept) counts.resize(kept);
  recount(profile);
}

}  // namespace wick
