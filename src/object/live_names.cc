// SPDX-License-Identifier: Apache-2.0
#include "object/live_names.h"

#include <algorithm>
#include <utility>

#include "base/metrics.h"
#include "object/module_symbols.h"
#include "transform/transform.h"

namespace wick {
namespace {

// What a row takes, with its frame, its place in the index and room to grow.
constexpr std::uint64_t kRowBytes =
    2 * (sizeof(Resolved::Row) + sizeof(ResolvedFrame) + 16);
// A name, beside its bytes.
constexpr std::uint64_t kNameBytes = sizeof(std::string) + 2 * 8;

}  // namespace

LiveNames::LiveNames(Images& images, DebugFiles& files,
                     std::shared_ptr<MemoryBudget> memory,
                     std::uint64_t lookup_memory)
    : images_(images),
      files_(files),
      lookup_files_({.memory = std::make_shared<MemoryBudget>(lookup_memory)}),
      memory_(memory, MemoryBudget::kNoLimit),
      room_(memory ? memory->limit() : MemoryBudget::kNoLimit) {}

// There are a few hundred files at most, and only those of one profile are
// looked for.
LiveNames::Known& LiveNames::known(const CodeFile& file,
                                   std::uint64_t kernel_start) {
  const auto found = std::ranges::find_if(known_, [&](const auto& known) {
    return known->kernel_start == kernel_start &&
           is_same_file(known->file, file);
  });
  if (found != known_.end()) return **found;
  known_.push_back(std::make_unique<Known>());
  known_.back()->file = file;
  known_.back()->kernel_start = kernel_start;
  return *known_.back();
}

FoundFile LiveNames::found_again(ImageId image) {
  const std::shared_ptr<const ElfFile> elf = images_.elf(image);
  if (!elf) return {nullptr, images_.state(image)};
  return lookup_files_.binary(images_.file(image), elf->handle(), elf->name());
}

// Ascending `addresses`, of which nothing is known.
void LiveNames::look_up(Known& known, ImageId image,
                        const std::vector<std::uint64_t>& addresses) {
  ++lookups_;
  const CodeFile& file = images_.file(image);
  // The list of the kernel's functions is shared.
  const bool is_file = file.kind == CodeKind::kFile;
  ModuleSymbols symbols(
      is_file ? lookup_files_ : files_, file,
      is_file ? found_again(image)
              : FoundFile{images_.elf(image), images_.state(image)},
      {.inlines = false, .kernel_start = known.kernel_start});
  const Resolved& found = symbols.resolve(addresses);
  known.why_no_names = symbols.why_no_names();
  const bool is_all = !symbols.lacked_memory();
  if (!is_all) known.try_in = profiles_ + kProfilesToWait;
  for (const std::uint64_t address : addresses)
    if (!keep(known, found, address, is_all)) return;
}

// False if there is no memory for it.
bool LiveNames::keep(Known& known, const Resolved& found, std::uint64_t address,
                     bool is_all) {
  const Resolved::Row* row = found.find(address);
  std::string_view name;
  if (row != nullptr && row->count > 0)
    name = found[found.frames(*row).front().function];
  if (name.empty() && !is_all) return true;
  const std::uint64_t bytes = kRowBytes + kNameBytes + name.size();
  if (!memory_.take(bytes)) return false;
  known.bytes += bytes;
  const ResolvedFrame frame{.function = known.names.text(name)};
  known.names.add(address, std::span(&frame, name.empty() ? std::size_t{0} : 1),
                  row == nullptr ? 0 : row->function_start);
  return true;
}

// The names of files that have not been needed for longest go first, and all of
// them if that is not enough.
void LiveNames::make_room() {
  std::ranges::sort(known_, std::ranges::less{},
                    [](const auto& known) { return known->used_in; });
  while (!known_.empty() && memory_.used() > room_ / 4 * 3) {
    memory_.give_back(known_.front()->bytes);
    known_.erase(known_.begin());
  }
}

Profile LiveNames::name(Profile profile, const CodeLocations& code) {
  const Timer timer("names");
  ++profiles_;
  if (memory_.used() > room_ / 16 * 15) make_room();
  Column<ModuleId, Known*> names(profile.modules.size(), nullptr);
  Column<ModuleId, std::vector<std::uint64_t>> missing(profile.modules.size());
  for (const FrameId id : profile.frames.ids()) {
    const Frame& frame = profile.frames[id];
    const ImageId image = code.images[frame.module];
    if (frame.function != StringId::kEmpty || image == ImageId::kNone ||
        images_.file(image).kind == CodeKind::kAnonymous)
      continue;
    Known*& module = names[frame.module];
    if (module == nullptr)
      module = &known(images_.file(image), code.kernel_starts[frame.module]);
    module->used_in = profiles_;
    if (module->names.find(frame.address) == nullptr)
      missing[frame.module].push_back(frame.address);
  }
  for (const ModuleId id : missing.ids()) {
    std::vector<std::uint64_t>& addresses = missing[id];
    if (addresses.empty() || names[id]->try_in > profiles_) continue;
    std::ranges::sort(addresses);
    const auto repeated = std::ranges::unique(addresses);
    addresses.erase(repeated.begin(), repeated.end());
    look_up(*names[id], code.images[id], addresses);
  }

  return replace_frames(std::move(profile), [&](Profile& target,
                                                const Frame& frame,
                                                std::vector<Frame>& out) {
    out.push_back(frame);
    Known* module = names[frame.module];
    if (frame.function != StringId::kEmpty || module == nullptr) return;
    const Resolved::Row* row = module->names.find(frame.address);
    if (row == nullptr || row->count == 0) {
      out.back().function_start = row == nullptr ? 0 : row->function_start;
      target.modules[frame.module].no_names =
          target.strings.intern(describe(module->why_no_names).text);
      return;
    }
    const ResolvedFrame& found = module->names.frames(*row).front();
    out.back().function = target.strings.intern(module->names[found.function]);
  });
}

}  // namespace wick
