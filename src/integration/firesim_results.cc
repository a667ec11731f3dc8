// SPDX-License-Identifier: Apache-2.0
#include "integration/firesim_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "format/json/json.h"
#include "io/input_file.h"

namespace wick {
namespace {

namespace fs = std::filesystem;

// A results directory has a handful of entries; a wrong one may have any
// number.
constexpr std::size_t kMaxEntries = 10'000;
constexpr std::size_t kMaxJson = 1 << 20;

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end;
       !error && at != end && found.size() < kMaxEntries; at.increment(error))
    found.push_back(at->path());
  std::ranges::sort(found);
  return found;
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_elf(const fs::path& path) {
  if (!is_file(path)) return false;
  try {
    InputFile file = InputFile::open_regular(path.string());
    return file.peek(4) == "\177ELF";
  } catch (const Error&) {
    return false;
  }
}

// Excludes the output of earlier runs next to the traces.
bool is_trace_name(std::string_view name) {
  if (!name.starts_with("TRACEFILE")) return false;
  for (const std::string_view written : {".svg", ".html", ".folded"})
    if (name.ends_with(written)) return false;
  return true;
}

// The files in the job's own folder.
FireSimJob look_into(const fs::path& folder) {
  FireSimJob job{.name = folder.filename().string(), .folder = folder.string()};
  for (const fs::path& path : entries(folder)) {
    const std::string name = path.filename().string();
    const bool is_trace = is_trace_name(name);
    const bool is_counters = name.starts_with("AUTOCOUNTERFILE");
    if (!is_file(path) || !(is_trace || is_counters || name == "uartlog"))
      continue;
    if (fs::is_symlink(path))
      job.links.push_back(path.string());
    else if (is_trace)
      job.traces.push_back(path.string());
    else if (is_counters)
      job.counters.push_back(path.string());
    else
      job.uartlog = path.string();
  }
  return job;
}

// Links count: that they are not followed is to be reported.
bool has_work(const FireSimJob& job) {
  return !job.traces.empty() || !job.links.empty();
}

// Absolute, and without the trailing slash of ".", with which parent_path()
// would be the same folder again.
fs::path full_path(const fs::path& path) {
  std::error_code error;
  const fs::path full = fs::absolute(path, error).lexically_normal();
  return full.has_filename() ? full : full.parent_path();
}

// FireSim's deploy/, which has workloads/X.json, workloads/X (where the hook is
// run), results-workload/DATE-X/JOB and config_runtime.yaml: the nearest folder
// around `start` that has workloads/. "" if there is none.
fs::path find_deploy(fs::path start) {
  for (int levels = 0; levels < 4; ++levels, start = start.parent_path())
    if (is_folder(start / "workloads")) return start;
  return {};
}

// "2026-01-02--10-11-12-linux-uniform", and the name of the folder around it,
// since `results` may be that of one job. Not the whole path, which may contain
// a folder named like another workload.
std::string run_name(const fs::path& results) {
  return (results.parent_path().filename() / results.filename()).string();
}

// Whether the run is of `benchmark`.
bool is_run_of(std::string_view results, std::string_view benchmark) {
  return !benchmark.empty() && results.find(benchmark) != results.npos;
}

void find_workload(const std::vector<fs::path>& folders,
                   const std::string& results, FireSimResults& out,
                   FireSimWorkload& workload) {
  for (const fs::path& folder : folders)
    for (const fs::path& path : entries(folder)) {
      if (path.extension() != ".json" || !is_file(path)) continue;
      std::error_code error;
      if (fs::file_size(path, error) > kMaxJson || error) continue;
      InputFile file = InputFile::open_regular(path.string());
      FireSimWorkload found = parse_firesim_workload(file.bytes());
      if (!is_run_of(results, found.benchmark)) continue;
      // "linux" is in "linux-uniform" too.
      if (found.benchmark.size() <= workload.benchmark.size()) continue;
      out.workload = path.string();
      workload = std::move(found);
    }
}

// Files with code of one job: the kernel, and the SBI that it is booted by.
class CodeFinder {
 public:
  // Files in `own` belong to this run, whatever their names; `shared` may have
  // files of all workloads, so only those that the workload names count.
  CodeFinder(const std::vector<fs::path>& own,
             const std::vector<fs::path>& shared,
             const FireSimWorkload& workload)
      : own_(own), shared_(shared), workload_(workload) {}

