// SPDX-License-Identifier: Apache-2.0
#include "perf/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace wick {

std::uint64_t next_map_version() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

ThreadId thread_of(Profile& profile, Task& task) {
  if (task.id != ThreadId::kUnknown) return task.id;
  // perf script's reader does the same, so both give the same stacks.
  std::string comm = task.comm;
  std::ranges::replace(comm, ' ', '_');
  task.id = profile.thread_id({.pid = static_cast<std::int32_t>(task.pid),
                               .tid = static_cast<std::int32_t>(task.tid),
                               .comm = profile.strings.intern(comm)});
  return task.id;
}

Space& Tasks::space(std::uint32_t pid) {
  std::unique_ptr<Space>& space = spaces_[pid];
  if (!space) {
    space = std::make_unique<Space>();
    space->version = next_map_version();
  }
  return *space;
}

Task& Tasks::task(std::uint32_t pid, std::uint32_t tid) {
  const auto [at, is_new] = tasks_.try_emplace(tid);
  Task& task = at->second;
  if (is_new) {
    // A thread that the recording does not introduce has the name of its
    // process, else perf's name for it.
    const auto main = tasks_.find(pid);
    if (tid == 0)
      task.comm = "swapper";
    else if (pid != tid && main != tasks_.end())
      task.comm = main->second.comm;
    else
      task.comm = fmt::format(":{}", tid);
    task.pid = pid;
    task.tid = tid;
  } else if (task.pid != pid) {
    task.pid = pid;
    task.id = ThreadId::kUnknown;
  }
  return task;
}

Task* Tasks::find(std::uint32_t tid) {
  const auto at = tasks_.find(tid);
  return at == tasks_.end() ? nullptr : &at->second;
}

void Tasks::fork(std::uint32_t parent_pid, std::uint32_t parent_tid,
                 std::uint32_t pid, std::uint32_t tid) {
  if (tid == parent_tid) return;
  Task child{.pid = pid, .tid = tid, .comm = task(parent_pid, parent_tid).comm};
  tasks_.insert_or_assign(tid, std::move(child));
  if (pid == parent_pid) return;
  Space copy{.map = space(parent_pid).map};
  copy.version = next_map_version();
  space(pid) = std::move(copy);
}

void Tasks::comm(std::uint32_t pid, std::uint32_t tid, std::string_view name) {
  Task& named = task(pid, tid);
  if (named.comm == name) return;
  named.comm = name;
  named.id = ThreadId::kUnknown;
}

void Tasks::exec(std::uint32_t pid) {
  Space& replaced = space(pid);
  replaced.map.clear();
  replaced.cache.clear();
  replaced.jit = {};
  replaced.version = next_map_version();
}

}  // namespace wick
