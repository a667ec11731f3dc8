// SPDX-License-Identifier: Apache-2.0
#include "object/debug_files.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/text.h"
#include "io/compress.h"
#include "io/open_regular.h"
#include "io/process_start.h"
#include "io/read_file.h"
#include "io/unique_fd.h"
#include "object/debuginfod.h"
#include "object/kernel/kallsyms.h"
#include "object/kernel/running_kernel.h"
#include "object/process_files.h"
#include "profile/format.h"
#include "sysroot/sysroot_image.h"

namespace wick {
namespace {

constexpr const char* kRunningKallsyms = "/proc/kallsyms";

using ElfPointer = std::shared_ptr<const ElfFile>;

// "ab/cdef…", the layout of every store of files by build id.
std::string by_build_id(std::string_view build_id) {
  return std::string(build_id.substr(0, 2)) + "/" +
         std::string(build_id.substr(2));
}

bool is_build_id(std::string_view text) {
  return text.size() > 4 && all_hex_digits(text);
}

// perf stores 20 bytes: longer ids are truncated, and older files pad shorter
// ones with zeros.
bool same_build_id(std::string_view recorded, std::string_view actual) {
  constexpr std::size_t kStored = 40;
  if (recorded == actual) return true;
  if (recorded.size() != kStored || actual.empty()) return false;
  if (actual.size() > kStored) return actual.starts_with(recorded);
  return recorded.starts_with(actual) &&
         recorded.find_first_not_of('0', actual.size()) ==
             std::string_view::npos;
}

// perf's own store, ~/.debug.
std::string perf_store() {
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + "/.debug/.build-id/";
}

bool has_crc(const FilePieces& file, std::uint32_t wanted) {
  std::string buffer(1 << 20, '\0');
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0; at < file.size;) {
    const auto size = std::min<std::uint64_t>(buffer.size(), file.size - at);
    if (!file.read(at, {buffer.data(), size})) return false;
    crc = crc32({buffer.data(), size}, crc);
    at += size;
  }
  return crc == wanted;
}

bool has_crc(const std::string& path, const OpenRules& rules,
             std::uint32_t wanted) {
  const UniqueFd fd = open_regular(path, rules);
  if (!fd) return false;
  std::string buffer(1 << 20, '\0');
  std::uint32_t crc = 0;
  ssize_t got = 0;
  while ((got = ::read(fd.get(), buffer.data(), buffer.size())) > 0)
    crc = crc32({buffer.data(), static_cast<std::size_t>(got)}, crc);
  return got == 0 && crc == wanted;
}

bool begins_as_elf(const UniqueFd& fd) {
  char magic[SELFMAG];
  return fd && ::pread(fd.get(), magic, sizeof magic, 0) == SELFMAG &&
         std::string_view(magic, SELFMAG) == ELFMAG;
}

// Absolute: a file that the user named may be relative to the current
// directory.
std::string folder_of(const std::string& path) {
  std::error_code error;
  return std::filesystem::absolute(path, error).parent_path().string();
}

// Whether a module of the running kernel begins at `start`.
bool is_loaded_at(std::string_view module, std::uint64_t start) {
  const auto modules =
      read_small_file("/proc/modules", std::uint64_t{16} << 20);
  std::string_view rest = modules ? std::string_view(*modules) : "";
  while (!rest.empty()) {
    std::string_view line = take_line(rest);
    if (take_word(line) != module) continue;
    // "size users by state address"
    for (int i = 0; i < 4; ++i) take_word(line);
    std::string_view address = take_word(line);
    if (address.starts_with("0x")) address.remove_prefix(2);
    return to_number<std::uint64_t>(address, 16) == start;
  }
  return false;
}

}  // namespace

struct DebugFiles::State {
  explicit State(DebugFileOptions from) : options(std::move(from)) {
    if (options.debug_dirs.empty())
      options.debug_dirs = {options.symfs + "/usr/lib/debug"};
  }

