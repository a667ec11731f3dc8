// SPDX-License-Identifier: Apache-2.0
// What was measured of hosts and of the server itself: as columns, as a stream,
// for Prometheus.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/append.h"
#include "base/text.h"
#include "host/metric.h"
#include "server/api/answers.h"
#include "server/api/routes.h"
#include "server/api/server_cost.h"

namespace wick {
namespace {

constexpr std::int64_t kNs = 1'000'000'000;
constexpr std::int64_t kFiveMinutes = 300 * kNs;

constexpr std::string_view kMetricParameters[] = {"name", "host", "from", "to",
                                                  "step"};
constexpr std::string_view kLiveParameters[] = {"host", "name"};

std::string_view unit_name(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::kCount:
      return "count";
    case MetricUnit::kBytes:
      return "bytes";
    case MetricUnit::kNanoseconds:
      return "nanoseconds";
    case MetricUnit::kShare:
      return "share";
  }
  return "";
}

// A step of which a chart has some hundreds.
std::int64_t usual_step(const TimeSpan& span) {
  constexpr std::int64_t kMostSteps = 600;
  constexpr std::int64_t kSteps[] = {
      1,   2,    5,    10,   20,   30,       60,       120,       300,
      600, 1200, 1800, 3600, 7200, 3 * 3600, 6 * 3600, 12 * 3600, 86400};
  const std::int64_t length = span.to_ns - span.from_ns;
  for (const std::int64_t step : kSteps)
    if (length / (step * kNs) <= kMostSteps) return step * kNs;
  return 7 * 86400 * kNs;
}

void write_column(JsonWriter& json, std::string_view key,
                  const std::vector<double>& values) {
  json.key(key).begin_array();
  for (const double value : values)
    if (std::isfinite(value))
      json.value(value);
    else
      json.null();
  json.end_array();
}

void write_series(JsonWriter& json, const MetricColumns::Series& series) {
  json.begin_object().member("host", series.host);
  json.member("name", series.name).member("label", series.label);
  if (const auto metric = metric_named(series.name)) {
    const MetricInfo& about = info(*metric);
    json.member("unit", unit_name(about.unit));
    json.member("per_second", about.kind == MetricKind::kCounter);
  }
  write_column(json, "mean", series.mean);
  write_column(json, "max", series.max);
  json.end_object();
}

HttpResponse metrics_answer(const ApiContext& context,
                            const Parameters& parameters) {
  MetricQuery query{.host = parameters.text_or("host", ""),
                    .span = parameters.span(kFiveMinutes),
                    .names = parameters.list("name")};
  query.step_ns = parameters.duration("step").value_or(usual_step(query.span));
  if (query.step_ns < kNs)
    throw RequestError(400,
                       "'step' is less than 1s, and nothing is measured "
                       "more often");
  const MetricColumns columns = context.history.metrics(query);
  return json_answer([&](JsonWriter& json) {
    json.begin_object();
    write_time(json, "from", query.span.from_ns);
    write_time(json, "to", query.span.to_ns);
    write_time(json, "step", query.step_ns);
    json.key("times").begin_array();
    for (const std::int64_t time : columns.from_ns) json.raw(time_number(time));
    json.end_array().key("series").begin_array();
    for (const MetricColumns::Series& series : columns.series)
      write_series(json, series);
    json.end_array();
    if (columns.damaged_buckets > 0)
      json.member("damaged", columns.damaged_buckets);
    json.end_object();
  });
}

HttpResponse live_answer(const ApiContext& context,
                         const Parameters& parameters) {
  return {.type = "text/event-stream",
          .events = context.live.join(
              {parameters.text_or("host", ""), parameters.list("name")})};
}

// --- Prometheus' text format

// "a\"b" as it is between quotes.
std::string label_text(std::string_view text) {
  std::string out;
  for (const char c : valid_utf8(text))
    if (c == '\n')
      out += "\\n";
    else if (c == '"' || c == '\\')
      (out += '\\') += c;
    else
      out += c;
  return out;
}

// "cpu.user" as "wick_cpu_user", "wick.cpu" as "wick_cpu".
std::string prometheus_name(std::string_view name) {
  std::string out = name.starts_with("wick.") ? "" : "wick_";
  for (const char c : name)
    out += is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
               ? c
               : '_';
  return out;
}

void add_gauge(std::string& out, std::string_view name, std::string_view help,
               double value, std::string_view type = "gauge") {
  append(out, "# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help, type,
         value);
}

void add_own(std::string& out, const ApiContext& context) {
  const ServerState state = context.state();
  add_gauge(out, "wick_store_bytes", "Size of the database.",
            static_cast<double>(state.store_bytes));
  add_gauge(out, "wick_store_full", "1 while nothing can be stored.",
            state.writer.is_full ? 1 : 0);
  add_gauge(out, "wick_unstored_batches",
            "Sums of ten seconds that wait to be stored.",
            static_cast<double>(state.writer.waiting));
  add_gauge(out, "wick_lost_seconds_total",
            "Seconds that the server could not store.",
            static_cast<double>(state.writer.lost), "counter");
  add_gauge(out, "wick_http_connections", "Open connections.",
            static_cast<double>(state.connections));
  add_gauge(out, "wick_live_watchers", "Clients of /api/v1/live.",
            static_cast<double>(context.live.watchers()));
  const ServerCost cost = server_cost();
  add_gauge(out, "process_cpu_seconds_total", "CPU time of the server process.",
            cost.cpu_seconds, "counter");
  add_gauge(out, "process_resident_memory_bytes",
            "Memory of the server process.",
            static_cast<double>(cost.resident_bytes));
}

void add_hosts(std::string& out, const ApiContext& context) {
  const auto hosts = context.history.hosts();
  append(out,
         "# HELP wick_stored_until_seconds Everything up to here is on the "
         "disk.\n# TYPE wick_stored_until_seconds gauge\n");
  for (const KnownHost& host : hosts)
    if (host.stored_until_ns)
      append(out, "wick_stored_until_seconds{{host=\"{}\"}} {}\n",
             label_text(host.name), time_number(*host.stored_until_ns));
}

// Each metric of the last second, of all hosts together, as the format wants.
void add_metrics(std::string& out, const ApiContext& context) {
  std::vector<std::pair<std::string, std::shared_ptr<const Recent::Second>>>
      last;
  for (const std::string& host : context.history.recent().hosts())
    if (auto second = context.history.recent().last(host))
      last.emplace_back(label_text(host), std::move(second));
  for (std::size_t i = 0; i < kMetrics; ++i) {
    const MetricInfo& about = info(static_cast<Metric>(i));
    const std::string name = prometheus_name(about.name);
    bool has_head = false;
    for (const auto& [host, second] : last)
      for (std::size_t row = 0; row < second->names->size(); ++row) {
        const auto& [metric, label] = (*second->names)[row];
        if (metric != about.name) continue;
        if (!has_head)
          append(out, "# HELP {0} {1}{2} ({3}).\n# TYPE {0} gauge\n", name,
                 about.help,
                 about.kind == MetricKind::kCounter ? ", per second" : "",
                 unit_name(about.unit));
        has_head = true;
        append(out, "{}{{host=\"{}\"", name, host);
        if (!about.label.empty())
          append(out, ",{}=\"{}\"", about.label, label_text(label));
        append(out, "}} {}\n", second->mean[row]);
      }
  }
}

HttpResponse prometheus_answer(const ApiContext& context, const Parameters&) {
  HttpResponse response{.type = "text/plain; version=0.0.4; charset=utf-8"};
  add_own(response.body, context);
  add_hosts(response.body, context);
  add_metrics(response.body, context);
  return response;
}

constexpr Route kMetricRoutes[] = {
    {"/api/v1/metrics", kMetricParameters, metrics_answer, true},
    {"/api/v1/live", kLiveParameters, live_answer},
    {"/metrics", {}, prometheus_answer},
};

}  // namespace

std::span<const Route> metric_routes() { return kMetricRoutes; }

}  // namespace wick
