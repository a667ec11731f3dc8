// SPDX-License-Identifier: Apache-2.0
// Profiles and differences, in every format that wick writes.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"
#include "format/registry.h"
#include "profile/output_fit.h"
#include "render/text_report.h"
#include "server/api/answers.h"
#include "server/api/profile_request.h"
#include "server/api/routes.h"
#include "transform/diff.h"
#include "transform/event_choice.h"

namespace wick {
namespace {

constexpr std::string_view kProfile[] = {
    "host",  "pid",  "comm", "process", "cgroup", "container",
    "event", "from", "to",   "threads", "format"};
// Those of the side before that differ begin with "base_".
constexpr std::string_view kDiff[] = {
    "host",           "pid",       "comm",      "process",      "cgroup",
    "container",      "event",     "from",      "to",           "format",
    "base_host",      "base_pid",  "base_comm", "base_process", "base_cgroup",
    "base_container", "base_from", "base_to"};

const OutputFormat& format_of(const Parameters& parameters) {
  const std::string name = parameters.text_or("format", "html");
  for (const OutputFormat* format : output_formats())
    if (format->name == name) return *format;
  std::string names;
  for (const OutputFormat* format : output_formats())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format->name);
  throw RequestError(400, fmt::format("there is no format '{}'; expected one "
                                      "of {}",
                                      name.substr(0, 60), names));
}

HttpResponse answer_with(Profile& profile, const OutputFormat& format,
                         const WriteOptions& options) {
  HttpResponse response{.type = std::string(format.media_type)};
  response.body = bounded_text(
      [&](std::ostream& out) { write_profile(profile, format, options, out); });
  if (format.inline_code != nullptr)
    response.headers.emplace_back("Content-Security-Policy",
                                  page_policy(format.inline_code(options)));
  if (format.binary)
    response.headers.emplace_back(
        "Content-Disposition",
        fmt::format("attachment; filename=\"profile{}\"", format.extension));
  return response;
}

HttpResponse profile_answer(const ApiContext& context,
                            const Parameters& parameters) {
  const OutputFormat& format = format_of(parameters);
  const ProfileQuery query = profile_query(parameters);
  Profile profile = profile_for(context.history, query);
  if (format.only_sums) select_event(profile, "");
  const WriteOptions options{.draw = {.title = title_of(query)}};
  return answer_with(profile, format, options);
}

HttpResponse diff_answer(const ApiContext& context,
                         const Parameters& parameters) {
  const OutputFormat& format = format_of(parameters);
  const ProfileQuery after_query = profile_query(parameters);
  const ProfileQuery before_query = base_query(parameters, after_query);
  Profile before = profile_for(context.history, before_query);
  Profile after = profile_for(context.history, after_query);
  select_event(before, "");
  select_event(after, "");
  const DiffNames names{title_of(before_query), title_of(after_query)};
  WriteOptions options{
      .draw = {.title =
                   fmt::format("{}, since {}", names.after, names.before)}};
  CompareOptions compare_options;
  compare_options.samples = {
      .before = effective_samples(before, EventRole::kPlain),
      .after = effective_samples(after, EventRole::kPlain)};
  options.side_samples = compare_options.samples;
  Profile difference = join_as_difference(std::move(before), std::move(after));
  set_scale(difference, Scale::kNormalised);
  if (format.name != "text") return answer_with(difference, format, options);
  fit_to_output(difference, cost_of_fold(compare_options.fold));
  return {.body = diff_report(compare(difference, compare_options), options,
                              names)};
}

constexpr Route kRoutes[] = {
    {"/api/v1/profile", kProfile, profile_answer, true},
    {"/api/v1/diff", kDiff, diff_answer, true},
};

}  // namespace

std::span<const Route> profile_routes() { return kRoutes; }

}  // namespace wick
