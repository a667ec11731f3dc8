// SPDX-License-Identifier: Apache-2.0
// Takes the first line as what is asked for. Whatever it is, the answer is one
// of a few kinds, and an error says what is wrong.
#include <cstdlib>

#include "base/fuzz_target.h"
#include "base/text.h"
#include "server/api/api.h"

namespace wick {
namespace {

constexpr std::int64_t kFuzzNow = 1'700'000'000'000'000'000;

class EmptyStore : public Store {
 public:
  bool put(const Batch&) override { return true; }
  std::vector<StoredHost> hosts() override { return {{"box", 0, kFuzzNow}}; }
  Profile profile(const ProfileQuery&) override { return {}; }
  MetricColumns metrics(const MetricQuery&) override { return {}; }
  std::vector<StoredProcess> processes(const HostQuery&) override { return {}; }
  std::vector<StoredLoss> losses(const HostQuery&) override { return {}; }
  bool retain(const RetainPolicy&, std::int64_t) override { return false; }
  std::uint64_t size() override { return 0; }
};

Batch last_batch() {
  Batch batch{.agent = "a", .sequence = 1, .host = "box"};
  batch.from_ns = kFuzzNow - 30'000'000'000;
  batch.to_ns = batch.from_ns + 1'000'000'000;
  Profile& profile = batch.profile;
  profile.samples.push_back(
      {.weight = 30,
       .stack = profile.stacks.push(StackId::kRoot, profile.named_frame("f")),
       .thread = profile.thread_id({1, 2, profile.strings.intern("cat")}),
       .event = profile.event_id("cpu-clock", "ns")});
  batch.processes = {{1, "cat", "/user.slice", "c0ffee"}};
  batch.metrics = {{"cpu.user", "0", 1.5, 2.5}};
  batch.losses = {{"no memory", 4}};
  return batch;
}

void require(bool holds) {
  if (!holds) std::abort();
}

void fuzz_api(std::string_view bytes) {
  const auto target = parse_target(take_line(bytes));
  if (!target) return;
  EmptyStore store;
  Recent recent;
  const Batch batch = last_batch();
  recent.add(batch, encode(batch));
  const History history(store, recent);
  Live live;
  Api api({.history = history,
           .live = live,
           .state = [] { return ServerState(); },
           .now_ns = [] { return kFuzzNow; }});
  const HttpResponse response =
      api.answer({.method = "GET", .target = *target});
  require(response.status == 200 || response.status == 400 ||
          response.status == 404 || response.status == 422);
  require(response.status == 200 || response.body.starts_with("{\"error\""));
  for (const auto& [name, value] : response.headers)
    require(value.find_first_of("\r\n") == value.npos);
  if (!response.events) return;
  live.publish(batch);
  require(response.events->take().find("\n\n") != std::string::npos ||
          target->value("host").has_value());
}

}  // namespace

extern const FuzzTarget api_fuzz = {.name = "api", .run = fuzz_api};

}  // namespace wick
