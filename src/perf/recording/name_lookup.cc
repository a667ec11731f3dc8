// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/name_lookup.h"

#include <elf.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/metrics.h"
#include "base/parallel.h"
#include "object/module_symbols.h"
#include "object/symbol_cache.h"
#include "perf/recording/name_fitting.h"

namespace wick {
namespace {

class Lookup {
 public:
  Lookup(const std::string& os_release, std::uint64_t memory)
      : memory_(std::make_shared<MemoryBudget>(memory)),
        files_({.os_release = os_release, .memory = memory_}),
        cache_(SymbolCache::default_folder()) {}

  NamedModule operator()(SampledModule& sampled) {
    const FoundFile found = find(sampled);
    const auto stamp = stamp_of(found.elf.get());
    NamedModule named = look_up(sampled, found);
    // Sections are read on first use.
    if (stamp_of(found.elf.get()) == stamp) return named;
    return look_up(sampled, {nullptr, FileState::kChanged});
  }

 private:
  FoundFile find(SampledModule& sampled) {
    if (!sampled.handle) return files_.binary(sampled.file);
    // A build id tells more than a time.
    if (sampled.file.build_id.empty() &&
        FileStamp::of(sampled.handle) != sampled.stamp)
      return {nullptr, FileState::kChanged};
    return files_.binary(sampled.file, std::move(sampled.handle),
                         sampled.opened_as);
  }

  static std::optional<FileStamp> stamp_of(const ElfFile* elf) {
    return elf == nullptr ? std::nullopt : FileStamp::of(elf->handle());
  }

  NamedModule look_up(const SampledModule& sampled, const FoundFile& found) {
    NamedModule named;
    KeptModule& module = named.module;
    module.file = sampled.file;
    if (sampled.file.kind == CodeKind::kFile)
      module.parts = parts_of(found.elf.get(), sampled.addresses);
    ModuleSymbols symbols(
        files_, sampled.file, found,
        {.kernel_start = sampled.kernel_start, .cache = &cache_});
    const auto wanted = elf_addrs(module, sampled.addresses);
    std::vector<std::uint64_t> addresses;
    for (const AddressCounts::Row& row : wanted)
      addresses.push_back(row.address);
    const Resolved& resolved = symbols.resolve(addresses);
    symbols.save();
    for (const AddressCounts::Row& row : wanted)
      if (copy_row(resolved, row.address, module.names))
        named.counts.push_back(row.count);
    module.why_no_names = symbols.why_no_names();
    module.has_lines = symbols.has_debug_info();
    module.is_partial = symbols.lacked_memory();
    return named;
  }

  // Ascending and distinct.
  static std::vector<AddressCounts::Row> elf_addrs(
      const KeptModule& module, const AddressCounts& file_offsets) {
    std::vector<AddressCounts::Row> rows = file_offsets.rows();
    for (AddressCounts::Row& row : rows)
      row.address = module.elf_addr(row.address);
    std::ranges::sort(rows, {}, &AddressCounts::Row::address);
    const auto repeated =
        std::ranges::unique(rows, {}, &AddressCounts::Row::address);
    rows.erase(repeated.begin(), repeated.end());
    return rows;
  }

  // The segments in which the addresses are.
  static std::vector<KeptModule::Part> parts_of(
      const ElfFile* elf, const AddressCounts& addresses) {
    std::vector<KeptModule::Part> parts;
    if (elf == nullptr) return parts;
    for (const ElfFile::Segment& segment : elf->segments())
      if (segment.type == PT_LOAD &&
          std::ranges::any_of(
              addresses.rows(), [&](const AddressCounts::Row& row) {
                return row.address - segment.offset < segment.file_size;
              }))
        parts.push_back({.file_off = segment.offset,
                         .size = segment.file_size,
                         .elf_addr = segment.address});
    return parts;
  }

  static bool copy_row(const Resolved& from, std::uint64_t address,
                       Resolved& to) {
    const Resolved::Row* row = from.find(address);
    if (row == nullptr) return false;
    std::vector<ResolvedFrame> frames(from.frames(*row).begin(),
                                      from.frames(*row).end());
    for (ResolvedFrame& frame : frames) {
      frame.function = to.text(from[frame.function]);
      frame.file = to.text(from[frame.file]);
    }
    to.add(address, frames, row->function_start);
    return true;
  }

  std::shared_ptr<MemoryBudget> memory_;
  DebugFiles files_;
  SymbolCache cache_;
};

}  // namespace

std::string look_up_names(SampledCode& code, const std::string& os_release,
                          const NameRoom& room, Diagnostics& diagnostics) {
  const Timer timer("names");
  std::vector<SampledModule>& files = code.files().files();
  std::vector<NamedModule> modules(files.size());
  // Before anything is looked up in them, which takes time.
  std::vector<SampledJitFile> jit_files = code.jits().take_functions();
  Lookup look_up(os_release, room.memory);
  parallel_for(files.size(), worker_count(0),
               [&](std::size_t i) { modules[i] = look_up(files[i]); });
  diagnostics.note(
      Problem::kLargeFile,
      static_cast<std::uint64_t>(std::ranges::count_if(
          modules, [](const NamedModule& n) { return n.module.is_partial; })));
  diagnostics.note(Problem::kNamesNotKept, code.omitted());
  return fit_names(std::move(modules), std::move(jit_files), room.most_bytes(),
                   diagnostics);
}

}  // namespace wick
