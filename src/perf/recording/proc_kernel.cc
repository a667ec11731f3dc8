// SPDX-License-Identifier: Apache-2.0
// The part of ProcEvents about the kernel itself: its code, its modules and
// its cgroups.
#include <fmt/format.h>
#include <linux/bpf.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <vector>

#include "base/text.h"
#include "perf/events/proc_files.h"
#include "perf/recording/proc_events.h"

namespace wick {
namespace {

// More than any machine has.
constexpr std::size_t kMaxSymbols = std::size_t{1} << 20;
constexpr std::uint32_t kKernelPid = 0xffff'ffff;  // perf's, for the host

// Files of modules by name: ".../kernel/fs/fat/vfat.ko.xz" is vfat. Names have
// '_' for both '-' and '_'.
std::map<std::string, std::string, std::less<>> module_files(
    const std::string& folder) {
  std::map<std::string, std::string, std::less<>> files;
  for_each_line(folder + "/modules.dep", [&](std::string_view line) {
    const std::string_view path = take_until(line, ':');
    std::string name(base_name(path));
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
  // perf finds the kernel's relocation by the first of these symbols.
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

void ProcEvents::kernel_symbols(const Emit& emit) {
  constexpr std::uint16_t kBpf = 1, kOutOfLine = 2;
  struct Symbol {
    std::uint64_t start;
    std::string name;
    std::uint16_t type;
  };
  std::vector<Symbol> symbols;
  for_each_line(options_.paths.proc + "/kallsyms", [&](std::string_view line) {
    if (!line.ends_with(']')) return true;
    const std::string_view owner = line.substr(line.rfind('[') + 1);
    const bool is_bpf = owner == "bpf]";
    if (!is_bpf && !owner.starts_with("__builtin__")) return true;
    const auto address = to_number<std::uint64_t>(take_word(line), 16);
    take_word(line);  // its kind
    if (!address || *address == 0) return true;
    symbols.push_back(
        {*address, std::string(take_word(line)), is_bpf ? kBpf : kOutOfLine});
    return symbols.size() < kMaxSymbols;
  });
  std::ranges::sort(symbols, {}, &Symbol::start);
  // Only their starts are known. They are next to each other in pages of their
  // own, so each ends at the next one or after a few pages.
  constexpr std::uint64_t kLongest = 65536;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const std::uint64_t room = i + 1 < symbols.size()
                                   ? symbols[i + 1].start - symbols[i].start
                                   : kLongest;
    if (room == 0) continue;
    emit(encoder_.kernel_symbol(
        {.start = symbols[i].start,
         .size = static_cast<std::uint32_t>(std::min(room, kLongest)),
         .type = symbols[i].type,
         .name = symbols[i].name}));
  }
}

bool has_bpf_programs() {
  bpf_attr attr{};
  return ::syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, &attr, sizeof attr) == 0;
}

void ProcEvents::cgroups(const Emit& emit) {
  if (!options_.attr.flag(attr_flag::kCgroup)) return;
  namespace fs = std::filesystem;
  std::error_code error;
  // cgroup v2, or the perf_event tree of v1.
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
