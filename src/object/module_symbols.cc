// SPDX-License-Identifier: Apache-2.0
#include "object/module_symbols.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/metrics.h"
#include "object/demangle/demangle.h"
#include "object/dwarf/debug_info.h"
#include "object/elf/symbol_table.h"
#include "object/kernel/kallsyms.h"

namespace wick {
namespace {

// Demangling is dear and names repeat.
class ShownNames {
 public:
  explicit ShownNames(Resolved& out) : out_(out) {}

  std::uint32_t operator()(std::string_view raw) {
    const auto [at, is_new] = known_.try_emplace(raw, 0);
    if (is_new) at->second = out_.text(demangle(raw, Demangle::kShort));
    return at->second;
  }

 private:
  Resolved& out_;
  std::unordered_map<std::string_view, std::uint32_t> known_;
};

// Of a file that is replaced, size and time tell.
std::string identity(const ElfFile* file) {
  if (file == nullptr) return "-";
  struct stat status {};
  if (::stat(file->name().c_str(), &status) != 0) return file->name();
  return fmt::format("{} {} {}.{}", file->name(), status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

bool has_debug_info(const ElfFile* file) {
  return file != nullptr && file->section(".debug_info") != nullptr;
}

std::optional<std::uint64_t> address_of(const SymbolTable& symbols,
                                        std::string_view name) {
  const auto at = std::ranges::find(symbols, name, &Symbol::name);
  if (at == symbols.end()) return {};
  return at->start;
}

// "[nf_tables]" is the module nf_tables.
std::string_view module_name(std::string_view path) {
  if (path.starts_with('[') && path.ends_with(']'))
    return path.substr(1, path.size() - 2);
  return path;
}

std::string why_no_file(FileState state) {
  switch (state) {
    case FileState::kMissing:
      return "the file is not there; see --symfs and --debuginfod";
    case FileState::kOtherBuildId:
      return "another file stands at its path now; see --symfs and "
             "--debuginfod";
    case FileState::kChanged:
      return "the file was changed after it was recorded";
    case FileState::kUnreadable:
      return "the file cannot be read";
    case FileState::kFound:
      break;
  }
  return "";
}

}  // namespace

ModuleSymbols::ModuleSymbols(Images& images, DebugFiles& files, ImageId image,
                             const SymbolOptions& options)
    : files_(files),
      options_(options),
      file_(images.file(image)),
      binary_(images.elf(image)) {
  if (!binary_) {
    why_no_names_ = why_no_file(images.state(image));
    return;
  }
  debug_ = files.debug(*binary_, file_);
  if (has_debug_info(binary_.get()) && !has_debug_info(debug_.get()))
    alternate_ = files.alternate(*binary_);
  else if (debug_)
    alternate_ = files.alternate(*debug_);
  if (!debug_ && binary_->section(".symtab") == nullptr)
    why_no_names_ = fmt::format(
        "its symbols are stripped; install the -dbgsym package of what "
        "`dpkg -S {}` names, or try --debuginfod",
        file_.path);
}

std::string ModuleSymbols::sources() const {
  return fmt::format("{}\n{}\n{}\n{}", identity(binary_.get()),
                     identity(debug_.get()), identity(alternate_.get()),
                     options_.inlines ? "inlines" : "");
}

void ModuleSymbols::resolve(std::span<const std::uint64_t> addresses,
                            std::uint64_t kernel_start, int workers,
                            Resolved& out) {
  ShownNames names(out);
  SymbolTable own_symbols;
  const SymbolTable* symbols = nullptr;
  std::shared_ptr<const Kallsyms> kernel_list;
  // What is added to an address to look it up.
  std::uint64_t shift = 0;
  if (binary_) {
    own_symbols = SymbolTable::from_elf(*binary_, debug_.get());
    symbols = &own_symbols;
    if (file_.kind == CodeKind::kKernel)
      shift = address_of(own_symbols, "_text").value_or(0);
  } else if (file_.kind == CodeKind::kKernel ||
             file_.kind == CodeKind::kKernelModule) {
    const auto list = files_.kallsyms(file_, kernel_start);
    if (!list) {
      why_no_names_ =
          "another kernel runs here; copy /proc/kallsyms of the recorded one "
          "and name it with --kallsyms";
      return;
    }
    if (list->addresses_hidden()) {
      why_no_names_ =
          "the kernel hides its symbols; as root, or with `sysctl "
          "kernel.kptr_restrict=0`, they can be read";
      return;
    }
    if (file_.kind == CodeKind::kKernel) {
      symbols = &list->kernel();
      shift = list->kernel_start();
    } else {
      symbols = list->module(module_name(file_.path));
      shift = kernel_start;
    }
    kernel_list = list;
  }
  const auto symbol_at = [&](std::uint64_t address) {
    return symbols == nullptr ? nullptr : symbols->find_caller(address + shift);
  };

  std::vector<bool> done(addresses.size());
  const std::shared_ptr<const ElfFile>& source =
      has_debug_info(debug_.get()) ? debug_ : binary_;
  if (options_.inlines && has_debug_info(source.get())) {
    const Timer timer("debug info");
    std::vector<std::uint64_t> shifted(addresses.begin(), addresses.end());
    for (std::uint64_t& address : shifted) address += shift;
    DebugInfo lines(
        {.main = source,
         .alternate = alternate_,
         .open_dwo = [&](std::string_view name, std::string_view folder) {
           return files_.split_unit(*source, name, folder);
         }});
    std::vector<ResolvedFrame> frames;
    lines.resolve(shifted, workers,
                  [&](std::size_t i, std::span<const SourceFrame> found) {
                    if (found.empty()) return;
                    frames.clear();
                    for (const SourceFrame& frame : found)
                      frames.push_back({.function = names(frame.function),
                                        .file = out.text(frame.file),
                                        .line = frame.line,
                                        .inlined = frame.inlined});
                    // The symbol table knows clones (".cold") by their names.
                    if (const Symbol* symbol = symbol_at(addresses[i]))
                      frames.front().function = names(symbol->name);
                    if (frames.front().function == 0) return;
                    out.add(addresses[i], frames);
                    done[i] = true;
                  });
  }
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (done[i]) continue;
    const Symbol* symbol = symbol_at(addresses[i]);
    if (symbol == nullptr) {
      out.add(addresses[i], {});
      continue;
    }
    const ResolvedFrame frame{.function = names(symbol->name)};
    out.add(addresses[i], std::span(&frame, 1));
  }
}

}  // namespace wick
