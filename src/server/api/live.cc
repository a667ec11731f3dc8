// SPDX-License-Identifier: Apache-2.0
#include "server/api/live.h"

#include <map>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "server/api/answers.h"
#include "server/api/json_parts.h"
#include "server/store/store.h"

namespace wick {
namespace {

// {"cpu.user":{"0":0.5,"1":0.25},"load.1":{"":2}}
void write_metrics(JsonWriter& json, const Batch& batch,
                   const std::vector<std::string>& names) {
  const MetricQuery query{.names = names};
  std::map<std::string_view, std::vector<const BatchMetric*>> by_name;
  for (const BatchMetric& metric : batch.metrics)
    if (query.wants(metric.name)) by_name[metric.name].push_back(&metric);
  json.key("metrics").begin_object();
  for (const auto& [name, metrics] : by_name) {
    json.key(name).begin_object();
    for (const BatchMetric* metric : metrics)
      json.member(metric->label, metric->mean);
    json.end_object();
  }
  json.end_object();
}

void write_events(JsonWriter& json, const Profile& profile) {
  json.key("samples").begin_array();
  for (const EventId id : profile.events.ids()) {
    const Event& event = profile.events[id];
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < profile.samples.size(); ++i)
      if (profile.samples[i].event == id) count += samples_in_row(profile, i);
    json.begin_object().member("event", profile.strings[event.name]);
    json.member("unit", profile.strings[event.unit]);
    json.member("weight",
                static_cast<double>(total_weight(profile, id)) /
                    static_cast<double>(power_of_ten(event.decimals)));
    json.member("samples", count).end_object();
  }
  json.end_array();
}

std::string second_of(const Batch& batch, const LiveChoice& choice) {
  return bounded_text([&](std::ostream& out) {
    JsonWriter json(out);
    json.begin_object().member("host", batch.host);
    write_time(json, "from", batch.from_ns);
    write_time(json, "to", batch.to_ns);
    write_events(json, batch.profile);
    write_metrics(json, batch, choice.names);
    if (!batch.busiest.empty()) {
      json.key("processes").begin_array();
      for (const ProcessMetrics& process : batch.busiest) {
        json.begin_object();
        write_process(json, process);
        json.end_object();
      }
      json.end_array();
    }
    json.key("losses").begin_array();
    for (const Loss& loss : batch.losses)
      json.begin_object()
          .member("reason", loss.reason)
          .member("count", loss.count)
          .end_object();
    json.end_array().end_object();
    json.flush();
  });
}

}  // namespace

std::shared_ptr<EventStream> Live::join(LiveChoice choice) {
  auto events = std::make_shared<EventStream>();
  const std::lock_guard lock(mutex_);
  watchers_.push_back({std::move(choice), events});
  return events;
}

void Live::publish(const Batch& batch) {
  const std::lock_guard lock(mutex_);
  forget_gone();
  std::map<LiveChoice, std::string> texts;
  for (const Watcher& watcher : watchers_) {
    if (!watcher.choice.host.empty() && watcher.choice.host != batch.host)
      continue;
    const auto [text, is_new] = texts.try_emplace(watcher.choice);
    if (is_new) text->second = second_of(batch, watcher.choice);
    watcher.events->send("second", text->second);
  }
}

std::size_t Live::watchers() {
  const std::lock_guard lock(mutex_);
  forget_gone();
  return watchers_.size();
}

// With the mutex.
void Live::forget_gone() {
  std::erase_if(watchers_, [](const Watcher& watcher) {
    return watcher.events->has_ended();
  });
}

}  // namespace wick
