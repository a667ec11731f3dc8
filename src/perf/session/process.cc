// SPDX-License-Identifier: Apache-2.0
#include "perf/session/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace wick {

std::uint64_t next_map_version() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

ThreadId thread_of(Profile& profile, Task& task) {
  if (task.id != ThreadId::kUnknown) return task.id;
  // perf script does the same, so both show the same stacks.
  std::string comm = task.comm;
  std::ranges::replace(comm, ' ', '_');
  task.id = profile.thread_id({.pid = static_cast<std::int32_t>(task.pid),
                               .tid = static_cast<std::int32_t>(task.tid),
                               .comm = profile.strings.intern(comm)});
  return task.id;
}

Space& Tasks::space(std::uint32_t pid) {
  if (Space* known = find_space(pid)) return *known;
  if (!memory_.take(kSpaceBytes)) {
    if (std::exchange(last_refused_pid_, pid) != pid) ++refused_processes_;
    nowhere_.is_full = nowhere_.is_refused = true;
    return nowhere_;
  }
  std::unique_ptr<Space>& space = spaces_[pid];
  space = std::make_unique<Space>();
  space->pid = pid;
  space->version = next_map_version();
  return *space;
}

void Tasks::refuse(Space& space) {
  if (!std::exchange(space.is_refused, true)) ++refused_processes_;
}

void Tasks::account(Space& space) {
  if (!has_limit_) return;
  const std::uint64_t bytes =
      (space.map.size() + space.old_map.size()) * kMappingBytes;
  // has_room() has seen to it that this is not refused.
  if (bytes > space.taken_bytes && !memory_.take(bytes - space.taken_bytes))
    return;
  if (bytes < space.taken_bytes) memory_.give_back(space.taken_bytes - bytes);
  space.taken_bytes = bytes;
}

Task& Tasks::nobody(std::uint32_t pid, std::uint32_t tid) {
  nobody_ = {.pid = pid, .tid = tid};
  return nobody_;
}

Task& Tasks::task(std::uint32_t pid, std::uint32_t tid) {
  auto at = tasks_.find(tid);
  const bool is_new = at == tasks_.end();
  if (is_new) {
    if (!memory_.take(kTaskBytes)) return nobody(pid, tid);
    at = tasks_.try_emplace(tid).first;
  }
  Task& task = at->second;
  if (is_new) {
    // A thread that the recording does not describe has the name of its
    // process, else perf's placeholder.
    const auto main = tasks_.find(pid);
    if (tid == 0)
      task.comm = "swapper";
    else if (pid != tid && main != tasks_.end())
      task.comm = main->second.comm;
    else
      task.comm = fmt::format(":{}", tid);
    task.pid = pid;
    task.tid = tid;
    add_thread(pid);
  } else if (task.pid != pid) {
    if (!task.has_ended) remove_thread(task.pid);
    task.has_ended = false;
    task.end_number = 0;
    add_thread(pid);
    task.pid = pid;
    task.id = ThreadId::kUnknown;
  }
  return task;
}

Task* Tasks::find(std::uint32_t tid) {
  const auto at = tasks_.find(tid);
  return at == tasks_.end() ? nullptr : &at->second;
}

void Tasks::remove_thread(std::uint32_t pid) {
  const auto at = thread_counts_.find(pid);
  if (at != thread_counts_.end() && --at->second == 0) thread_counts_.erase(at);
}

bool Tasks::fork(std::uint32_t parent_pid, std::uint32_t parent_tid,
                 std::uint32_t pid, std::uint32_t tid, bool is_real) {
  if (tid == parent_tid) return true;
  const std::string comm = task(parent_pid, parent_tid).comm;
  Task& child = task(pid, tid);
  if (&child == &nobody_) {
    if (pid != parent_pid) refuse(space(pid));
    return false;
  }
  if (child.has_ended) add_thread(pid);
  child = {.pid = pid, .tid = tid, .comm = comm};
  if (pid == parent_pid) return true;
  remove_space(pid);
  Space& own = space(pid);
  if (!is_real) return true;
  const Space& parent = space(parent_pid);
  const std::size_t count = parent.map.size();
  if (mappings_ + count > kMaxMappings) return false;
  if (has_limit_ &&
      (&own == &nowhere_ || memory_.available() < count * kMappingBytes)) {
    refuse(own);
    return false;
  }
  own.map = parent.map;
  own.jit_rules = parent.jit_rules;
  own.claimed_bytes = parent.claimed_bytes;
  own.is_full = parent.is_full;
  own.copied_mappings = count;
  mappings_ += count;
  account(own);
  return true;
}

Space* Tasks::exit(std::uint32_t pid, std::uint32_t tid) {
  const auto at = tasks_.find(tid);
  if (at == tasks_.end() || at->second.pid != pid || at->second.has_ended)
    return nullptr;
  // Its name stays: the kernel still works on its behalf after its end.
  at->second.has_ended = true;
  at->second.end_number = ++ends_;
  ended_.push_back({tid, ends_});
  remove_thread(pid);
  return thread_counts_.contains(pid) ? nullptr : find_space(pid);
}

std::optional<std::uint32_t> Tasks::forget_oldest() {
  while (ended_.size() > kKeptEnded) {
    const Ended oldest = ended_.front();
    ended_.pop_front();
    const auto at = tasks_.find(oldest.tid);
    // Its tid may have been reused since.
    if (at == tasks_.end() || at->second.end_number != oldest.number) continue;
    const std::uint32_t pid = at->second.pid;
    tasks_.erase(at);
    memory_.give_back(kTaskBytes);
    if (!thread_counts_.contains(pid)) return pid;
  }
  return {};
}

Space* Tasks::find_space(std::uint32_t pid) {
  const auto at = spaces_.find(pid);
  return at == spaces_.end() ? nullptr : at->second.get();
}

void Tasks::remove_space(std::uint32_t pid) {
  const auto at = spaces_.find(pid);
  if (at == spaces_.end()) return;
  mappings_ -= at->second->copied_mappings;
  memory_.give_back(kSpaceBytes + at->second->taken_bytes);
  spaces_.erase(at);
}

void Tasks::comm(std::uint32_t pid, std::uint32_t tid, std::string_view name) {
  Task& named = task(pid, tid);
  if (named.comm == name) return;
  named.comm = name;
  named.id = ThreadId::kUnknown;
}

void Tasks::exec(std::uint32_t pid) {
  Space& replaced = space(pid);
  replaced.old_map = std::exchange(replaced.map, {});
  replaced.claimed_bytes = 0;
  replaced.is_full = &replaced == &nowhere_;
  account(replaced);
  replaced.cache.clear();
  replaced.jit = {};
  replaced.jit_rules = nullptr;
  replaced.version = next_map_version();
}

}  // namespace wick
