// SPDX-License-Identifier: Apache-2.0
#include "perf/session/about_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>

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

// "999 Hz of cpu-clock, every 1000 of page-faults".
std::string rates_of(const std::vector<PerfEvent>& events) {
  std::string text;
  for (const PerfEvent& event : events) {
    const EventAttr& attr = event.attr;
    const bool has_samples = attr.type != event_type::kSoftware ||
                             attr.config != software_event::kDummy;
    if (attr.sample_period == 0 || !has_samples) continue;
    text += fmt::format("{}{}{} of {}", text.empty() ? "" : ", ",
                        attr.is_frequency() ? "" : "every ",
                        attr.is_frequency()
                            ? fmt::format("{} Hz", attr.sample_period)
                            : fmt::format("{}", attr.sample_period),
                        event.name);
  }
  return text;
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
