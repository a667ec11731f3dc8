// SPDX-License-Identifier: Apache-2.0
// The part of ProcEvents about the kernel itself: its code, its modules and
// its cgroups.
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "perf/proc_events.h"
#include "perf/proc_files.h"

namespace wick {
namespace {

constexpr std::uint32_t kKernelPid = 0xffff'ffff;  // perf's, for the host

// Names of modules to their files: ".../kernel/fs/fat/vfat.ko.xz" is vfat.
// Both '-' and '_' stand for '_' in names of modules.
std::map<std::string, std::string, std::less<>> module_files(
    const std::string& folder) {
  std::map<std::string, std::string, std::less<>> files;
  for_each_line(folder + "/modules.dep", [&](std::string_view line) {
    const std::string_view path = take_until(line, ':');
    std::string name(path.substr(path.rfind('/') + 1));
    const std::size_t end = name.find(".ko");
    if (end == std::string::npos) return true;
    name.resize(end);
    std::ranges::replace(name, '-', '_');
    files.emplace(std::move(name), path.starts_with('/')
                                       ? std::string(path)
                                       : folder + "/" + std::string(path));
    return true;
  });
  return files;
}

}  // namespace

void ProcEvents::kernel(const Emit& emit) {
  kernel_code(emit);
  kernel_modules(emit);
}

void ProcEvents::kernel_code(const Emit& emit) {
  // perf takes the first of these as the symbol that says by how much the
  // kernel was moved when it was loaded.
  std::uint64_t text = 0, stext = 0, end = 0, last = 0;
  for_each_line(options_.paths.proc + "/kallsyms", [&](std::string_view line) {
    const auto address = to_number<std::uint64_t>(take_word(line), 16);
    const std::string_view kind = take_word(line);
    const std::string_view name = take_word(line);
    if (!address || !trim(line).empty()) return false;  // modules begin
    if (name == "_text") text = *address;
    if (name == "_stext") stext = *address;
    if (name == "_etext") end = *address;
    if (kind == "t" || kind == "T") last = std::max(last, *address);
    return end == 0;
  });
  const std::uint64_t start = text != 0 ? text : stext;
  if (end == 0) end = last;
  if (start == 0 || end <= start) return;  // hidden: all of them are 0
  emit(encoder_.kernel_mmap({.pid = kKernelPid,
                             .start = start,
                             .size = end - start,
                             .page_offset = start,
                             .path = text != 0 ? "[kernel.kallsyms]_text"
                                               : "[kernel.kallsyms]_stext"}));
}

void ProcEvents::kernel_modules(const Emit& emit) {
  utsname kernel{};
  ::uname(&kernel);
  const auto files =
      module_files(options_.paths.modules + "/" + kernel.release);
  for_each_line(options_.paths.proc + "/modules", [&](std::string_view line) {
    const auto module = parse_modules_line(line);
    if (!module || module->start == 0) return true;
    const auto file = files.find(module->name);
    const std::string path =
        file != files.end() ? file->second : fmt::format("[{}]", module->name);
    emit(encoder_.kernel_mmap({.pid = kKernelPid,
                               .start = module->start,
                               .size = module->size,
                               .path = path}));
    return true;
  });
}

void ProcEvents::cgroups(const Emit& emit) {
  if (!options_.attr.flag(attr_flag::kCgroup)) return;
  namespace fs = std::filesystem;
  std::error_code error;
  // The second version of cgroups, or the first one's tree for perf.
  std::string root = options_.paths.sys + "/fs/cgroup";
  if (!fs::exists(root + "/cgroup.procs", error)) root += "/perf_event";
  const auto add = [&](const std::string& path) {
    // A cgroup's id is the inode of its folder.
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return;
    const std::string name = path.substr(root.size());
    emit(encoder_.cgroup(
        {.id = status.st_ino, .path = name.empty() ? "/" : name}));
  };
  if (!fs::is_directory(root, error)) return;
  add(root);
  fs::recursive_directory_iterator at(
      root, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::end(at); at.increment(error))
    if (at->is_directory(error) && !at->is_symlink(error))
      add(at->path().string());
}

}  // namespace wick
