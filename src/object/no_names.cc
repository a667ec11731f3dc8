// SPDX-License-Identifier: Apache-2.0
#include "object/no_names.h"

#include <fmt/format.h>

#include <string>

#include "object/package_files.h"

namespace wick {

namespace {

NoNamesText stripped_text(const std::optional<std::string>& package) {
  if (!package)
    return {"its symbols are stripped; install its debug symbols",
            Setting::kDebuginfod};
  if (package->empty())
    return {"its symbols are stripped; link it without -s and do not strip it",
            {}};
  return {fmt::format("its symbols are stripped; install {} (from the debug "
                      "archive of the distribution)",
                      debug_package(*package)),
          Setting::kDebuginfod};
}

}  // namespace

NoNames no_names_of(FileState state) {
  switch (state) {
    case FileState::kMissing:
      return NoNames::kFileMissing;
    case FileState::kOtherBuildId:
      return NoNames::kFileReplaced;
    case FileState::kChanged:
      return NoNames::kFileChanged;
    case FileState::kUnreadable:
    case FileState::kNotElf:
      return NoNames::kFileUnreadable;
    case FileState::kOnNetwork:
      return NoNames::kFileOnNetwork;
    case FileState::kOnlyMapped:
      return NoNames::kFileOnlyMapped;
    case FileState::kFound:
      break;
  }
  return NoNames::kNotKnown;
}

NoNamesText describe(NoNames reason,
                     const std::optional<std::string>& package) {
  constexpr Settings kOtherPlaces = {Setting::kSymfs, Setting::kDebuginfod};
  switch (reason) {
    case NoNames::kFileMissing:
      return {"the file does not exist", kOtherPlaces};
    case NoNames::kFileReplaced:
      return {"the file was replaced after it was recorded", kOtherPlaces};
    case NoNames::kFileChanged:
      return {"the file was modified after it was recorded", {}};
    case NoNames::kFileUnreadable:
      return {"the file cannot be read", {}};
    case NoNames::kFileOnNetwork:
      return {
          "the file is on a network file system, which is not read as root; "
          "read the recording as another user, or change to a directory of "
          "that file system",
          Setting::kSymfs};
    case NoNames::kFileOnlyMapped:
      return {
          "the file was deleted or replaced; only root can still read it, "
          "through the process that runs it",
          {}};
    case NoNames::kStripped:
      return stripped_text(package);
    case NoNames::kOtherKernel:
      return {
          "this machine runs another kernel; copy /proc/kallsyms from the "
          "recorded one",
          Setting::kKallsyms};
    case NoNames::kModuleGone:
      return {
          "the kernel module is no longer loaded where it was recorded; copy "
          "/proc/kallsyms while it is",
          Setting::kKallsyms};
    case NoNames::kKernelUnreadable:
      return {"/proc/kallsyms cannot be read here", Setting::kKallsyms};
    case NoNames::kKernelHidden:
      return {
          "the kernel hides its symbols; read the recording as root, or after "
          "`sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1`",
          {}};
    case NoNames::kGeneratedCode:
      return {
          "code generated at run time; have the program write a perf map or a "
          "jitdump",
          Setting::kLanguages};
    case NoNames::kNotKnown:
    case NoNames::kCount:
      break;
  }
  return {};
}

}  // namespace wick
