// SPDX-License-Identifier: Apache-2.0
#include "object/symbolize.h"

#include <algorithm>

#include "base/metrics.h"
#include "base/parallel.h"
#include "object/module_symbols.h"
#include "object/symbol_cache.h"
#include "profile/transform.h"

namespace wick {
namespace {

// The addresses of one module, and what was found of them.
struct Work {
  ModuleId module;
  ImageId image;
  std::vector<std::uint64_t> addresses;  // ascending, distinct
  Resolved resolved;
  std::string why_no_names;
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
  // The largest first, so that no worker is left with it at the end.
  std::ranges::stable_sort(works, std::ranges::greater{}, [](const Work& work) {
    return work.addresses.size();
  });
  return works;
}

class Resolver {
 public:
  Resolver(Images& images, DebugFiles& files, const CodeLocations& code,
           const ReadOptions& options)
      : images_(images),
        files_(files),
        code_(code),
        options_(options),
        cache_(options.symbols.use_cache ? SymbolCache::default_folder() : "") {
  }

  void resolve(Work& work) {
    ModuleSymbols symbols(images_, files_, work.image, options_.symbols);
    const std::string& build_id = symbols.build_id();
    const std::string sources = symbols.sources();
    auto cached = cache_.load(build_id, sources);
    std::vector<std::uint64_t> missing;
    if (cached) {
      std::ranges::copy_if(work.addresses, std::back_inserter(missing),
                           [&](std::uint64_t address) {
                             return cached->find(address) == nullptr;
                           });
      work.resolved = std::move(*cached);
    } else {
      missing = work.addresses;
    }
    if (!missing.empty()) {
      symbols.resolve(missing, code_.kernel_starts[work.module],
                      worker_count(options_.threads), work.resolved);
      work.resolved.sort();
    }
    work.why_no_names = symbols.why_no_names();
    if (!missing.empty()) cache_.store(build_id, sources, work.resolved);
  }

 private:
  Images& images_;
  DebugFiles& files_;
  const CodeLocations& code_;
  const ReadOptions& options_;
  SymbolCache cache_;
};

// Says of every module with functions that have no name why that is, and of how
// many samples that matters.
void note_missing_names(Profile& profile, const std::vector<Work>& works) {
  Column<ModuleId, bool> unnamed(profile.modules.size());
  for (const FrameId id : profile.frames.ids())
    if (profile.frames[id].function == StringId::kEmpty)
      unnamed[profile.frames[id].module] = true;
  for (const Work& work : works)
    if (unnamed[work.module])
      profile.modules[work.module].no_names =
          profile.strings.intern(work.why_no_names);
  const StringId compiled = profile.strings.intern(
      "code that was made while the program ran; let it write a perf map or a "
      "jitdump (node --perf-basic-prof, java -XX:+DumpPerfMapAtExit)");
  for (const FrameId id : profile.frames.ids()) {
    const Frame& frame = profile.frames[id];
    if (frame.kind == FrameKind::kJit && frame.function == StringId::kEmpty &&
        frame.module != ModuleId::kUnknown)
      profile.modules[frame.module].no_names = compiled;
  }
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
        const Resolved::Row* row =
            work == nullptr ? nullptr : work->resolved.find(frame.address);
        if (row == nullptr || row->count == 0) {
          out.push_back(named);
          return;
        }
        for (const ResolvedFrame& found : work->resolved.frames(*row)) {
          named.function =
              target.strings.intern(work->resolved[found.function]);
          named.file = target.strings.intern(work->resolved[found.file]);
          named.line = found.line;
          if (found.inlined) named.kind = FrameKind::kInlined;
          out.push_back(named);
        }
      });
  note_missing_names(named_profile, works);
  return named_profile;
}

}  // namespace wick
