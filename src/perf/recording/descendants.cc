// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/descendants.h"

#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <set>

#include "io/read_file.h"
#include "perf/events/proc_files.h"

namespace wick {
namespace {

constexpr std::uint64_t kMaxStatus = 1 << 16;

}  // namespace

pid_t parent_of(pid_t pid, const SystemPaths& paths) {
  const auto text =
      read_small_file(fmt::format("{}/{}/status", paths.proc, pid), kMaxStatus);
  const auto status = text ? parse_status(*text) : std::nullopt;
  return status ? status->parent : 0;
}

std::string name_of(pid_t pid, const SystemPaths& paths) {
  std::string name =
      read_small_file(fmt::format("{}/{}/comm", paths.proc, pid), kMaxStatus)
          .value_or("");
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

std::vector<pid_t> with_descendants(const std::vector<pid_t>& pids,
                                    const SystemPaths& paths) {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : list_numbers(paths.proc))
    if (pid != ::getpid()) children.emplace(parent_of(pid, paths), pid);
  std::set<pid_t> found(pids.begin(), pids.end());
  std::vector<pid_t> waiting(found.begin(), found.end());
  while (!waiting.empty()) {
    const auto [begin, end] = children.equal_range(waiting.back());
    waiting.pop_back();
    for (auto child = begin; child != end; ++child)
      if (found.insert(child->second).second) waiting.push_back(child->second);
  }
  return {found.begin(), found.end()};
}

}  // namespace wick