  // The user vouches for the files of a symfs, wherever they are.
  OpenRules rules() const { return {.on_network = !options.symfs.empty()}; }

  // The file at `path` if it has this build id; `state` gets what was found
  // otherwise.
  ElfPointer take(const std::string& path, std::string_view build_id,
                  FileState& state) const {
    if (const auto pieces = in_image(path))
      return take_elf(
          [&](const ElfFile::Options& from) {
            return ElfFile::from_pieces(pieces, path, from);
          },
          build_id, state);
    return take([path, rules = rules()] { return open_regular(path, rules); },
                path, build_id, state);
  }
  // The file at `path` if that leads into the sysroot's image, else null.
  std::shared_ptr<const FilePieces> in_image(const std::string& path) const {
    const auto& image = options.sysroot_image;
    const auto inside = image ? image->inside(path) : std::nullopt;
    return inside ? image->find(*inside) : nullptr;
  }
  ElfPointer take(OpenFile::Reopen open, const std::string& name,
                  std::string_view build_id, FileState& state) const {
    UniqueFd fd = open();
    if (!fd) {
      if (errno == EACCES || errno == EPERM || errno == EMEDIUMTYPE)
        note(FileState::kUnreadable, state);
      if (errno == EREMOTE) note(FileState::kOnNetwork, state);
      return nullptr;
    }
    return take_opened(std::move(fd), {.name = name, .reopen = std::move(open)},
                       build_id, state);
  }
  struct Source {
    std::string name;
    OpenFile::Reopen reopen;  // if it need not stay open
  };
  ElfPointer take_opened(UniqueFd fd, Source source, std::string_view build_id,
                         FileState& state) const {
    return take_elf(
        [&](ElfFile::Options from) {
          from.open_files = open_files;
          from.reopen = std::move(source.reopen);
          return ElfFile::from_fd(std::move(fd), std::move(source.name),
                                  std::move(from));
        },
        build_id, state);
  }
  template <class Open>
  ElfPointer take_elf(Open open, std::string_view build_id,
                      FileState& state) const {
    try {
      const std::shared_ptr<MemoryBudget>& memory = options.memory;
      const ElfPointer file = open(
          ElfFile::Options{.memory = memory,
                           .most_memory = memory ? memory->limit() / 2
                                                 : MemoryBudget::kNoLimit});
      if (build_id.empty() || same_build_id(build_id, file->build_id())) {
        state = FileState::kFound;
        return file;
      }
      note(FileState::kOtherBuildId, state);
    } catch (const Error&) {
      // What has a build id is an ELF file, so this is another one: perhaps its
      // successor, which the linker has not finished.
      note(build_id.empty() ? FileState::kNotElf : FileState::kOtherBuildId,
           state);
    }
    return nullptr;
  }
  // Keeps the first reason, the most specific one.
  static void note(FileState found, FileState& state) {
    if (state == FileState::kMissing) state = found;
  }

  FoundFile find_file(const CodeFile& file) const;
  ElfPointer take_named(const std::string& path, std::string_view build_id,
                        FileState& state) const;
  ElfPointer take_mapped(const CodeFile& file, const std::string& path,
                         FileState& state) const;
  ElfPointer take_from_stores(const std::string& build_id,
                              FileState& state) const;
  bool is_recorded_process(const CodeFile& file) const;
  bool is_as_old_as_recording(std::int32_t pid) const;
  FoundFile find_kernel(const CodeFile& file) const;
  FoundFile find_vdso(const CodeFile& file, bool kernel_runs_here) const;
  bool is_changed(const ElfFile& found, const CodeFile& file) const;
  bool is_another(const ElfFile& found, const CodeFile& file) const;
  ElfPointer find_debug(const ElfFile& binary, const CodeFile& file) const;
  ElfPointer find_by_build_id(std::string_view build_id) const;
  ElfPointer find_by_link(const ElfFile& binary, const CodeFile& file) const;

