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
#include <optional>
#include <string>
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

// What /proc/kallsyms has about code whose sizes the kernel does not list.
struct KernelSymbols {
  // perf finds the kernel's relocation by the first of these that exists.
  std::uint64_t text = 0, stext = 0;
  std::uint64_t end = 0;
  struct Generated {
    std::uint64_t start;
    std::string name;
    std::uint16_t type;
  };
  std::vector<Generated> generated;
};

std::optional<KernelSymbols::Generated> parse_generated(std::string_view line) {
  constexpr std::uint16_t kBpf = 1, kOutOfLine = 2;
  const std::string_view owner = line.substr(line.rfind('[') + 1);
  const bool is_bpf = owner == "bpf]";
  if (!is_bpf && !owner.starts_with("__builtin__")) return {};
  const auto address = to_number<std::uint64_t>(take_word(line), 16);
  take_word(line);  // its kind
  if (!address || *address == 0) return {};
  return KernelSymbols::Generated{*address, std::string(take_word(line)),
                                  is_bpf ? kBpf : kOutOfLine};
}

// Reading the file takes a twentieth of a second, so it is read once.
KernelSymbols read_kernel_symbols(const std::string& path,
                                  bool with_generated) {
  KernelSymbols symbols;
  std::uint64_t last = 0;
  bool is_kernel_over = false;
  for_each_line(path, [&](std::string_view line) {
    if (line.ends_with(']')) {  // modules and generated code come last
      is_kernel_over = true;
      if (auto code = with_generated ? parse_generated(line) : std::nullopt)
        symbols.generated.push_back(std::move(*code));
    } else if (!is_kernel_over) {
      const auto address = to_number<std::uint64_t>(take_word(line), 16);
      const std::string_view kind = take_word(line);
      const std::string_view name = take_word(line);
      if (!address) return false;
      if (name == "_text") symbols.text = *address;
      if (name == "_stext") symbols.stext = *address;
      if (name == "_etext") symbols.end = *address;
      if (kind == "t" || kind == "T") last = std::max(last, *address);
      is_kernel_over = symbols.end != 0;
    }
    return with_generated ? symbols.generated.size() < kMaxSymbols
                          : !is_kernel_over;
  });
  if (symbols.end == 0) symbols.end = last;
  std::ranges::sort(symbols.generated, {}, &KernelSymbols::Generated::start);
  return symbols;
}

}  // namespace

void ProcEvents::kernel(bool with_generated, const Emit& emit) {
  const KernelSymbols symbols =
      read_kernel_symbols(options_.paths.proc + "/kallsyms", with_generated);
  // Only the starts of generated code are known. It is in pages of its own, so
  // each ends at the next one or after a few pages. Modules, whose sizes are
  // known, come later and take precedence.
  constexpr std::uint64_t kLongest = 65536;
  for (std::size_t i = 0; i < symbols.generated.size(); ++i) {
    const auto& [start, name, type] = symbols.generated[i];
    const std::uint64_t room = i + 1 < symbols.generated.size()
                                   ? symbols.generated[i + 1].start - start
                                   : kLongest;
    if (room == 0) continue;
    emit(encoder_.kernel_symbol(
        {.start = start,
         .size = static_cast<std::uint32_t>(std::min(room, kLongest)),
         .type = type,
         .name = name}));
  }
  // If addresses are hidden, all of them are 0.
  const std::uint64_t start = symbols.text != 0 ? symbols.text : symbols.stext;
  if (start != 0 && symbols.end > start)
    emit(encoder_.kernel_mmap({.pid = kKernelPid,
                               .start = start,
                               .size = symbols.end - start,
                               .page_offset = start,
                               .path = symbols.text != 0
                                           ? "[kernel.kallsyms]_text"
                                           : "[kernel.kallsyms]_stext"}));
  kernel_modules(emit);
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