  void find(FireSimJob& job) const {
    const fs::path kernel = find_kernel(job);
    job.has_kernel = !kernel.empty();
    // FireMarshal names the kernel like the boot binary, followed by "-dwarf".
    std::string boot = kernel.string();
    if (job.has_kernel) {
      job.elfs.push_back(boot);
      boot.resize(boot.ends_with("-dwarf") ? boot.size() - 6 : 0);
    } else {
      // All the code of a workload without an operating system.
      boot = find_named(job, "").string();
    }
    if (is_elf(boot)) job.elfs.push_back(boot);
  }

 private:
  fs::path find_kernel(const FireSimJob& job) const {
    if (fs::path path = find_named(job, "-dwarf"); !path.empty()) return path;
    for (const fs::path& folder : own_folders(job))
      if (fs::path path = only_kernel_in(folder); !path.empty()) return path;
    return {};
  }

  std::vector<fs::path> own_folders(const FireSimJob& job) const {
    std::vector<fs::path> own = {job.folder};
    own.insert(own.end(), own_.begin(), own_.end());
    return own;
  }

  // The boot binary that the workload names, or the file named after it.
  fs::path find_named(const FireSimJob& job, std::string_view suffix) const {
    const std::string& boot = workload_.bootbinary_of(job.name);
    if (boot.empty()) return {};
    const std::string base = fs::path(boot).filename().string();
    std::vector<fs::path> folders = own_folders(job);
    folders.insert(folders.end(), shared_.begin(), shared_.end());
    for (const fs::path& folder : folders)
      for (std::string name : {job.name + "-" + base, base, boot})
        if (fs::path path = folder / name.append(suffix); is_elf(path))
          return path;
    return {};
  }

  // Of several, none is taken: a wrong kernel is worse than none.
  static fs::path only_kernel_in(const fs::path& folder) {
    std::vector<fs::path> found;
    for (const fs::path& path : entries(folder)) {
      const std::string name = path.filename().string();
      if ((name.ends_with("-dwarf") || name == "vmlinux") && is_elf(path))
        found.push_back(path);
    }
    return found.size() == 1 ? found.front() : fs::path();
  }

  const std::vector<fs::path>& own_;
  const std::vector<fs::path>& shared_;
  const FireSimWorkload& workload_;
};

// FireSim looks in the workload's folder. Somebody who was given the results
// has the image next to them, or where wick is run.
fs::path find_rootfs(const std::string& name,
                     const std::vector<fs::path>& workload_folders,
                     const std::vector<fs::path>& own) {
  const auto found_in = [](const std::vector<fs::path>& folders,
                           const fs::path& path) -> fs::path {
    for (const fs::path& folder : folders)
      if (is_file(folder / path)) return (folder / path).lexically_normal();
    return {};
  };
  if (fs::path path = found_in(workload_folders, name); !path.empty())
    return path;
  return found_in(own, fs::path(name).filename());
}

}  // namespace

const std::string& FireSimWorkload::bootbinary_of(std::string_view job) const {
  for (const Job& one : jobs)
    if (one.name == job && !one.bootbinary.empty()) return one.bootbinary;
  return bootbinary;
}

std::string FireSimWorkload::rootfs_of(std::string_view job) const {
  for (const Job& one : jobs)
    if (one.name == job && one.rootfs) return *one.rootfs;
  if (rootfs) return *rootfs;
  return benchmark.empty() ? "" : std::string(job) + ".ext2";
}

