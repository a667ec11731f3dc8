// SPDX-License-Identifier: Apache-2.0
#include "perf/events/event_suggestions.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/edit_distance.h"
#include "base/error.h"
#include "base/text.h"
#include "perf/events/event_spec.h"
#include "perf/events/kernel_limits.h"
#include "perf/events/named_events.h"
#include "perf/events/pmu.h"
#include "perf/events/proc_files.h"
#include "perf/events/tracefs.h"

namespace wick {
namespace {

constexpr std::size_t kMaxWord = 64;

// Letters and digits alone, in lower case: "cpuclock" is as good as
// "cpu-clock".
std::string skeleton(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == ':')
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string question(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string out = " (did you mean " + names[0];
  for (std::size_t i = 1; i < names.size(); ++i) out += " or " + names[i];
  return out + "?)";
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view word,
                                       std::span<const std::string> names) {
  constexpr std::size_t kMost = 3;
  const std::string wanted = skeleton(word.substr(0, kMaxWord));
  if (wanted.empty()) return {};
  struct Candidate {
    std::size_t cost;
    std::string_view name;
  };
  std::vector<Candidate> candidates;
  const std::size_t allowed = std::max<std::size_t>(1, wanted.size() / 3);
  for (const std::string& name : names) {
    const std::string bones = skeleton(name);
    const std::size_t cost = edit_distance(wanted, bones);
    // Names that contain the word come after misspelt ones.
    if (cost <= allowed)
      candidates.push_back({cost, name});
    else if (wanted.size() >= 3 && bones.find(wanted) != std::string::npos)
      candidates.push_back({allowed + cost, name});
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::cost);
  std::vector<std::string> result;
  for (const Candidate& candidate : candidates) {
    // Much worse ones than the best only confuse.
    if (result.size() == kMost || candidate.cost > candidates[0].cost + 2)
      break;
    result.emplace_back(candidate.name);
  }
  return result;
}

void fail_unknown_event(std::string_view name, const SystemPaths& paths) {
  std::vector<std::string> names;
  for (EventName& event : list_events(paths))
    names.push_back(std::move(event.name));
  throw UsageError(fmt::format("there is no event '{}'{}", excerpt(name),
                               question(nearest_names(name, names))),
                   {.wrong = std::nullopt, .helps = Setting::kEventList});
}

void fail_unknown_pmu(std::string_view name, const SystemPaths& paths) {
  const std::vector<std::string> names = list_pmus(paths);
  std::string all;
  for (const std::string& pmu : names) all += (all.empty() ? "" : ", ") + pmu;
  fail_usage("there is no PMU '{}'{}; this machine has {}", excerpt(name),
             question(nearest_names(name, names)), all.empty() ? "none" : all);
}

void fail_without_tracefs(std::string_view event, const SystemPaths& paths) {
  const TracefsState state = tracefs_state(paths);
  if (state == TracefsState::kHidden)
    fail_usage(
        "the tracepoint '{}' cannot be looked up, because only root may read "
        "{}; record as root, or let root run 'mount -o remount,{} {}'",
        excerpt(event), paths.tracefs, tracefs_options(), paths.tracefs);
  if (state == TracefsState::kAbsent)
    fail_usage(
        "the tracepoint '{}' cannot be looked up, because there is no {}: the "
        "kernel has no tracepoints, or /sys is not mounted",
        excerpt(event), paths.tracefs);
  fail_usage(
      "the tracepoint '{}' cannot be looked up, because {} is not mounted; "
      "'sudo mount -t tracefs -o {} tracefs {}' mounts it, and 'docker run -v "
      "{}:{} …' shows it in a container",
      excerpt(event), paths.tracefs, tracefs_options(), paths.tracefs,
      paths.tracefs, paths.tracefs);
}

std::vector<EventName> list_events(const SystemPaths& paths) {
  using Kind = EventName::Kind;
  std::vector<EventName> names;
  const auto add = [&](Kind kind, const std::vector<std::string>& some) {
    for (const std::string& name : some) names.push_back({kind, name});
  };
  const std::vector<std::string> pmus = list_pmus(paths);
  if (std::ranges::any_of(pmus, is_processor_pmu)) {
    add(Kind::kHardware, named_events(event_type::kHardware));
    add(Kind::kCache, named_events(event_type::kHwCache));
  }
  add(Kind::kSoftware, named_events(event_type::kSoftware));
  for (const std::string& pmu_name : pmus)
    if (const auto pmu = read_pmu(pmu_name, paths))
      for (const auto& [event, _] : pmu->events)
        names.push_back({Kind::kPmu, pmu_name + "/" + event + "/"});
  if (const std::string tracefs = readable_tracefs(paths); !tracefs.empty())
    for_each_line(tracefs + "/available_events", [&](std::string_view line) {
      if (!line.empty())
        names.push_back({Kind::kTracepoint, std::string(line)});
      return true;
    });
  std::ranges::sort(names, [](const EventName& a, const EventName& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.name < b.name;
  });
  return names;
}

}  // namespace wick