  std::optional<std::string> kallsyms_path(const CodeFile& file,
                                           std::uint64_t start) const;

  DebugFileOptions options;
  static constexpr std::size_t kMostOpen = 32;
  std::shared_ptr<OpenFiles> open_files =
      std::make_shared<OpenFiles>(open_files_share(4, kMostOpen));
  std::atomic<std::uint64_t> kernel_start = 0;
  KeptFiles kept_files;
  std::mutex mutex;
  std::optional<std::string> kallsyms_read;
  std::shared_ptr<const Kallsyms> kallsyms;
  // What was found for a binary, by its name and build id; forgotten when there
  // are many.
  static constexpr std::size_t kMostKnown = 4096;
  struct KnownDebugFile {
    bool exists = false;
    std::weak_ptr<const ElfFile> file;
  };
  std::map<std::string, KnownDebugFile> debug_files;
};

// Judges by the time of modification if there is no build id. Files of a symfs
// are taken as they are: the user vouches for them.
bool DebugFiles::State::is_changed(const ElfFile& found,
                                   const CodeFile& file) const {
  if (!file.build_id.empty() || !options.symfs.empty()) return false;
  if (options.recorded_until == 0) return is_another(found, file);
  return modification_time(found.name()) > options.recorded_until;
}

// While it is being recorded. Later a copy may be in its place, and on another
// machine it has another inode.
bool DebugFiles::State::is_another(const ElfFile& found,
                                   const CodeFile& file) const {
  return file.build_id.empty() && options.recorded_until == 0 &&
         has_other_inode(found.handle(), file.inode);
}

FoundFile DebugFiles::State::find_file(const CodeFile& file) const {
  FoundFile found;
  const bool is_live = file.pid > 0 && options.symfs.empty();
  const std::string& path = file.path;
  if (!path.starts_with('/')) return found;
  if (const auto kept = kept_files.find(file))
    found.elf = take(
        // Holding it would keep it open for good.
        [handle = std::weak_ptr(kept), file] {
          const auto fd = handle.lock();
          return fd ? open_regular("/proc/self/fd/" + std::to_string(fd->get()))
                    : open_live_file(file);
        },
        path, file.build_id, found.state);
  // Other files can have the same name.
  if (!found.elf && file.build_id.empty() && is_live) {
    found.elf = take_mapped(file, path, found.state);
    if (found.elf && is_another(*found.elf, file)) found = {};
  }
  if (found.elf) return found;
  found.elf = take_named(marked_path(file), file.build_id, found.state);
  // What has the path of a deleted file is at best its successor.
  if (!found.elf && file.is_deleted) {
    if (file.build_id.empty()) return found;
    found.elf = take_named(path, file.build_id, found.state);
  }
  if (found.elf && is_changed(*found.elf, file))
    return {nullptr, FileState::kChanged};
  if (!found.elf && is_live && is_recorded_process(file)) {
    // A process that is still running may be in a container.
    found.elf =
        take([pid = file.pid, path] { return open_in_root_of(pid, path); },
             "/proc/" + std::to_string(file.pid) + "/root" + path,
             file.build_id, found.state);
    if (found.elf && is_changed(*found.elf, file))
      return {nullptr, FileState::kChanged};
  }
  if (!found.elf && is_live && !file.build_id.empty())
    found.elf = take_mapped(file, path, found.state);
  if (!found.elf && is_build_id(file.build_id))
    found.elf = take_from_stores(file.build_id, found.state);
  return found;
}

ElfPointer DebugFiles::State::take_named(const std::string& path,
                                         std::string_view build_id,
                                         FileState& state) const {
  // Links of a symfs lead into it, or they were made on this machine and lead
  // where they say.
  if (!options.symfs.empty())
    if (ElfPointer file = take(
            [root = options.symfs, path, rules = rules()] {
              return open_regular_in(root, path, rules);
            },
            options.symfs + path, build_id, state))
      return file;
  return take(options.symfs + path, build_id, state);
}

