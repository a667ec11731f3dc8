// SPDX-License-Identifier: Apache-2.0
#include "perf/session/about_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "base/append.h"
#include "profile/about_keys.h"

namespace wick {
namespace {

std::string date_of(std::uint64_t wall_ns) {
  const auto seconds = static_cast<std::time_t>(wall_ns / 1'000'000'000);
  std::tm parts{};
  char text[40] = "";
  if (::gmtime_r(&seconds, &parts) != nullptr)
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

// "999 Hz of cpu-clock", "every 1000 of page-faults", "every
// sched:sched_switch".
std::string rate_of(const PerfEvent& event) {
  const std::uint64_t rate = event.attr.sample_period;
  if (event.attr.is_frequency())
    return fmt::format("{} Hz of {}", rate, event.name);
  if (rate == 1) return fmt::format("every {}", event.name);
  return fmt::format("every {} of {}", rate, event.name);
}

// An event may be opened more than once, with other settings.
std::string rates_of(const std::vector<PerfEvent>& events) {
  std::vector<std::string> rates;
  for (const PerfEvent& event : events) {
    const EventAttr& attr = event.attr;
    const bool has_samples = attr.type != event_type::kSoftware ||
                             attr.config != software_event::kDummy;
    if (attr.sample_period == 0 || !has_samples) continue;
    std::string rate = rate_of(event);
    if (std::ranges::find(rates, rate) == rates.end())
      rates.push_back(std::move(rate));
  }
  return joined(rates, ", ");
}

}  // namespace

void describe_recording(const PerfHeader& header, Profile& profile) {
  const auto about = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) profile.set_about(key, value);
  };
  about("host", header.hostname);
  about("kernel", header.os_release);
  about("cpu", header.cpu_description);
  about(kAboutCommand, joined(header.command_line, " "));
  about("rate", rates_of(header.events));
  if (header.clock_data) about(kAboutDate, date_of(header.clock_data->wall_ns));
}

void note_losses(const PerfData& data, Diagnostics& diagnostics) {
  const PerfCounts& counts = data.counts();
  diagnostics.note(Problem::kLostSamples,
                   std::max(counts.lost, counts.lost_samples));
  diagnostics.note(Problem::kThrottled, counts.throttles);
  diagnostics.note(Problem::kAuxSkipped, counts.aux_bytes);
  diagnostics.note(
      Problem::kBadRecord,
      counts.bad_records + counts.damaged_streams + counts.unknown_ids);
  diagnostics.note(Problem::kTimeDisorder, counts.out_of_order);
  if (counts.truncated) diagnostics.note(Problem::kTruncated);
  diagnostics.merge(data.header().facts.losses);
}

}  // namespace wick
