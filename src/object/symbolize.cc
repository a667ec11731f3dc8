// SPDX-License-Identifier: Apache-2.0
#include "object/symbolize.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/metrics.h"
#include "base/parallel.h"
#include "object/module_symbols.h"
#include "object/package_files.h"
#include "object/symbol_cache.h"
#include "transform/hidden_languages.h"
#include "transform/transform.h"

namespace wick {
namespace {

// The addresses of one module and their frames.
struct Work {
  ModuleId module;
  ImageId image;
  std::vector<std::uint64_t> addresses;  // ascending, distinct
  Resolved found;                        // in files
  const Resolved* kept = nullptr;        // with the recording
  bool prefers_kept = false;
  NoNames why_no_names = NoNames::kNotKnown;

  struct Names {
    const Resolved* names = nullptr;
    const Resolved::Row* row = nullptr;  // null: nothing is known
  };
  Names names_of(std::uint64_t address) const {
    const Resolved* both[] = {&found, kept};
    if (prefers_kept) std::swap(both[0], both[1]);
    Names without_name;
    for (const Resolved* names : both) {
      const auto* row = names == nullptr ? nullptr : names->find(address);
      if (row == nullptr) continue;
      if (row->count > 0) return {names, row};
      if (row->function_start != 0) without_name = {names, row};
    }
    return without_name;
  }
};

std::vector<Work> collect(const Profile& profile, const CodeLocations& code,
                          const Images& images) {
  Column<ModuleId, std::uint32_t> work_of(profile.modules.size(), 0);
  std::vector<Work> works;
  for (const FrameId id : profile.frames.ids()) {
    const Frame& frame = profile.frames[id];
    if (frame.function != StringId::kEmpty) continue;
    const ImageId image = code.images[frame.module];
    if (image == ImageId::kNone ||
        images.file(image).kind == CodeKind::kAnonymous)
      continue;
    std::uint32_t& at = work_of[frame.module];
    if (at == 0) {
      works.push_back({.module = frame.module, .image = image});
      at = static_cast<std::uint32_t>(works.size());
    }
    works[at - 1].addresses.push_back(frame.address);
  }
  for (Work& work : works) {
    std::ranges::sort(work.addresses);
    const auto repeated = std::ranges::unique(work.addresses);
    work.addresses.erase(repeated.begin(), repeated.end());
  }
  // Largest first, so that no worker starts on it when the others are done.
  std::ranges::stable_sort(works, std::ranges::greater{}, [](const Work& work) {
    return work.addresses.size();
  });
  return works;
}

class Resolver {
 public:
  Resolver(Images& images, DebugFiles& files, const CodeLocations& code,
           const ReadOptions& options)
      : images_(images), files_(files), code_(code), options_(options) {
    if (options.symbols.use_cache)
      cache_.emplace(SymbolCache::default_folder());
  }

  void resolve(Work& work) {
    const KeptModule* kept = images_.kept(work.image);
    if (kept != nullptr) {
      work.kept = &kept->names;
      work.why_no_names = kept->why_no_names;
      work.prefers_kept = !prefers_files(*kept);
      if (work.prefers_kept && has_all(*kept, work.addresses) &&
          (kept->is_complete() || still_lacks_names(*kept, work.image)))
        return;
    }
    ModuleSymbols symbols(files_, images_.file(work.image),
                          {images_.elf(work.image), images_.state(work.image)},
                          {.inlines = options_.symbols.inlines,
                           .kernel_start = code_.kernel_starts[work.module],
                           .workers = worker_count(options_.threads),
                           .cache = cache_ ? &*cache_ : nullptr});
    symbols.resolve(work.addresses);
    symbols.save();
    work.why_no_names = symbols.why_no_names();
    work.found = std::move(symbols).take_resolved();
  }

 private:
  // Whether files come first: the recording has not got everything, or the user
  // names other sources.
  bool prefers_files(const KeptModule& kept) const {
    const SymbolOptions& symbols = options_.symbols;
    const bool is_kernel = kept.file.kind == CodeKind::kKernel ||
                           kept.file.kind == CodeKind::kKernelModule;
    return kept.is_partial || !symbols.symfs.empty() ||
           (symbols.debuginfod && !kept.has_lines) ||
           (is_kernel &&
            (!symbols.vmlinux.empty() || !symbols.kallsyms.empty()));
  }

  static bool has_all(const KeptModule& kept,
                      const std::vector<std::uint64_t>& addresses) {
    return std::ranges::all_of(addresses, [&](std::uint64_t address) {
      return kept.names.find(address) != nullptr;
    });
  }

  // Whether the file lacks symbols as it did when it was recorded; a debug file
  // may have been installed since.
  bool still_lacks_names(const KeptModule& kept, ImageId image) {
    if (kept.file.kind != CodeKind::kFile) return false;
    const auto elf = images_.elf(image);
    return !elf || (kept.why_no_names == NoNames::kStripped &&
                    !files_.debug(*elf, kept.file));
  }

