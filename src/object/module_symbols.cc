// SPDX-License-Identifier: Apache-2.0
#include "object/module_symbols.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/metrics.h"
#include "object/demangle/demangle.h"
#include "object/elf/elf_file.h"
#include "object/kernel/kallsyms.h"
#include "object/kernel/running_kernel.h"

namespace wick {
namespace {

// Size and time tell a file from the one that replaced it.
std::string identity(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return path;
  return fmt::format("{} {} {}.{}", path, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

std::string identity(const ElfFile* file) {
  return file == nullptr ? "-" : identity(file->name());
}

// Reasons that concern the list of the running kernel.
bool is_of_this_machine(NoNames reason) {
  return reason == NoNames::kOtherKernel || reason == NoNames::kModuleGone ||
         reason == NoNames::kKernelUnreadable ||
         reason == NoNames::kKernelHidden;
}

bool has_dwarf(const ElfFile* file) {
  return file != nullptr && file->has_debug_info();
}

std::optional<std::uint64_t> address_of(const SymbolTable& symbols,
                                        std::string_view name) {
  const auto at = std::ranges::find(symbols, name, &Symbol::name);
  if (at == symbols.end()) return {};
  return at->start;
}

}  // namespace

ModuleSymbols::ModuleSymbols(DebugFiles& files, CodeFile file, FoundFile binary,
                             const Options& options)
    : files_(files),
      file_(std::move(file)),
      options_(options),
      binary_(std::move(binary.elf)) {
  if (!binary_) {
    // The kernel's names come from a list, which kernel_lookup() finds.
    if (file_.kind != CodeKind::kKernel &&
        file_.kind != CodeKind::kKernelModule)
      why_no_names_ = no_names_of(binary.state);
    return;
  }
  debug_ = files.debug(*binary_, file_);
  if (has_dwarf(binary_.get()) && !has_dwarf(debug_.get()))
    alternate_ = files.alternate(*binary_);
  else if (debug_)
    alternate_ = files.alternate(*debug_);
  if (!debug_ && binary_->section(".symtab") == nullptr)
    why_no_names_ = NoNames::kStripped;
}

bool ModuleSymbols::is_kernel() const {
  return file_.kind == CodeKind::kKernel ||
         file_.kind == CodeKind::kKernelModule;
}

std::string ModuleSymbols::cache_id() const {
  if (binary_ && !binary_->build_id().empty()) return binary_->build_id();
  if (!file_.build_id.empty() || !is_kernel()) return file_.build_id;
  return files_.running_id(file_, options_.kernel_start);
}

// What the names depend on: the files, the options.
std::string ModuleSymbols::sources() const {
  const std::string& kallsyms = files_.given_kallsyms();
  // It may be unloaded, and another loaded in its place.
  const std::string name(kernel_module_name(file_.path));
  const std::string module =
      file_.kind == CodeKind::kKernelModule && !binary_
          ? fmt::format("\n{} {}", name, kernel_module_build_id(name))
          : "";
  return fmt::format(
      "{}\n{}\n{}\n{}{}{}",
      binary_ || kallsyms.empty() ? identity(binary_.get())
                                  : identity(kallsyms),
      identity(debug_.get()), identity(alternate_.get()),
      options_.inlines ? "inlines" : "",
      options_.addresses == CodeAddresses::kExact ? " exact" : "", module);
}

void ModuleSymbols::load() {
  is_loaded_ = true;
  if (options_.cache == nullptr) return;
  if (auto cached = options_.cache->load(cache_id(), sources()))
    resolved_ = std::move(*cached);
}

void ModuleSymbols::save() const {
  if (options_.cache != nullptr && is_changed_)
    options_.cache->store(cache_id(), sources(), resolved_);
}

const SymbolTable& ModuleSymbols::symbols() {
  if (!symbols_)
    symbols_ =
        binary_ ? SymbolTable::from_elf(*binary_, debug_.get()) : SymbolTable();
  return *symbols_;
}

const std::shared_ptr<const ElfFile>& ModuleSymbols::debug_source() const {
  return has_dwarf(debug_.get()) ? debug_ : binary_;
}

bool ModuleSymbols::has_debug_info() const {
  return options_.inlines && has_dwarf(debug_source().get());
}

bool ModuleSymbols::lacked_memory() const {
  return std::ranges::any_of(
      std::array{binary_.get(), debug_.get(), alternate_.get()},
      [](const ElfFile* file) {
        return file != nullptr && file->memory().was_refused();
      });
}

const ModuleSymbols::Lookup& ModuleSymbols::lookup() {
  if (lookup_) return *lookup_;
  if (binary_)
    lookup_ = {.symbols = &symbols(),
               .shift = file_.kind == CodeKind::kKernel
                            ? address_of(symbols(), "_text").value_or(0)
                            : 0};
  else
    lookup_ = kernel_lookup();
  return *lookup_;
}

NoNames ModuleSymbols::why_no_list() const {
  if (file_.kind == CodeKind::kKernelModule) return NoNames::kModuleGone;
  return ::access("/proc/kallsyms", R_OK) == 0 ? NoNames::kOtherKernel
                                               : NoNames::kKernelUnreadable;
}

ModuleSymbols::Lookup ModuleSymbols::kernel_lookup() {
  if (!is_kernel()) return {};
  auto list = files_.kallsyms(file_, options_.kernel_start);
  if (!list) {
    why_no_names_ = why_no_list();
    return {};
  }
  if (list->addresses_hidden()) {
    why_no_names_ = NoNames::kKernelHidden;
    return {};
  }
  if (file_.kind == CodeKind::kKernel)
    return {&list->kernel(), list->kernel_start(), list};
  return {list->module(kernel_module_name(file_.path)), options_.kernel_start,
          list};
}

const Symbol* ModuleSymbols::symbol_at(std::uint64_t address) {
  const auto& [symbols, shift, owner] = lookup();
  if (symbols == nullptr) return nullptr;
  return options_.addresses == CodeAddresses::kExact
             ? symbols->find(address + shift)
             : symbols->find_caller(address + shift);
}

// Of a function without a symbol; 0 if it is unknown.
std::uint64_t ModuleSymbols::function_start(std::uint64_t address) {
  // A relocatable file has no addresses yet, and kernels have symbols.
  if (!binary_ || binary_->type() == ET_REL || file_.kind == CodeKind::kKernel)
    return 0;
  if (!ranges_) ranges_ = std::make_unique<FunctionRanges>(binary_);
  return ranges_->start_of(address).value_or(0);
}

std::uint32_t ModuleSymbols::shown(std::string_view raw_name) {
  const auto [at, is_new] = shown_.try_emplace(raw_name, 0);
  if (is_new) at->second = resolved_.text(demangle(raw_name, Demangle::kShort));
  return at->second;
}

void ModuleSymbols::add_from_debug_info(
    std::span<const std::uint64_t> addresses) {
  if (!has_debug_info()) return;
  const std::shared_ptr<const ElfFile>& source = debug_source();
  const Timer timer("debug info");
  if (!debug_info_)
    debug_info_ = std::make_unique<DebugInfo>(
        DebugInfo::Files{.main = source,
                         .alternate = alternate_,
                         .open_dwo = [this, source](std::string_view name,
                                                    std::string_view folder) {
                           return files_.split_unit(*source, name, folder);
                         }});
  std::vector<std::uint64_t> shifted(addresses.begin(), addresses.end());
  for (std::uint64_t& address : shifted) address += lookup().shift;
  std::vector<ResolvedFrame> frames;
  debug_info_->resolve(shifted, options_.workers,
                       [&](std::size_t i, std::span<const SourceFrame> found) {
                         if (found.empty()) return;
                         frames.clear();
                         for (const SourceFrame& frame : found)
                           frames.push_back({.function = shown(frame.function),
                                             .file = resolved_.text(frame.file),
                                             .line = frame.line,
                                             .inlined = frame.inlined});
                         // The symbol table knows clones (".cold") by their
                         // names.
                         if (const Symbol* symbol = symbol_at(addresses[i]))
                           frames.front().function = shown(symbol->name);
                         if (frames.front().function != 0)
                           resolved_.add(addresses[i], frames);
                       });
}

const Resolved& ModuleSymbols::resolve(
    std::span<const std::uint64_t> addresses) {
  if (!is_loaded_) load();
  std::vector<std::uint64_t> missing;
  std::ranges::copy_if(addresses, std::back_inserter(missing),
                       [&](std::uint64_t address) {
                         return resolved_.find(address) == nullptr;
                       });
  if (missing.empty()) return resolved_;
  lookup();
  // Not cached: the next run may be allowed to read the right list.
  if (is_of_this_machine(why_no_names_)) return resolved_;
  is_changed_ = true;
  add_from_debug_info(missing);
  for (const std::uint64_t address : missing) {
    if (resolved_.find(address) != nullptr) continue;
    const Symbol* symbol = symbol_at(address);
    if (symbol == nullptr) {
      resolved_.add(address, {}, function_start(address));
      continue;
    }
    const ResolvedFrame frame{.function = shown(symbol->name)};
    resolved_.add(address, std::span(&frame, 1));
  }
  return resolved_;
}

}  // namespace wick
