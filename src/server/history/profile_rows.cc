// SPDX-License-Identifier: Apache-2.0
#include "server/history/profile_rows.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace wick {
namespace {

bool is_wanted(const std::string& wanted, std::string_view text) {
  return wanted.empty() || wanted == text;
}

// What the rows of threads become.
class ThreadChoice {
 public:
  ThreadChoice(Batch& batch, const ProfileQuery& query)
      : profile_(batch.profile), query_(query) {
    for (const BatchProcess& process : batch.processes)
      processes_.emplace(process.pid, &process);
  }

  // Nothing for a thread that is not selected.
  std::optional<Thread> operator()(const Thread& thread) {
    static const BatchProcess unknown;
    const auto found = processes_.find(thread.pid);
    const BatchProcess& process =
        found == processes_.end() ? unknown : *found->second;
    if ((query_.pid && *query_.pid != thread.pid) ||
        !is_wanted(query_.comm, profile_.strings[thread.comm]) ||
        !is_wanted(query_.process, process.name) ||
        !is_wanted(query_.cgroup, process.cgroup) ||
        !is_wanted(query_.container, process.container))
      return std::nullopt;
    switch (query_.detail) {
      case ThreadDetail::kName:
        return Thread{.comm = thread.comm};
      case ThreadDetail::kProcess:
        return Thread{thread.pid, thread.pid,
                      process.name.empty() ? thread.comm : text(process.name)};
      case ThreadDetail::kThread:
        return thread;
      case ThreadDetail::kCgroup:
        return Thread{.comm = text(process.cgroup)};
      case ThreadDetail::kContainer:
        return Thread{.comm = text(process.container)};
    }
    return std::nullopt;
  }

 private:
  StringId text(const std::string& name) {
    return profile_.strings.intern(name);
  }

  Profile& profile_;
  const ProfileQuery& query_;
  std::map<std::int32_t, const BatchProcess*> processes_;
};

// What is left of the rows of a table, and their new numbers.
template <Id I, class Row>
struct Kept {
  Column<I, Row> rows;
  std::vector<std::optional<I>> numbers;
};

Kept<ThreadId, Thread> kept_threads(Batch& batch, const ProfileQuery& query) {
  Kept<ThreadId, Thread> kept;
  ThreadChoice choose(batch, query);
  kept.rows.push_back({});
  std::map<std::tuple<std::int32_t, std::int32_t, StringId>, ThreadId> known = {
      {{Thread::kUnknown, Thread::kUnknown, StringId::kEmpty},
       ThreadId::kUnknown}};
  for (const Thread& thread : batch.profile.threads) {
    std::optional<ThreadId>& number = kept.numbers.emplace_back();
    const auto chosen = choose(thread);
    if (!chosen) continue;
    const auto [row, is_new] = known.try_emplace(
        {chosen->pid, chosen->tid, chosen->comm}, ThreadId::kUnknown);
    if (is_new) row->second = kept.rows.push_back(*chosen);
    number = row->second;
  }
  return kept;
}

Kept<EventId, Event> kept_events(const Profile& profile,
                                 const ProfileQuery& query) {
  Kept<EventId, Event> kept;
  for (const Event& event : profile.events) {
    std::optional<EventId>& number = kept.numbers.emplace_back();
    if (is_wanted(query.event, profile.strings[event.name]))
      number = kept.rows.push_back(event);
  }
  return kept;
}

}  // namespace

void sum_equal_rows(Profile& profile) {
  const auto samples = std::exchange(profile.samples, {});
  const auto counts = std::exchange(profile.sample_counts, {});
  SampleCollector collector(profile, false);
  for (std::size_t i = 0; i < samples.size(); ++i)
    collector.add(samples[i], i < counts.size() ? counts[i] : 1);
}

Profile selected_profile(Batch batch, const ProfileQuery& query) {
  Profile& profile = batch.profile;
  auto threads = kept_threads(batch, query);
  auto events = kept_events(profile, query);
  const auto samples = std::exchange(profile.samples, {});
  const auto counts = std::exchange(profile.sample_counts, {});
  profile.threads = std::move(threads.rows);
  profile.events = std::move(events.rows);
  SampleCollector collector(profile, false);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Sample sample = samples[i];
    const auto thread = threads.numbers[index(sample.thread)];
    const auto event = events.numbers[index(sample.event)];
    if (!thread || !event) continue;
    sample.thread = *thread;
    sample.event = *event;
    collector.add(sample, i < counts.size() ? counts[i] : 1);
  }
  return std::move(profile);
}

}  // namespace wick