  Images& images_;
  DebugFiles& files_;
  const CodeLocations& code_;
  const ReadOptions& options_;
  std::optional<SymbolCache> cache_;
};

void set_no_names(Profile& profile, ModuleId id, NoNames reason,
                  const std::optional<std::string>& package = {}) {
  Module& module = profile.modules[id];
  const NoNamesText why = describe(reason, package);
  module.no_names = profile.strings.intern(why.text);
  module.no_names_helps = why.helps;
}

// Says why the functions of each module have no names. Files of another root
// belong to no package here.
void set_reasons(Profile& profile, const std::vector<const Work*>& unnamed,
                 bool has_other_root) {
  const auto path_of = [&](const Work* work) {
    return std::string(profile.strings[profile.modules[work->module].path]);
  };
  const PackageFiles packages;
  std::vector<std::string> stripped;
  for (const Work* work : unnamed)
    if (work->why_no_names == NoNames::kStripped)
      stripped.push_back(path_of(work));
  const bool is_known =
      !stripped.empty() && !has_other_root && packages.exist();
  const auto owners = is_known ? packages.owners(stripped)
                               : std::map<std::string, std::string>();
  for (const Work* work : unnamed) {
    const auto owner = owners.find(path_of(work));
    std::optional<std::string> package;
    if (is_known) package = owner == owners.end() ? "" : owner->second;
    set_no_names(profile, work->module, work->why_no_names, package);
  }
}

// Records for every module that has functions without a name why, and notes how
// many samples lack one.
void note_missing_names(Profile& profile, const std::vector<Work>& works,
                        const SymbolOptions& options) {
  Column<ModuleId, bool> unnamed(profile.modules.size());
  Column<ModuleId, bool> generated(profile.modules.size());
  for (const FrameId id : profile.frames.ids())
    if (profile.frames[id].function == StringId::kEmpty)
      unnamed[profile.frames[id].module] = true;
  std::vector<const Work*> without;
  for (const Work& work : works)
    if (unnamed[work.module]) without.push_back(&work);
  set_reasons(profile, without, !options.symfs.empty());
  for (const FrameId id : profile.frames.ids()) {
    const Frame& frame = profile.frames[id];
    if (frame.kind == FrameKind::kJit && frame.function == StringId::kEmpty &&
        frame.module != ModuleId::kUnknown)
      generated[frame.module] = true;
  }
  for (const ModuleId id : generated.ids())
    if (generated[id]) set_no_names(profile, id, NoNames::kGeneratedCode);
  std::uint64_t samples = 0;
  for (std::size_t i = 0; i < profile.samples.size(); ++i) {
    const StackId stack = profile.samples[i].stack;
    if (stack != StackId::kRoot &&
        profile.function(profile.stacks.frame(stack)).empty())
      samples +=
          i < profile.sample_counts.size() ? profile.sample_counts[i] : 1;
  }
  profile.diagnostics.note(Problem::kNoSymbol, samples);
}

}  // namespace

Profile symbolize(Profile profile, const CodeLocations& code, Images& images,
                  DebugFiles& files, const ReadOptions& options) {
  const Timer timer("symbolize");
  std::vector<Work> works = collect(profile, code, images);
  Resolver resolver(images, files, code, options);
  parallel_for(works.size(), worker_count(options.threads),
               [&](std::size_t i) { resolver.resolve(works[i]); });

  Column<ModuleId, const Work*> work_of(profile.modules.size(), nullptr);
  for (const Work& work : works) work_of[work.module] = &work;
  Profile named_profile = replace_frames(
      std::move(profile),
      [&](Profile& target, const Frame& frame, std::vector<Frame>& out) {
        Frame named = frame;
        if (!options.keep_addresses) named.address = 0;
        const Work* work = frame.function == StringId::kEmpty
                               ? work_of[frame.module]
                               : nullptr;
        const auto [names, row] =
            work == nullptr ? Work::Names() : work->names_of(frame.address);
        if (row == nullptr || row->count == 0) {
          if (row != nullptr) named.function_start = row->function_start;
          out.push_back(named);
          return;
        }
        for (const ResolvedFrame& found : names->frames(*row)) {
          named.function = target.strings.intern((*names)[found.function]);
          if (options.symbols.inlines) {
            named.file = target.strings.intern((*names)[found.file]);
            named.line = found.line;
          }
          if (found.inlined) named.kind = FrameKind::kInlined;
          out.push_back(named);
          if (!options.symbols.inlines) break;
        }
      });
  note_missing_names(named_profile, works, options.symbols);
  note_hidden_languages(named_profile);
  named_profile.diagnostics.note(Problem::kSwollenFile, images.refused_files());
  for (const Work& work : works) {
    named_profile.diagnostics.note(Problem::kCutName, work.found.cut_texts());
    named_profile.diagnostics.note(Problem::kCutInlining,
                                   work.found.cut_rows());
  }
  return named_profile;
}

}  // namespace wick
