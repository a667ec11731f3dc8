// SPDX-License-Identifier: Apache-2.0
// Tables: what weighs most, hosts, the busiest processes, losses.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/text.h"
#include "profile/fold.h"
#include "server/api/answers.h"
#include "server/api/json_parts.h"
#include "server/api/profile_request.h"
#include "server/api/routes.h"
#include "transform/event_choice.h"
#include "transform/name_weights.h"

namespace wick {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kDayNs = 86400 * kSecondNs;

constexpr std::string_view kTop[] = {"by",      "host",   "pid",       "comm",
                                     "process", "cgroup", "container", "event",
                                     "from",    "to",     "sort",      "n"};
constexpr std::string_view kSpan[] = {"host", "from", "to"};

enum class By : std::uint8_t { kFunction, kModule, kProcess, kThread };
constexpr std::pair<std::string_view, By> kBy[] = {{"function", By::kFunction},
                                                   {"module", By::kModule},
                                                   {"process", By::kProcess},
                                                   {"thread", By::kThread}};

struct TopRow {
  std::string name;
  std::int32_t pid = Thread::kUnknown, tid = Thread::kUnknown;
  std::int64_t self = 0, total = 0;
};

std::vector<TopRow> rows_by_name(const FlameGraph& graph) {
  std::vector<TopRow> rows;
  for (const NameWeight& weight : sum_by_name(graph))
    rows.push_back({.name = weight.name == StringId::kEmpty
                                ? "[no stack]"
                                : std::string(graph.strings[weight.name]),
                    .self = weight.self,
                    .total = weight.total});
  return rows;
}

// fold() scales weights as the graph; threads are below its root.
std::vector<TopRow> rows_by_thread(const Profile& profile,
                                   const FlameGraph& graph) {
  std::map<ThreadId, std::int64_t> weights;
  for (const Sample& sample : profile.samples) {
    const int decimals = profile.events[sample.event].decimals;
    std::int64_t& weight = weights[sample.thread];
    weight = saturating_add(
        weight,
        saturating_mul(sample.weight, power_of_ten(graph.decimals - decimals)));
  }
  std::vector<TopRow> rows;
  for (const auto& [id, weight] : weights) {
    const Thread& thread = profile.threads[id];
    rows.push_back({.name = std::string(profile.strings[thread.comm]),
                    .pid = thread.pid,
                    .tid = thread.tid,
                    .self = weight,
                    .total = weight});
  }
  return rows;
}

void write_top(JsonWriter& json, const FlameGraph& graph,
               const std::vector<TopRow>& rows, std::size_t most) {
  const std::int64_t whole = graph.total[NodeId::kRoot];
  const auto share = [&](std::int64_t weight) {
    return whole > 0 ? static_cast<double>(weight) / static_cast<double>(whole)
                     : 0.0;
  };
  json.member("event", graph.event).member("unit", graph.unit);
  json.member("total", graph.value(whole));
  json.member("rows_in_all", std::uint64_t{rows.size()});
  json.key("rows").begin_array();
  for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) {
    const TopRow& row = rows[i];
    json.begin_object().member("name", row.name);
    if (row.pid >= 0) json.member("pid", row.pid);
    if (row.tid >= 0) json.member("tid", row.tid);
    json.member("self", graph.value(row.self));
    json.member("self_share", share(row.self));
    json.member("total", graph.value(row.total));
    json.member("total_share", share(row.total)).end_object();
  }
  json.end_array();
}

HttpResponse top_answer(const ApiContext& context,
                        const Parameters& parameters) {
  constexpr std::pair<std::string_view, std::int64_t TopRow::*> kSort[] = {
      {"self", &TopRow::self}, {"total", &TopRow::total}};
  const By by = parameters.choice("by", kBy);
  const auto column = parameters.choice("sort", kSort);
  const auto most =
      static_cast<std::size_t>(parameters.number("n", 30, {1, 10'000}));
  ProfileQuery query = profile_query(parameters);
  if (by == By::kProcess) query.detail = ThreadDetail::kProcess;
  if (by == By::kThread) query.detail = ThreadDetail::kThread;
  Profile profile = profile_for(context.history, query);
  select_event(profile, "");
  const FlameGraph graph =
      fold(profile, {.root = ThreadRoot::kNone,
                     .detail = by == By::kModule ? NameDetail::kModule
                                                 : NameDetail::kFunction});
  std::vector<TopRow> rows = by == By::kProcess || by == By::kThread
                                 ? rows_by_thread(profile, graph)
                                 : rows_by_name(graph);
  std::ranges::stable_sort(rows, std::greater(), column);
  return json_answer([&](JsonWriter& json) {
    json.begin_object();
    write_time(json, "from", query.span.from_ns);
    write_time(json, "to", query.span.to_ns);
    write_top(json, graph, rows, most);
    json.end_object();
  });
}

HttpResponse hosts_answer(const ApiContext& context,
                          const Parameters& parameters) {
  return json_answer([&](JsonWriter& json) {
    json.begin_object();
    write_time(json, "now", parameters.now_ns());
    json.key("hosts").begin_array();
    for (const KnownHost& host : context.history.hosts()) {
      json.begin_object().member("name", host.name);
      write_time(json, "first", host.first_ns);
      if (host.stored_until_ns)
        write_time(json, "stored_until", *host.stored_until_ns);
      if (host.seen_until_ns)
        write_time(json, "seen_until", *host.seen_until_ns);
      json.end_object();
    }
    json.end_array().end_object();
  });
}

HostQuery host_query(const Parameters& parameters, std::int64_t default_ns) {
  return {parameters.text_or("host", ""), parameters.span(default_ns)};
}

HttpResponse processes_answer(const ApiContext& context,
                              const Parameters& parameters) {
  const auto rows =
      context.history.processes(host_query(parameters, 60 * kSecondNs));
  return json_answer([&](JsonWriter& json) {
    json.begin_object().key("processes").begin_array();
    for (const StoredProcess& row : rows) {
      json.begin_object().member("host", row.host);
      write_time(json, "from", row.from_ns);
      write_time(json, "to", row.to_ns);
      write_process(json, row.process);
      json.end_object();
    }
    json.end_array().end_object();
  });
}

HttpResponse losses_answer(const ApiContext& context,
                           const Parameters& parameters) {
  const auto losses = context.history.losses(host_query(parameters, kDayNs));
  return json_answer([&](JsonWriter& json) {
    json.begin_object().key("losses").begin_array();
    for (const StoredLoss& row : losses)
      json.begin_object()
          .member("host", row.host)
          .member("reason", row.loss.reason)
          .member("count", row.loss.count)
          .end_object();
    json.end_array().end_object();
  });
}

constexpr Route kTableRoutes[] = {
    {"/api/v1/top", kTop, top_answer, true},
    {"/api/v1/hosts", {}, hosts_answer},
    {"/api/v1/processes", kSpan, processes_answer},
    {"/api/v1/losses", kSpan, losses_answer},
};

}  // namespace

std::span<const Route> table_routes() { return kTableRoutes; }

}  // namespace wick
