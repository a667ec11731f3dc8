// SPDX-License-Identifier: Apache-2.0
#include "server/api/profile_request.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "base/time_text.h"
#include "server/api/time_point.h"

namespace wick {
namespace {

constexpr std::int64_t kLastMinute = 60'000'000'000;
// About 100 bytes each, and as much again for what is made of them.
constexpr std::size_t kMostRows = std::size_t{1} << 19;

constexpr std::pair<std::string_view, ThreadDetail> kThreads[] = {
    {"name", ThreadDetail::kName},
    {"process", ThreadDetail::kProcess},
    {"thread", ThreadDetail::kThread},
    {"cgroup", ThreadDetail::kCgroup},
    {"container", ThreadDetail::kContainer}};

// Lets the parameters that are there replace what `query` has.
void set_filters(ProfileQuery& query, const Parameters& parameters,
                 std::string_view prefix) {
  const auto set = [&](std::string_view name, std::string& text) {
    text = parameters.text_or(fmt::format("{}{}", prefix, name), text);
  };
  set("host", query.host);
  set("comm", query.comm);
  set("process", query.process);
  set("cgroup", query.cgroup);
  set("container", query.container);
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
  const std::string pid = fmt::format("{}pid", prefix);
  if (parameters.text(pid))
    query.pid =
        static_cast<std::int32_t>(parameters.number(pid, 0, {0, kMost}));
}

}  // namespace

ProfileQuery profile_query(const Parameters& parameters) {
  ProfileQuery query{.event = parameters.text_or("event", ""),
                     .detail = parameters.choice("threads", kThreads),
                     .most_rows = kMostRows};
  set_filters(query, parameters, "");
  query.span = parameters.span(kLastMinute);
  return query;
}

ProfileQuery base_query(const Parameters& parameters,
                        const ProfileQuery& after) {
  ProfileQuery base = after;
  set_filters(base, parameters, "base_");
  const std::int64_t length = after.span.to_ns - after.span.from_ns;
  base.span.to_ns = parameters.time("base_to").value_or(after.span.from_ns);
  base.span.from_ns =
      parameters.time("base_from").value_or(base.span.to_ns - length);
  if (base.span.from_ns >= base.span.to_ns)
    throw RequestError(400, "'base_from' is not before 'base_to'");
  return base;
}

Profile profile_for(const History& history, const ProfileQuery& query) {
  Profile profile = history.profile(query);
  if (profile.samples.empty())
    throw RequestError(
        404, fmt::format("there are no samples ({}): nothing was recorded "
                         "then, or nothing matches",
                         title_of(query)));
  return profile;
}

std::string title_of(const ProfileQuery& query) {
  std::string title = query.host.empty() ? "all hosts" : query.host;
  if (query.pid) title += fmt::format(", pid {}", *query.pid);
  for (const std::string* filter : {&query.process, &query.comm, &query.cgroup,
                                    &query.container, &query.event})
    if (!filter->empty()) title += fmt::format(", {}", *filter);
  return fmt::format(
      "{}, {} UTC, {}", title, date_text(query.span.from_ns),
      time_text(static_cast<double>(query.span.to_ns - query.span.from_ns)));
}

}  // namespace wick
