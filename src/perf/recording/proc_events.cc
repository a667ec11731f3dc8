// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/proc_events.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "base/error.h"
#include "base/text.h"
#include "io/open_regular.h"
#include "io/read_file.h"
#include "io/unique_fd.h"
#include "object/elf/elf_file.h"
#include "object/process_files.h"
#include "perf/events/proc_files.h"

namespace wick {
namespace {

constexpr std::uint64_t kMaxProcFile = 1 << 20;
// What is read of a file for its build id.
constexpr std::uint64_t kMaxHeaders = 16 << 20;
// A machine maps some thousand files; only a hostile process has more.
constexpr std::size_t kMaxBuildIds = 1 << 16;

std::uint32_t number(pid_t pid) { return static_cast<std::uint32_t>(pid); }

std::string read_build_id(UniqueFd fd) {
  try {
    const ElfFile::Options options{.most_memory = kMaxHeaders};
    return from_hexadecimal(
        ElfFile::from_fd(std::move(fd), "", options)->build_id());
  } catch (const Error&) {  // not ELF: mapped fonts, archives, code of a JIT
    return {};
  }
}

}  // namespace

ProcEvents::ProcEvents(ProcEventsOptions options)
    : options_(std::move(options)),
      encoder_(options_.attr, options_.id, options_.time) {}

bool ProcEvents::process(pid_t pid, const Emit& emit) {
  return process(
      pid, [](pid_t) { return true; }, emit);
}

bool ProcEvents::process(pid_t pid, const IsRecorded& is_recorded,
                         const Emit& emit) {
  const auto status = read_small_file(
      fmt::format("{}/{}/status", options_.paths.proc, pid), kMaxProcFile);
  const auto parsed = status ? parse_status(*status) : std::nullopt;
  if (!parsed) return false;
  return threads(parsed->tgid, list_threads(parsed->tgid, options_.paths),
                 is_recorded, emit);
}

bool ProcEvents::thread(pid_t tid, const Emit& emit) {
  const auto status = read_small_file(
      fmt::format("{}/{}/status", options_.paths.proc, tid), kMaxProcFile);
  const auto parsed = status ? parse_status(*status) : std::nullopt;
  if (!parsed) return false;
  // The main thread comes first: its name is that of the process.
  std::vector<pid_t> tids = {parsed->tgid};
  if (tid != parsed->tgid) tids.push_back(tid);
  return threads(
      parsed->tgid, tids, [&](pid_t one) { return one == tid; }, emit);
}

bool ProcEvents::unrecorded(pid_t pid, const Emit& emit) {
  return threads(
      pid, {pid}, [](pid_t) { return false; }, emit);
}

void ProcEvents::all_processes(const Emit& emit) {
  for (const pid_t pid : list_processes(options_.paths)) process(pid, emit);
}

void ProcEvents::all_processes(const std::unordered_set<pid_t>& recorded,
                               const Emit& emit) {
  for (const pid_t pid : list_processes(options_.paths))
    process(
        pid, [&](pid_t tid) { return recorded.contains(tid); }, emit);
}

// Ancestry, then name, then (with the first thread) the mappings, as perf does.
bool ProcEvents::threads(pid_t pid, const std::vector<pid_t>& tids,
                         const IsRecorded& is_recorded, const Emit& emit) {
  const std::string folder = fmt::format("{}/{}", options_.paths.proc, pid);
  bool found = false, mapped = false;
  for (const pid_t tid : tids) {
    const std::string task = fmt::format("{}/task/{}", folder, tid);
    auto name = read_small_file(task + "/comm", kMaxProcFile);
    if (!name) continue;
    // Only the last newline is not part of the name.
    if (name->ends_with('\n')) name->pop_back();
    pid_t parent_pid = pid, parent_tid = pid;
    bool has_ended = false;
    if (tid == pid) {
      const auto status = read_small_file(task + "/status", kMaxProcFile);
      const auto parsed = status ? parse_status(*status) : std::nullopt;
      if (!parsed) continue;
      parent_pid = parent_tid = parsed->parent;
      has_ended = parsed->has_ended;
    }
    found = true;
    // A thread with a FORK counts as waiting until it runs.
    if (is_recorded(tid) && !has_ended)
      emit(encoder_.fork({.pid = number(pid),
                          .parent_pid = number(parent_pid),
                          .tid = number(tid),
                          .parent_tid = number(parent_tid),
                          .time = options_.time},
                         misc::kForkExec));
    if (tid == pid) namespaces(pid, emit);
    emit(
        encoder_.comm({.pid = number(pid), .tid = number(tid), .name = *name}));
    // The main thread may have ended before the others; it has no mappings
    // then.
    if (!mapped) mapped = mappings(pid, tid, emit);
  }
  return found;
}

bool ProcEvents::mappings(pid_t pid, pid_t tid, const Emit& emit) {
  bool found = false;
  for_each_line(
      fmt::format("{}/{}/task/{}/maps", options_.paths.proc, pid, tid),
      [&](std::string_view line) {
        const auto mapping = parse_maps_line(line);
        if (!mapping) return true;
        found = true;
        const bool is_code = (mapping->protection & PROT_EXEC) != 0;
        if (!is_code && !options_.data_mappings) return true;
        emit(encoder_.mmap2({.pid = number(pid),
                             .tid = number(pid),
                             .start = mapping->start,
                             .size = mapping->end - mapping->start,
                             .page_offset = mapping->file_off,
                             .dev_major = mapping->dev_major,
                             .dev_minor = mapping->dev_minor,
                             .inode = mapping->inode,
                             .build_id = build_id(pid, *mapping),
                             .protection = mapping->protection,
                             .flags = mapping->flags,
                             .is_data = !is_code,
                             .path = mapping->path}));
        return true;
      });
  return found;
}

std::string_view ProcEvents::build_id(pid_t pid, const ProcMapping& mapping) {
  if (!options_.build_ids || mapping.inode == 0) return {};
  const auto device = ::makedev(mapping.dev_major, mapping.dev_minor);
  if (build_ids_.size() >= kMaxBuildIds) build_ids_.clear();
  const auto [known, is_new] = build_ids_.try_emplace({device, mapping.inode});
  if (!is_new) return known->second;
  const std::string folder = fmt::format("{}/{}", options_.paths.proc, pid);
  // The first is the mapped file itself, even if deleted, but needs privileges;
  // the second is the program, which may be another file, and the third is
  // whatever has the name now.
  const auto is_mapped_file = [&](const UniqueFd& fd) {
    struct stat status {};
    return fd && ::fstat(fd.get(), &status) == 0 &&
           status.st_ino == mapping.inode;
  };
  UniqueFd fd = open_regular(fmt::format("{}/map_files/{:x}-{:x}", folder,
                                         mapping.start, mapping.end));
  if (!is_mapped_file(fd)) fd = open_regular(folder + "/exe");
  if (!is_mapped_file(fd)) fd = open_in_root_of(folder, mapping.path);
  if (is_mapped_file(fd)) known->second = read_build_id(std::move(fd));
  return known->second;
}

void ProcEvents::namespaces(pid_t pid, const Emit& emit) {
  if (!options_.attr.flag(attr_flag::kNamespaces)) return;
  // In the order of NamespaceKind.
  constexpr std::array<std::string_view, 7> kNames = {
      "net", "uts", "ipc", "pid", "user", "mnt", "cgroup",
  };
  NamespacesRecord record{.pid = number(pid), .tid = number(pid)};
  for (const std::string_view name : kNames) {
    struct stat status {};
    const std::string path =
        fmt::format("{}/{}/ns/{}", options_.paths.proc, pid, name);
    if (::stat(path.c_str(), &status) == 0)
      record.links[record.count] = {status.st_dev, status.st_ino};
    ++record.count;
  }
  emit(encoder_.namespaces(record));
}

std::uint64_t event_clock_now(const EventAttr& attr) {
  if (!attr.flag(attr_flag::kUseClockid)) return 0;
  timespec now{};
  if (::clock_gettime(attr.clockid, &now) != 0) return 0;
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::vector<pid_t> list_processes(const SystemPaths& paths) {
  return list_numbers(paths.proc);
}

std::vector<pid_t> list_threads(pid_t pid, const SystemPaths& paths) {
  std::vector<pid_t> tids =
      list_numbers(fmt::format("{}/{}/task", paths.proc, pid));
  // The main thread first; it does not always have the lowest tid.
  const auto own = std::find(tids.begin(), tids.end(), pid);
  if (own != tids.end()) std::rotate(tids.begin(), own, own + 1);
  return tids;
}

}  // namespace wick
