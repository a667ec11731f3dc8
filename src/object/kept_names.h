// SPDX-License-Identifier: Apache-2.0
// The names of a recording's code, kept with the recording, so that they do not
// depend on the files that they came from: programs are rebuilt, containers
// end, maps of compiled functions are deleted, and recordings are read on other
// machines.
//
// For each module there is what symbolize() found for the addresses that occur
// in samples, and no more; for each process that compiled code while it ran, an
// excerpt of its perf map or jitdump. The bytes are those of a file and
// untrusted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_index.h"
#include "object/debug_files.h"
#include "object/no_names.h"
#include "object/resolved.h"

namespace wick {

struct KeptModule {
  // A segment of the file: addresses in it are relative to one that the file
  // chooses itself.
  struct Part {
    std::uint64_t file_off = 0, size = 0, elf_addr = 0;
  };

  CodeFile file;  // without a pid
  std::vector<Part> parts;
  NoNames why_no_names = NoNames::kNotKnown;
  bool has_lines = false;  // there was debug information
  // There was no memory or no room for all of it. A file that still is there
  // has the rest.
  bool is_partial = false;
  Resolved names;

  // As Images::elf_addr of the recorded file.
  std::uint64_t elf_addr(std::uint64_t file_off) const;
  // Whether each address that has a row has a name.
  bool is_complete() const;
};

struct KeptJitFile {
  std::uint32_t pid = 0;
  // When the process had samples in compiled code, in nanoseconds of the
  // recording's clock: its pid may have been another's before or after.
  std::uint64_t from = 0, until = 0;
  bool is_jitdump = false;
  std::string path;     // in the process; "" for a perf map
  std::string content;  // of a perf map or a jitdump
};

class KeptNames {
 public:
  // More are not decoded.
  static constexpr std::size_t kMostJitFiles = 4096;

  // The first of modules with equal files counts.
  void add(KeptModule module);
  void add(KeptJitFile file) { jit_files_.push_back(std::move(file)); }

  const std::vector<KeptModule>& modules() const { return modules_; }
  const std::vector<KeptJitFile>& jit_files() const { return jit_files_; }
  bool is_empty() const { return modules_.empty() && jit_files_.empty(); }

  // Null if there is none. `time` may be JitMap::kAnyTime.
  const KeptModule* module(const CodeFile& file) const;
  const KeptJitFile* perf_map(std::uint32_t pid, std::uint64_t time) const;
  const KeptJitFile* jitdump(std::uint32_t pid, std::string_view path) const;

  // Compressed, with a checksum.
  std::string encode() const;
  // Nothing if the bytes are damaged or something else.
  static std::optional<KeptNames> decode(std::string_view bytes);

 private:
  std::vector<KeptModule> modules_;
  HashIndex module_index_;
  std::vector<KeptJitFile> jit_files_;
};

}  // namespace wick
