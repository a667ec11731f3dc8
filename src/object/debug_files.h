// SPDX-License-Identifier: Apache-2.0
// Finds the files that belong to recorded code: the binary itself, its separate
// debug file, the file into which dwz moved parts of that. A file with another
// build id than the recorded one is never used.
//
// A process that still runs leads to files that have no name any more (see
// object/process_files.h). Where no build id identifies such a file, the
// process must have begun before the recording ended.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "object/elf/elf_file.h"

namespace wick {

class Kallsyms;
class SysrootImage;
struct SymbolOptions;  // profile/format.h

enum class CodeKind : std::uint8_t {
  kFile,          // an executable or a library
  kKernel,        // vmlinux; path "[kernel.kallsyms]"
  kKernelModule,  // path "[name]", or that of the .ko
  kVdso,
  kAnonymous,  // no file: the heap, code of a JIT
};

// "[nf_tables]" is the module nf_tables.
std::string_view kernel_module_name(std::string_view path);

// kFile, kVdso or kAnonymous, by the path of a mapping in a process.
CodeKind kind_of_mapping(std::string_view path);
// A file without a name (memfd_create): a program or a library, which only its
// processes lead to, or the code of a JIT, which is kAnonymous.
bool is_memfd(std::string_view path);

// What the kernel calls a mapped file: another file at the same path has
// another inode.
struct Inode {
  std::uint32_t dev_major = 0, dev_minor = 0;
  std::uint64_t number = 0;  // 0: unknown
  // Numbers are used again, with another generation; 0: unknown.
  std::uint64_t generation = 0;
  friend bool operator==(const Inode&, const Inode&) = default;
};

// The kernel appends it to the path of a mapped file that was deleted or
// replaced. A file can be called that, too.
inline constexpr std::string_view kDeletedMark = " (deleted)";
std::string_view without_deleted_mark(std::string_view path);

// A file of code as a recording describes it.
struct CodeFile {
  std::string path;      // without the mark
  std::string build_id;  // hexadecimal; "" if it was not recorded
  std::int32_t pid = 0;  // a process that had it mapped; 0: unknown
  CodeKind kind = CodeKind::kFile;
  // Where that process had it mapped; 0: unknown.
  std::uint64_t mapped_start = 0, mapped_end = 0;
  Inode inode = {};  // tells files apart that have no build id
  // When it was mapped, nothing or another file had its path.
  bool is_deleted = false;
  friend bool operator==(const CodeFile&, const CodeFile&) = default;
};

// With the mark if it has one, as the kernel writes it.
std::string marked_path(const CodeFile& file);

// Whether they have the same path, build id and kind, and without a build id
// the same inode: processes share files.
bool is_same_file(const CodeFile& a, const CodeFile& b);
// Equal for such files.
std::uint64_t hash_of(const CodeFile& file);

enum class FileState : std::uint8_t {
  kFound,
  kMissing,       // neither at its path nor elsewhere by its build id
  kOtherBuildId,  // the file at its path is another one
  kChanged,       // modified or replaced since it was recorded, which shows
                  // although the recording has no build id of it
  kUnreadable,    // not a regular file, or no permission
  kNotElf,        // read, but not understood: code of another format
  kOnNetwork,     // root does not read it; see io/open_regular.h
  kOnlyMapped,    // deleted or replaced; only root may read it by its process
};

struct FoundFile {
  std::shared_ptr<const ElfFile> elf;  // null unless kFound
  FileState state = FileState::kMissing;
};

struct DebugFileOptions {
  std::string symfs;                    // a prefix for recorded paths
  std::string vmlinux;                  // "": searched for
  std::string kallsyms;                 // "": searched for
  std::string os_release;               // of the recording, for vmlinux and .ko
  std::vector<std::string> debug_dirs;  // "/usr/lib/debug" if empty
  // Paths that lead into it are read there.
  std::shared_ptr<const SysrootImage> sysroot_image;
  bool debuginfod = false;  // query the servers of DEBUGINFOD_URLS
  // When the recording was written, in nanoseconds since 1970; 0: unknown.
  std::int64_t recorded_until = 0;
  // What all files together may hold in memory; null: as much as they store,
  // several times over (see ElfFile). One of them gets at most half of it, so
  // that no file alone can displace all others.
  std::shared_ptr<MemoryBudget> memory;
};

// From the user's settings. Fails if they ask for debuginfod and it cannot be
// used.
DebugFileOptions debug_file_options(const SymbolOptions& symbols);

// Thread-safe. Functions return nothing rather than fail.
class DebugFiles {
 public:
  explicit DebugFiles(DebugFileOptions options);
  ~DebugFiles();

  // Where the kernel began in memory, which identifies it for a truncated
  // recording, as that has no release.
  void kernel_began_at(std::uint64_t start);

  FoundFile binary(const CodeFile& file);
  // The same if it is open already as `opened`, called `name`. It may have been
  // overwritten since.
  FoundFile binary(const CodeFile& file, UniqueFd opened,
                   const std::string& name);
  // Whether a memfd is an ELF file. If neither its process runs nor keep() has
  // opened it, it is not.
  bool is_elf(const CodeFile& memfd) const;
  // Keeps the file of a running process open, so that binary() finds it after
  // the process or the file is gone. Many such files take turns.
  void keep(const CodeFile& file);
  // The same for the program that a process has just begun to execute, which
  // may be deleted before keep() is called for it. Forgotten after two rounds.
  void keep_program(std::int32_t pid);
  void end_round();
  // Whether that is worth while: files are new, or gone when keep() is called.
  bool sees_new_files() const;
  // The separate debug file of `binary`, by build id or debug link; null if
  // there is none or `binary` has the debug information itself or is
  // relocatable.
  std::shared_ptr<const ElfFile> debug(const ElfFile& binary,
                                       const CodeFile& file);
  // The file into which dwz moved parts of `debug`.
  std::shared_ptr<const ElfFile> alternate(const ElfFile& debug);
  // A split unit of `debug` (a .dwo, or the .dwp next to it).
  std::shared_ptr<const ElfFile> split_unit(const ElfFile& debug,
                                            std::string_view dwo_name,
                                            std::string_view comp_dir);

  // When the recording was written, in nanoseconds since 1970; 0: unknown.
  std::int64_t recorded_until() const;
  // Whether the user named a directory for recorded paths.
  bool has_symfs() const;
  // The kernel's symbols that the user named; "" if none.
  const std::string& given_kallsyms() const;
  // Identifies the running kernel, or its module that began at `start`, until
  // the next boot; "" if `file` is another.
  std::string running_id(const CodeFile& file, std::uint64_t start) const;
  // The symbols of a kernel, or of its module that began at `start`; null if no
  // list is certain to be the right one.
  std::shared_ptr<const Kallsyms> kallsyms(const CodeFile& file,
                                           std::uint64_t start);

 private:
  bool kernel_runs_here();

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wick
