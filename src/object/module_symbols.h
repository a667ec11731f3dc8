// SPDX-License-Identifier: Apache-2.0
// The names of one module's code, from all there are: its symbol tables, its
// debug information wherever that is (in the file, in a separate debug file, on
// a debuginfod server), the kernel's list of symbols. Addresses that an earlier
// run resolved come from the symbol cache, without reading any of these.
//
//   DebugFiles files(debug_file_options(symbol_options));
//   const SymbolCache cache(SymbolCache::default_folder());
//   ModuleSymbols names(files, {.path = path}, {.elf = ElfFile::open(path)},
//                       {.addresses = CodeAddresses::kExact, .cache = &cache});
//   const Resolved& resolved = names.resolve({{0x1000, 0x1002}});
//   if (const Resolved::Row* row = resolved.find(0x1000))
//     for (const ResolvedFrame& frame : resolved.frames(*row))
//       use(resolved[frame.function], resolved[frame.file], frame.line);
//   names.save();
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "object/debug_files.h"
#include "object/dwarf/debug_info.h"
#include "object/elf/symbol_table.h"
#include "object/no_names.h"
#include "object/resolved.h"
#include "object/symbol_cache.h"
#include "object/unwind/function_ranges.h"

namespace wick {

// What an address that is asked for says.
enum class CodeAddresses : std::uint8_t {
  kCallers,  // the byte before the one where the frame continues
  kExact,    // an instruction that ran
};

// Not for several threads at once.
class ModuleSymbols {
 public:
  struct Options {
    CodeAddresses addresses = CodeAddresses::kCallers;
    bool inlines = true;  // lines and inlined calls, from debug information
    // Of a kernel or its module without a file: where it began in memory. Its
    // addresses are relative to that.
    std::uint64_t kernel_start = 0;
    int workers = 1;
    const SymbolCache* cache = nullptr;  // null: none; outlives this object
  };

  // Finds the separate debug files of `binary`, which `files.binary(file)`
  // found or the caller has opened; reads nothing yet. `files` outlives this
  // object.
  ModuleSymbols(DebugFiles& files, CodeFile file, FoundFile binary,
                const Options& options);

  // The functions of the file and its debug file, names as they are there;
  // empty without a file. Lives as long as this object.
  const SymbolTable& symbols();

  // Whether resolve() gives lines and inlined calls, not only functions.
  bool has_debug_info() const;

  // The frames of `addresses` (ascending, distinct), of all earlier calls, and
  // whatever else the cache had. An address without a name has a row without
  // frames, or none. If unwind rules say where its function begins, the row
  // does.
  const Resolved& resolve(std::span<const std::uint64_t> addresses);

  // The same, for a caller who needs the names no longer.
  Resolved take_resolved() && { return std::move(resolved_); }

  // Puts what was resolved into the cache.
  void save() const;

  // Whether a file was too large to be read completely.
  bool lacked_memory() const;

  // Why some functions may have no names.
  NoNames why_no_names() const { return why_no_names_; }

 private:
  // What an address is looked up in, and what is added to it before.
  struct Lookup {
    const SymbolTable* symbols = nullptr;
    std::uint64_t shift = 0;
    std::shared_ptr<const Kallsyms> owner;
  };

  bool is_kernel() const;
  // What identifies the code in the cache; "" if nothing does.
  std::string cache_id() const;
  std::string sources() const;
  const std::shared_ptr<const ElfFile>& debug_source() const;
  void load();
  const Lookup& lookup();
  Lookup kernel_lookup();
  NoNames why_no_list() const;
  const Symbol* symbol_at(std::uint64_t address);
  std::uint64_t function_start(std::uint64_t address);
  void add_from_debug_info(std::span<const std::uint64_t> addresses);
  std::uint32_t shown(std::string_view raw_name);

  DebugFiles& files_;
  CodeFile file_;
  Options options_;
  std::shared_ptr<const ElfFile> binary_, debug_, alternate_;
  NoNames why_no_names_ = NoNames::kNotKnown;

  bool is_loaded_ = false, is_changed_ = false;
  Resolved resolved_;
  std::optional<SymbolTable> symbols_;
  std::optional<Lookup> lookup_;
  std::unique_ptr<FunctionRanges> ranges_;
  std::unique_ptr<DebugInfo> debug_info_;
  // By name as it is in the file: demangling is expensive and names repeat.
  std::unordered_map<std::string_view, std::uint32_t> shown_;
};

}  // namespace wick
