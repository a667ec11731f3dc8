// SPDX-License-Identifier: Apache-2.0
#include "transform/recording.h"

#include <algorithm>
#include <ranges>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/text.h"
#include "profile/about_keys.h"

namespace wick {
namespace {

// The value of a key; "" if there is none, or several.
std::string_view only_fact(const Profile& profile, std::string_view key) {
  std::string_view found;
  for (const About& about : profile.about) {
    if (profile.strings[about.key] != key) continue;
    if (!found.empty()) return "";
    found = profile.strings[about.value];
  }
  return found;
}

std::uint32_t cpus_of(const Profile& profile) {
  std::vector<std::uint32_t> cpus;
  std::uint32_t last = Sample::kNoCpu;
  for (const Sample& sample : profile.samples) {
    if (sample.cpu == Sample::kNoCpu || sample.cpu == last) continue;
    cpus.push_back(last = sample.cpu);
  }
  std::ranges::sort(cpus);
  return static_cast<std::uint32_t>(cpus.size() -
                                    std::ranges::unique(cpus).size());
}

void add(std::uint64_t samples, std::uint64_t& sum) {
  sum = std::min(samples, UINT64_MAX - sum) + sum;
}

// Otherwise a row is a sum of nobody knows how many.
bool knows_samples(const Profile& profile, EventId id) {
  return profile.has_time || !profile.sample_counts.empty() ||
         counts_samples(profile, profile.events[id]);
}

// Nanoseconds, of an event that counts time on the CPU; else 0.
std::int64_t cpu_time(const Profile& profile, EventId id, std::int64_t weight) {
  const Event& event = profile.events[id];
  if (event.time != TimeKind::kOnCpu && event.time != TimeKind::kNone) return 0;
  return saturating_mul(weight, nanoseconds_in(profile.strings[event.unit])) /
         power_of_ten(event.decimals);
}

// Samples are in the order of time.
void add_times(const Profile& profile, std::vector<EventFacts>& facts) {
  if (!profile.has_time) return;
  if (clock_of_trace(profile)) {
    for (EventFacts& event : facts) event.end = span_of(profile);
    return;
  }
  const auto time_of = [&](const Sample& sample) {
    return sample.time - profile.samples.front().time;
  };
  for (const Sample& sample : profile.samples)
    facts[index(sample.event)].end = time_of(sample);
  for (const Sample& sample : profile.samples | std::views::reverse)
    facts[index(sample.event)].begin = time_of(sample);
}

}  // namespace

std::string recorded_command(const Profile& profile) {
  constexpr std::string_view kBegin = " -- ";
  std::string_view command = only_fact(profile, kAboutCommand);
  const std::size_t at = command.find(kBegin);
  if (at != command.npos) command.remove_prefix(at + kBegin.size());
  return std::string(command);
}

std::vector<EventFacts> facts_of_events(const Profile& profile) {
  std::vector<EventFacts> facts(profile.events.size());
  for (std::size_t row = 0; row < profile.samples.size(); ++row) {
    const Sample& sample = profile.samples[row];
    EventFacts& event = facts[index(sample.event)];
    if (knows_samples(profile, sample.event))
      add(samples_in_row(profile, row), event.samples);
    event.weight = saturating_add(event.weight, sample.weight);
    if (sample.stack == StackId::kRoot) continue;
    const Frame& frame = profile.frames[profile.stacks.frame(sample.stack)];
    if (frame.function == StringId::kEmpty)
      event.unnamed = saturating_add(event.unnamed, sample.weight);
  }
  add_times(profile, facts);
  return facts;
}

SizeOfWhole size_of_whole(const Profile& profile) {
  SizeOfWhole whole;
  Column<EventId, std::int64_t> sums(profile.events.size());
  for (std::size_t row = 0; row < profile.samples.size(); ++row) {
    const Sample& sample = profile.samples[row];
    const TimeKind time = profile.events[sample.event].time;
    sums[sample.event] = saturating_add(sums[sample.event], sample.weight);
    if (time != TimeKind::kOffCpu && time != TimeKind::kWall &&
        knows_samples(profile, sample.event))
      add(samples_in_row(profile, row), whole.samples);
  }
  if (!sums.empty()) whole.weight = sums[EventId{0}];
  // Two clocks count the same time.
  for (const EventId id : profile.events.ids())
    whole.cpu_ns = std::max(whole.cpu_ns, cpu_time(profile, id, sums[id]));
  return whole;
}

std::optional<double> share_of(const Diagnostics::Entry& entry,
                               const Diagnostics& diagnostics,
                               const SizeOfWhole& whole) {
  const auto part = [](double lost, double all) {
    return std::min(lost / all, 1.0);
  };
  if (entry.problem == Problem::kLostSamples) {
    if (whole.samples == 0) return {};
    const auto count = [&](Problem problem) {
      return static_cast<double>(diagnostics.count(problem));
    };
    const double lost = count(Problem::kLostSamples);
    return part(lost, lost + static_cast<double>(whole.samples) +
                          count(Problem::kNotSelected) +
                          count(Problem::kOtherEvent));
  }
  if (info(entry.problem).is_time) {
    // It is of the whole input.
    if (diagnostics.count(Problem::kNotSelected) > 0) return {};
    const auto lost = static_cast<double>(entry.count);
    if (entry.whole > 0) return part(lost, static_cast<double>(entry.whole));
    if (whole.cpu_ns <= 0) return {};
    return part(lost, lost + static_cast<double>(whole.cpu_ns));
  }
  if (entry.weight <= 0) return {};
  return part(static_cast<double>(entry.weight),
              static_cast<double>(
                  saturating_add(whole.weight, diagnostics.missing_weight())));
}

std::uint64_t span_of(const Profile& profile) {
  if (!profile.has_time || profile.samples.empty()) return 0;
  const std::uint64_t begin = profile.samples.front().time;
  const std::optional<EventId> clock = clock_of_trace(profile);
  if (!clock) return profile.samples.back().time - begin;
  std::uint64_t end = 0;
  for (const Sample& sample : profile.samples)
    if (sample.event == *clock)
      end = std::max(
          end, sample.time - begin + static_cast<std::uint64_t>(sample.weight));
  return end;
}

RecordingSummary summarize(const Profile& profile) {
  return {.command = recorded_command(profile),
          .date = std::string(only_fact(profile, kAboutDate)),
          .cpus = cpus_of(profile)};
}

}  // namespace wick
