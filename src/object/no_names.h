// SPDX-License-Identifier: Apache-2.0
// Why functions of a module have no names, and what would help.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/setting.h"
#include "object/debug_files.h"

namespace wick {

enum class NoNames : std::uint8_t {
  kNotKnown,      // the file and its symbols are as they should be
  kFileMissing,   // no file has the recorded path or build id
  kFileReplaced,  // the file at the recorded path has another build id
  kFileChanged,   // the file is newer than the recording
  kFileUnreadable,
  kFileOnNetwork,     // and wick runs as root
  kFileOnlyMapped,    // deleted or replaced; only root reads it by its process
  kStripped,          // no .symtab and no separate debug file
  kOtherKernel,       // the running kernel is not the recorded one
  kKernelHidden,      // /proc/kallsyms has no addresses for this user
  kGeneratedCode,     // a JIT wrote it and left no map
  kModuleGone,        // the kernel module is not loaded where it was
  kKernelUnreadable,  // there is no /proc/kallsyms to read
  kCount,             // recordings store the values above
};

// Of a file that was not found.
NoNames no_names_of(FileState state);

struct NoNamesText {
  std::string text;  // "" for kNotKnown
  Settings helps;
};
// `package` is the package that the file belongs to, "" if it belongs to none;
// nothing if that is not known.
NoNamesText describe(NoNames reason,
                     const std::optional<std::string>& package = {});

}  // namespace wick
