// SPDX-License-Identifier: Apache-2.0
#include "perf/events/cgroups.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "perf/events/proc_files.h"

namespace wick {
namespace {

// "perf_event 3 1 1": name, hierarchy, groups, enabled.
bool kernel_has_perf_groups(const SystemPaths& paths) {
  bool found = false;
  for_each_line(paths.proc + "/cgroups", [&](std::string_view line) {
    if (take_word(line) != "perf_event") return true;
    take_word(line);
    take_word(line);
    found = trim(line) != "0";
    return false;
  });
  return found;
}

bool has_option(std::string_view options, std::string_view wanted) {
  while (!options.empty())
    if (take_until(options, ',') == wanted) return true;
  return false;
}

std::string some_groups(const std::string& root) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root, error))
    if (entry.is_directory(error)) names.push_back(entry.path().filename());
  if (names.empty()) return "has none";
  std::ranges::sort(names);
  constexpr std::size_t kShown = 5;
  std::string text = "has ";
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  return text + (names.size() > kShown ? " …" : "");
}

std::string folder_of(const std::string& name, const std::string& root) {
  if (name.starts_with(root + "/") || name == root) return name;
  return root + (name.starts_with('/') ? "" : "/") + name;
}

void add_threads(const std::string& folder, std::unordered_set<pid_t>& tids) {
  // Of cgroup v2, and of v1.
  for (const std::string_view file : {"/cgroup.threads", "/tasks"})
    for_each_line(folder + std::string(file), [&](std::string_view line) {
      if (const auto tid = to_number<pid_t>(trim(line))) tids.insert(*tid);
      return true;
    });
}

}  // namespace

std::string perf_cgroup_root(const SystemPaths& paths) {
  if (!kernel_has_perf_groups(paths))
    fail(Setting::kProcesses,
         "this kernel cannot record a control group (CONFIG_CGROUP_PERF is not "
         "set, or cgroup_disable= turns perf_event off); record its processes "
         "instead");
  std::string first, second;
  // Device, folder, type, options.
  for_each_line(paths.proc + "/mounts", [&](std::string_view line) {
    take_word(line);
    const std::string_view folder = take_word(line);
    const std::string_view type = take_word(line);
    if (type == "cgroup" && first.empty() &&
        has_option(take_word(line), "perf_event"))
      first = folder;
    if (type == "cgroup2" && second.empty()) second = folder;
    return true;
  });
  // A controller belongs to one hierarchy only.
  if (!first.empty()) return first;
  if (!second.empty()) return second;
  fail(
      "no control groups are mounted; 'sudo mount -t cgroup2 none "
      "/sys/fs/cgroup' mounts them");
}

UniqueFd open_cgroup(const std::string& name, const SystemPaths& paths) {
  const std::string root = perf_cgroup_root(paths);
  const std::string path = folder_of(name, root);
  // Every group has this file, and no other folder does.
  UniqueFd fd;
  if (std::filesystem::exists(path + "/cgroup.procs"))
    fd = UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd)
    throw Error(fmt::format("there is no control group {}; {} {}",
                            excerpt(name), root, some_groups(root)),
                {.wrong = Setting::kCgroup, .helps = {}});
  return fd;
}

std::unordered_set<pid_t> threads_of_cgroup(const std::string& name,
                                            const SystemPaths& paths) {
  namespace fs = std::filesystem;
  const std::string folder = folder_of(name, perf_cgroup_root(paths));
  std::unordered_set<pid_t> tids;
  add_threads(folder, tids);
  std::error_code error;
  fs::recursive_directory_iterator at(
      folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::end(at); at.increment(error))
    if (at->is_directory(error) && !at->is_symlink(error))
      add_threads(at->path().string(), tids);
  return tids;
}

}  // namespace wick
