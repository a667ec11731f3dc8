// SPDX-License-Identifier: Apache-2.0
#include "agent/process_places.h"

#include <fcntl.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "io/unique_fd.h"

namespace wick {
namespace {

std::optional<std::string> text_of_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return {};
  char bytes[8192];
  const ssize_t got = ::read(fd.get(), bytes, sizeof bytes);
  if (got < 0) return {};  // it has ended
  return std::string(bytes, static_cast<std::size_t>(got));
}

// "docker-4f…64 digits….scope", "4f…", "cri-containerd-4f….scope".
std::string id_in(std::string_view part) {
  constexpr std::size_t kDigits = 64, kShown = 12;
  if (part.ends_with(".scope")) part.remove_suffix(6);
  if (part.size() < kDigits) return {};
  const std::string_view id = part.substr(part.size() - kDigits);
  const bool is_whole =
      part.size() == kDigits || part[part.size() - kDigits - 1] == '-';
  return is_whole && all_hex_digits(id) ? std::string(id.substr(0, kShown))
                                        : "";
}

// "machine-web.scope" of systemd-nspawn, "lxc.payload.web" of LXC.
std::string machine_in(std::string_view part) {
  constexpr std::string_view kLxc = "lxc.payload.", kMachine = "machine-";
  if (part.starts_with(kLxc)) return std::string(part.substr(kLxc.size()));
  if (!part.starts_with(kMachine) || !part.ends_with(".scope")) return {};
  part.remove_prefix(kMachine.size());
  part.remove_suffix(6);
  return std::string(part);
}

}  // namespace

std::string container_of(std::string_view cgroup) {
  std::string innermost;
  while (!cgroup.empty()) {
    const std::string_view part = take_until(cgroup, '/');
    std::string name = id_in(part);
    if (name.empty()) name = machine_in(part);
    if (!name.empty()) innermost = std::move(name);
  }
  return innermost;
}

// "0::/user.slice", "4:memory:/docker/4f…".
std::string cgroup_of(std::string_view text) {
  std::string_view found;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view number = take_until(line, ':');
    take_until(line, ':');
    if (!line.starts_with('/')) continue;
    if (number == "0" && line != "/") return std::string(line);
    if (found.size() <= 1) found = line;
  }
  return std::string(found);
}

bool ProcessPlaces::look_at(BatchProcess& process) const {
  const std::string folder = proc_ + "/" + std::to_string(process.pid) + "/";
  const auto name = text_of_file(folder + "comm");
  const auto groups = text_of_file(folder + "cgroup");
  if (!name || !groups) return false;
  process.name = trim(*name);
  process.cgroup = cgroup_of(*groups);
  process.container = container_of(process.cgroup);
  return true;
}

BatchProcess* ProcessPlaces::find(std::int32_t pid) {
  const auto found = known_.find(pid);
  return found == known_.end() ? nullptr : &found->second;
}

BatchProcess& ProcessPlaces::remember(std::int32_t pid) {
  const auto [at, is_new] = known_.try_emplace(pid);
  BatchProcess& process = at->second;
  process.pid = pid;
  if (!is_new) return process;
  order_.push_back(pid);
  if (order_.size() > kMostKnown) {
    known_.erase(order_.front());
    order_.pop_front();
  }
  return process;
}

void ProcessPlaces::on_fork(std::int32_t parent, std::int32_t pid) {
  const BatchProcess* from = find(parent);
  BatchProcess begun;
  if (from != nullptr) {
    begun = *from;
  } else {
    BatchProcess& looked_at = remember(parent);
    look_at(looked_at);
    begun = looked_at;
  }
  begun.pid = pid;
  // Another process had that pid before.
  remember(pid) = std::move(begun);
}

std::vector<BatchProcess> ProcessPlaces::of(const Profile& profile) {
  struct Seen {
    std::string_view name;
    bool is_of_process = false;  // that of its main thread
  };
  std::map<std::int32_t, Seen> all;
  for (const Sample& sample : profile.samples) {
    const Thread& thread = profile.threads[sample.thread];
    if (thread.pid < 0) continue;
    Seen& seen = all[thread.pid];
    if (!seen.name.empty() && thread.tid != thread.pid) continue;
    seen = {.name = profile.strings[thread.comm],
            .is_of_process = thread.tid == thread.pid};
  }
  std::vector<BatchProcess> processes;
  for (const auto& [pid, seen] : all) {
    BatchProcess& process = remember(pid);
    if (!look_at(process) && (process.name.empty() || seen.is_of_process))
      process.name = seen.name;
    processes.push_back(process);
  }
  return processes;
}

}  // namespace wick