// A build id identifies the file, whatever the process. Otherwise it is the
// one that the recorded process has mapped at the recorded place.
ElfPointer DebugFiles::State::take_mapped(const CodeFile& file,
                                          const std::string& path,
                                          FileState& state) const {
  if (!is_recorded_process(file)) return nullptr;
  FileState mapped = FileState::kMissing;
  if (ElfPointer found = take([file] { return open_mapped_file(file); }, path,
                              file.build_id, mapped)) {
    state = mapped;
    return found;
  }
  const bool is_forbidden = mapped == FileState::kUnreadable;
  if (!file.build_id.empty() || is_program(file))
    if (ElfPointer found = take([file] { return open_program(file); }, path,
                                file.build_id, mapped)) {
      state = FileState::kFound;
      return found;
    }
  if (is_forbidden && is_as_old_as_recording(file.pid))
    state = FileState::kOnlyMapped;
  return nullptr;
}

bool DebugFiles::State::is_recorded_process(const CodeFile& file) const {
  return !file.build_id.empty() || is_as_old_as_recording(file.pid);
}

// Another process may have the pid by now.
bool DebugFiles::State::is_as_old_as_recording(std::int32_t pid) const {
  if (options.recorded_until == 0) return true;
  const auto start = process_start(static_cast<std::uint32_t>(pid));
  return start && *start <= options.recorded_until;
}

ElfPointer DebugFiles::State::take_from_stores(const std::string& build_id,
                                               FileState& state) const {
  if (const std::string store = perf_store(); !store.empty())
    if (ElfPointer file =
            take(store + by_build_id(build_id) + "/elf", build_id, state))
      return file;
  if (!options.debuginfod) return nullptr;
  const auto fetched = ask_debuginfod(DebuginfodKind::kExecutable, build_id);
  return fetched ? take(*fetched, build_id, state) : nullptr;
}

FoundFile DebugFiles::State::find_kernel(const CodeFile& file) const {
  FoundFile found;
  if (!options.vmlinux.empty()) {
    // The user's choice; the build id tells whether it is the wrong one.
    found.elf = take(
        [path = options.vmlinux] {
          return open_regular(path, {.on_network = true});
        },
        options.vmlinux, file.build_id, found.state);
    return found;
  }
  // Without a build id, a kernel of that release may be another build.
  if (file.build_id.empty()) return found;
  const std::string release = options.os_release;
  for (const std::string& path :
       {options.symfs + "/boot/vmlinux-" + release,
        options.symfs + "/usr/lib/debug/boot/vmlinux-" + release,
        options.symfs + "/usr/lib/debug/lib/modules/" + release + "/vmlinux",
        options.symfs + "/lib/modules/" + release + "/build/vmlinux",
        options.symfs + "/lib/modules/" + release + "/vmlinux"}) {
    found.elf = take(path, file.build_id, found.state);
    if (found.elf) return found;
  }
  found.elf = find_by_build_id(file.build_id);
  if (found.elf) found.state = FileState::kFound;
  return found;
}

FoundFile DebugFiles::State::find_vdso(const CodeFile& file,
                                       bool kernel_runs_here) const {
  FoundFile found;
  static const ElfPointer own = own_vdso();
  if (own) {
    struct utsname system {};
    const bool same_kernel =
        options.os_release.empty()
            ? kernel_runs_here
            : ::uname(&system) == 0 && options.os_release == system.release;
    if (file.build_id.empty() ? same_kernel
                              : same_build_id(file.build_id, own->build_id()))
      return {own, FileState::kFound};
  }
  if (const std::string store = perf_store();
      !store.empty() && is_build_id(file.build_id))
    found.elf = take(store + by_build_id(file.build_id) + "/vdso",
                     file.build_id, found.state);
  return found;
}

