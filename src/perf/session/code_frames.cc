// SPDX-License-Identifier: Apache-2.0
#include "perf/session/code_frames.h"

#include <string>

#include "profile/wasm_names.h"

namespace wick {

ModuleId CodeFrames::module_of(ImageId image, std::uint64_t kernel_start) {
  if (index(image) >= modules_.size())
    modules_.resize(images_.size(), ModuleId::kUnknown);
  ModuleId& module = modules_[index(image)];
  if (module != ModuleId::kUnknown) return module;
  const CodeFile& file = images_.file(image);
  module = profile_.modules.push_back(
      {.path = profile_.strings.intern(file.path),
       .build_id = profile_.strings.intern(
           file.kind == CodeKind::kAnonymous ? "" : file.build_id)});
  locations_.images.resize(profile_.modules.size(), ImageId::kNone);
  locations_.images[module] = image;
  locations_.kernel_starts.resize(profile_.modules.size());
  locations_.kernel_starts[module] = kernel_start;
  return module;
}

FrameId CodeFrames::user_frame(Space& space, std::uint64_t address,
                               std::uint32_t pid, std::uint64_t time) {
  const auto make = [&] { return make_user_frame(space, address, pid, time); };
  // The function that a jitdump has at an address changes with time.
  return has_jitdump(space) ? make() : space.cache.frame(address, make);
}

FrameId CodeFrames::make_user_frame(Space& space, std::uint64_t address,
                                    std::uint32_t pid, std::uint64_t time) {
  Frame frame{.address = address};
  const Mapping* mapping = space.find(address);
  if (mapping != nullptr && has_file(mapping->image)) {
    frame.module = module_of(mapping->image);
    frame.address =
        images_.elf_addr(mapping->image, mapping->file_off_of(address));
    return profile_.frames.intern(frame);
  }
  if (const auto found = space.jit.find(pid, address, time, jit_)) {
    frame.kind = generated_kind(found->function.name);
    frame.module = profile_.module_id(found->file);
    frame.function = profile_.strings.intern(found->function.name);
    if (!keep_addresses_) frame.address = 0;
    if (const auto line = found->map->line(found->function, address)) {
      frame.file = profile_.strings.intern(line->file);
      frame.line = line->line;
    }
  } else if (mapping != nullptr) {
    frame.kind = FrameKind::kJit;
    frame.module = module_of(mapping->image);
  }
  return profile_.frames.intern(frame);
}

// A jitdump is mapped only to announce it; its code runs elsewhere.
bool CodeFrames::has_file(ImageId image) const {
  const CodeFile& file = images_.file(image);
  return file.kind != CodeKind::kAnonymous &&
         !ProcessJit::is_jitdump(file.path);
}

FrameId CodeFrames::kernel_frame(std::uint64_t address) {
  return side_band_.kernel().cache.frame(
      address, [&] { return make_kernel_frame(address); });
}

FrameId CodeFrames::make_kernel_frame(std::uint64_t address) {
  const Mapping* mapping = side_band_.kernel().map.find(address);
  ImageId image;
  std::uint64_t start = side_band_.kernel_start();
  if (mapping != nullptr) {
    image = mapping->image;
    if (images_.file(image).kind != CodeKind::kKernel) start = mapping->start;
  } else {
    image = side_band_.kernel_image();
  }
  Frame frame{.module = module_of(image, start),
              .address = address - start,
              .kind = FrameKind::kKernel};
  const CodeFile& file = images_.file(image);
  if (file.path == SideBand::kBpfPath)
    frame.function = profile_.strings.intern(file.build_id);
  return profile_.frames.intern(frame);
}

CodeLocations CodeFrames::locations() const {
  CodeLocations locations = locations_;
  locations.images.resize(profile_.modules.size(), ImageId::kNone);
  locations.kernel_starts.resize(profile_.modules.size());
  return locations;
}

}  // namespace wick