FireSimWorkload parse_firesim_workload(std::string_view json) {
  FireSimWorkload workload;
  Diagnostics ignored;
  try {
    const JsonDocument document(json, ignored);
    const auto texts = [](const Json& list) {
      std::vector<std::string> out;
      for (const Json item : list.items()) out.emplace_back(item.text());
      return out;
    };
    const auto named = [](const Json& value) -> std::optional<std::string> {
      if (!value) return {};
      return std::string(value.text());  // "" for null
    };
    const Json root = document.root();
    workload.benchmark = root["benchmark_name"].text();
    workload.bootbinary = root["common_bootbinary"].text();
    workload.rootfs = named(root["common_rootfs"]);
    workload.inputs = texts(root["common_simulation_inputs"]);
    for (const Json job : root["workloads"].items())
      workload.jobs.push_back(
          {.name = std::string(job["name"].text()),
           .bootbinary = std::string(job["bootbinary"].text()),
           .rootfs = named(job["rootfs"]),
           .inputs = texts(job["simulation_inputs"])});
  } catch (const Error&) {
    // Another program's file, not a workload.
  }
  return workload;
}

FireSimResults find_firesim_results(const std::string& path,
                                    const std::string& workload_folder) {
  FireSimResults results;
  fs::path folder = full_path(path);
  results.path = folder.string();
  if (is_file(folder)) {
    folder = folder.parent_path();
    FireSimJob job = look_into(folder);
    job.traces = {path};
    job.is_one_trace = true;
    job.links.clear();
    results.jobs.push_back(std::move(job));
  } else if (is_folder(folder)) {
    if (FireSimJob job = look_into(folder); has_work(job))
      results.jobs.push_back(std::move(job));
    for (const fs::path& one : entries(folder)) {
      if (!is_folder(one)) continue;
      if (FireSimJob job = look_into(one); has_work(job))
        results.jobs.push_back(std::move(job));
    }
  } else {
    fail("{}: no such file or directory", path);
  }
  if (results.jobs.empty())
    fail(
        "{}: has no TRACEFILE*, and neither have its subdirectories; was "
        "tracing "
        "enabled in config_runtime.yaml, and is TRACEFILE* among the "
        "workload's "
        "common_simulation_outputs?",
        path);

  std::vector<fs::path> own = {folder, folder.parent_path()}, shared;
  fs::path deploy = find_deploy(folder.parent_path());
  if (!workload_folder.empty()) {
    const fs::path hook = full_path(workload_folder);
    own.push_back(hook);
    shared.push_back(hook.parent_path());
    if (deploy.empty()) deploy = find_deploy(hook);
  }
  if (!deploy.empty()) shared.push_back(deploy / "workloads");
  FireSimWorkload workload;
  find_workload(own, run_name(folder), results, workload);
  find_workload(shared, run_name(folder), results, workload);
  results.benchmark = workload.benchmark;
  if (!deploy.empty()) shared.push_back(deploy);
  std::vector<fs::path> workload_folders;
  if (!workload.benchmark.empty()) {
    // Paths in a workload are relative to the folder next to its file. It comes
    // before the current directory, which may be another workload's.
    const fs::path beside = fs::path(results.workload).parent_path();
    own.insert(own.begin() + 2, beside / workload.benchmark);
    if (!deploy.empty())
      own.push_back(deploy / "workloads" / workload.benchmark);
    workload_folders = {own[2], own.back(), beside};
  }
  for (const std::vector<fs::path>& places : {own, shared})
    for (const fs::path& place : places)
      for (const char* name : {"config_runtime.yaml", "config_runtime.ini"})
        if (results.runtime_config.empty() && is_file(place / name))
          results.runtime_config = (place / name).string();
  const CodeFinder code(own, shared, workload);
  for (FireSimJob& job : results.jobs) {
    code.find(job);
    job.named_rootfs = workload.rootfs_of(job.name);
    if (!job.named_rootfs.empty())
      job.rootfs =
          find_rootfs(job.named_rootfs, workload_folders, own).string();
  }
  return results;
}

}  // namespace wick