std::optional<std::string> DebugFiles::State::kallsyms_path(
    const CodeFile& file, std::uint64_t start) const {
  if (!options.kallsyms.empty()) return options.kallsyms;
  if (file.kind == CodeKind::kKernelModule) {
    if (is_loaded_at(kernel_module_name(file.path), start))
      return kRunningKallsyms;
    return {};
  }
  struct utsname system {};
  // A truncated recording has neither build ids nor a release; then the kernel
  // must have been at the same address.
  const bool is_running =
      !file.build_id.empty() ? same_build_id(file.build_id, kernel_build_id())
      : options.os_release.empty()
          ? start != 0
          : ::uname(&system) == 0 && options.os_release == system.release;
  if (is_running) return kRunningKallsyms;
  if (const std::string store = perf_store();
      !store.empty() && is_build_id(file.build_id)) {
    std::string path = store + by_build_id(file.build_id) + "/kallsyms";
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  return {};
}

ElfPointer DebugFiles::State::find_by_build_id(
    std::string_view build_id) const {
  if (!is_build_id(build_id)) return nullptr;
  FileState ignored{};
  for (const std::string& folder : options.debug_dirs)
    if (ElfPointer file =
            take(folder + "/.build-id/" + by_build_id(build_id) + ".debug",
                 build_id, ignored))
      return file;
  if (const std::string store = perf_store(); !store.empty())
    if (ElfPointer file =
            take(store + by_build_id(build_id) + "/debug", build_id, ignored))
      return file;
  if (options.debuginfod)
    if (const auto fetched =
            ask_debuginfod(DebuginfodKind::kDebugInfo, build_id))
      return take(*fetched, build_id, ignored);
  return nullptr;
}

ElfPointer DebugFiles::State::find_by_link(const ElfFile& binary,
                                           const CodeFile& file) const {
  const auto link = binary.debug_link();
  if (!link || link->file.empty() || link->file.find('/') != std::string::npos)
    return nullptr;
  const std::string here = folder_of(binary.name());
  const std::string recorded = folder_of(file.path);
  std::vector<std::string> folders{here, here + "/.debug"};
  for (const std::string& folder : options.debug_dirs)
    folders.push_back(folder + recorded);
  FileState ignored{};
  for (const std::string& folder : folders) {
    const std::string path = folder + "/" + link->file;
    ElfPointer found = take(path, "", ignored);
    if (!found) continue;
    // Comparing build ids is cheap; a checksum needs the whole file.
    const auto pieces = in_image(path);
    const bool is_right =
        !binary.build_id().empty() && !found->build_id().empty()
            ? found->build_id() == binary.build_id()
        : pieces ? has_crc(*pieces, link->crc)
                 : has_crc(path, rules(), link->crc);
    if (is_right) return found;
  }
  return nullptr;
}

ElfPointer DebugFiles::State::find_debug(const ElfFile& binary,
                                         const CodeFile& file) const {
  // Addresses of a relocatable file are offsets in it, which differ in another.
  if (binary.has_debug_info() || binary.type() == ET_REL) return nullptr;
  if (ElfPointer found = find_by_link(binary, file)) return found;
  if (ElfPointer found = find_by_build_id(binary.build_id())) return found;
  // perf keeps copies of what it recorded, perhaps from before it was stripped.
  if (const std::string store = perf_store();
      !store.empty() && is_build_id(binary.build_id()) &&
      binary.section(".symtab") == nullptr) {
    FileState ignored{};
    ElfPointer kept = take(store + by_build_id(binary.build_id()) + "/elf",
                           binary.build_id(), ignored);
    if (kept && kept->section(".symtab") != nullptr) return kept;
  }
  return nullptr;
}

namespace {

// /proc/PID/maps has no generations.
bool is_same_inode(const Inode& a, const Inode& b) {
  return a.number == b.number && a.dev_major == b.dev_major &&
         a.dev_minor == b.dev_minor &&
         (a.generation == b.generation || a.generation == 0 ||
          b.generation == 0);
}

}  // namespace

bool is_same_file(const CodeFile& a, const CodeFile& b) {
  return a.path == b.path && a.build_id == b.build_id && a.kind == b.kind &&
         (!a.build_id.empty() || is_same_inode(a.inode, b.inode));
}

std::uint64_t hash_of(const CodeFile& file) {
  return hash_pair(hash_bytes(file.path), file.build_id.empty()
                                              ? file.inode.number
                                              : hash_bytes(file.build_id));
}

std::string_view without_deleted_mark(std::string_view path) {
  if (path.ends_with(kDeletedMark)) path.remove_suffix(kDeletedMark.size());
  return path;
}

std::string marked_path(const CodeFile& file) {
  return file.is_deleted ? file.path + std::string(kDeletedMark) : file.path;
}

std::string_view kernel_module_name(std::string_view path) {
  if (path.starts_with('[') && path.ends_with(']'))
    return path.substr(1, path.size() - 2);
  return path;
}

CodeKind kind_of_mapping(std::string_view path) {
  if (path == "[vdso]") return CodeKind::kVdso;
  const bool is_anonymous = path.empty() || path.starts_with("//anon") ||
                            path.starts_with('[') || is_memfd(path) ||
                            path.starts_with("/dev/zero") ||
                            path.starts_with("/SYSV");
  return is_anonymous ? CodeKind::kAnonymous : CodeKind::kFile;
}

bool is_memfd(std::string_view path) { return path.starts_with("/memfd:"); }

DebugFileOptions debug_file_options(const SymbolOptions& symbols) {
  if (symbols.debuginfod) check_debuginfod();
  return {.symfs = symbols.symfs,
          .vmlinux = symbols.vmlinux,
          .kallsyms = symbols.kallsyms,
          .debuginfod = symbols.debuginfod};
}

DebugFiles::DebugFiles(DebugFileOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}
DebugFiles::~DebugFiles() = default;

void DebugFiles::kernel_began_at(std::uint64_t start) {
  state_->kernel_start = start;
}

bool DebugFiles::kernel_runs_here() {
  if (!state_->options.kallsyms.empty()) return false;
  const auto list =
      kallsyms({.path = "[kernel.kallsyms]", .kind = CodeKind::kKernel},
               state_->kernel_start);
  return list && !list->addresses_hidden();
}

FoundFile DebugFiles::binary(const CodeFile& file) {
  switch (file.kind) {
    case CodeKind::kFile:
      return state_->find_file(file);
    case CodeKind::kKernel:
      return state_->find_kernel(file);
    case CodeKind::kVdso:
      return state_->find_vdso(file, file.build_id.empty() &&
                                         state_->options.os_release.empty() &&
                                         kernel_runs_here());
    case CodeKind::kKernelModule:  // kallsyms has their names
    case CodeKind::kAnonymous:
      break;
  }
  return {};
}

FoundFile DebugFiles::binary(const CodeFile& file, UniqueFd opened,
                             const std::string& name) {
  FoundFile found;
  found.elf = state_->take_opened(std::move(opened), {.name = name},
                                  file.build_id, found.state);
  if (found.elf || file.build_id.empty()) return found;
  FoundFile elsewhere = binary(file);
  return elsewhere.elf ? elsewhere : found;
}

bool DebugFiles::is_elf(const CodeFile& memfd) const {
  if (!state_->options.symfs.empty()) return false;
  if (const auto kept = state_->kept_files.find(memfd))
    return begins_as_elf(*kept);
  return state_->is_recorded_process(memfd) &&
         begins_as_elf(open_live_file(memfd));
}

void DebugFiles::keep(const CodeFile& file) {
  if ((file.kind == CodeKind::kFile || is_memfd(file.path)) &&
      state_->options.symfs.empty())
    state_->kept_files.keep(file);
}

void DebugFiles::keep_program(std::int32_t pid) {
  state_->kept_files.keep_program(pid);
}

bool DebugFiles::sees_new_files() const {
  return state_->kept_files.sees_new_files();
}

void DebugFiles::end_round() { state_->kept_files.forget_old_programs(); }

ElfPointer DebugFiles::debug(const ElfFile& binary, const CodeFile& file) {
  // Several may have its name.
  if (binary.build_id().empty()) return state_->find_debug(binary, file);
  const std::string key = binary.name() + '\0' + binary.build_id();
  {
    const std::scoped_lock lock(state_->mutex);
    const auto known = state_->debug_files.find(key);
    if (known != state_->debug_files.end()) {
      if (!known->second.exists) return nullptr;
      if (ElfPointer open = known->second.file.lock()) return open;
    }
  }
  ElfPointer found = state_->find_debug(binary, file);
  const std::scoped_lock lock(state_->mutex);
  if (state_->debug_files.size() >= State::kMostKnown)
    state_->debug_files.clear();
  State::KnownDebugFile& known = state_->debug_files[key];
  // Another thread may have been faster; one copy is enough.
  if (ElfPointer open = known.file.lock()) return open;
  known = {.exists = found != nullptr, .file = found};
  return found;
}

ElfPointer DebugFiles::alternate(const ElfFile& debug) {
  const auto link = debug.alternate_link();
  if (!link) return nullptr;
  const std::filesystem::path here =
      std::filesystem::path(debug.name()).parent_path();
  FileState ignored{};
  // operator/ replaces the left side if the right one is absolute.
  for (const std::filesystem::path& path :
       {here / link->file,
        std::filesystem::path(state_->options.symfs + link->file)})
    if (ElfPointer file = state_->take(path.string(), link->build_id, ignored))
      return file;
  return state_->find_by_build_id(link->build_id);
}

std::int64_t DebugFiles::recorded_until() const {
  return state_->options.recorded_until;
}

bool DebugFiles::has_symfs() const { return !state_->options.symfs.empty(); }

const std::string& DebugFiles::given_kallsyms() const {
  return state_->options.kallsyms;
}

std::string DebugFiles::running_id(const CodeFile& file,
                                   std::uint64_t start) const {
  if (state_->kallsyms_path(file, start) != kRunningKallsyms) return "";
  const std::string boot = boot_id();
  return boot.empty() ? "" : fmt::format("{}{:016x}", boot, start);
}

std::shared_ptr<const Kallsyms> DebugFiles::kallsyms(const CodeFile& file,
                                                     std::uint64_t start) {
  const auto path = state_->kallsyms_path(file, start);
  if (!path) return nullptr;
  // All kernels and modules of a recording share one list.
  const std::scoped_lock lock(state_->mutex);
  if (state_->kallsyms_read != path) {
    state_->kallsyms = nullptr;
    state_->kallsyms_read = path;
    // Fails if the user named a list that cannot be read.
    if (!state_->options.kallsyms.empty() || ::access(path->c_str(), R_OK) == 0)
      state_->kallsyms =
          std::make_shared<const Kallsyms>(Kallsyms::open(*path));
  }
  if (state_->kallsyms && state_->options.kallsyms.empty() &&
      file.kind == CodeKind::kKernel && file.build_id.empty() &&
      !state_->kallsyms->addresses_hidden() &&
      state_->kallsyms->kernel_start() != start)
    return nullptr;
  return state_->kallsyms;
}

ElfPointer DebugFiles::split_unit(const ElfFile& debug,
                                  std::string_view dwo_name,
                                  std::string_view comp_dir) {
  const std::filesystem::path here =
      std::filesystem::path(debug.name()).parent_path();
  FileState ignored{};
  const std::filesystem::path name(dwo_name);
  for (const std::filesystem::path& path :
       {std::filesystem::path(
            state_->options.symfs +
            (std::filesystem::path(comp_dir) / name).string()),
        here / name.filename()})
    if (ElfPointer file = state_->take(path.string(), "", ignored)) return file;
  return state_->take(debug.name() + ".dwp", "", ignored);
}

}  // namespace wick
