// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/sampled_code.h"

#include "perf/session/process_jit.h"

namespace wick {

// As CodeFrames finds them when the recording is read.
void SampledCode::add_user(const Space& space, std::uint32_t pid,
                           std::uint64_t time,
                           std::span<const std::uint64_t> addresses) {
  for (const std::uint64_t address : addresses) {
    const Mapping* mapping = space.find(address);
    if (mapping != nullptr) {
      const CodeFile& file = images_.file(mapping->image);
      if (file.kind != CodeKind::kAnonymous &&
          !ProcessJit::is_jitdump(file.path)) {
        files_.add(mapping->image, mapping->file_off_of(address));
        continue;
      }
    }
    jits_.add(pid, address, time);
  }
}

void SampledCode::add_kernel(SideBand& side_band,
                             std::span<const std::uint64_t> addresses) {
  for (const std::uint64_t address : addresses) {
    const Mapping* mapping = side_band.kernel().map.find(address);
    const ImageId image =
        mapping == nullptr ? side_band.kernel_image() : mapping->image;
    const CodeKind kind = images_.file(image).kind;
    if (kind == CodeKind::kAnonymous) continue;  // BPF: named by records
    const std::uint64_t start = kind == CodeKind::kKernelModule
                                    ? mapping->start
                                    : side_band.kernel_start();
    files_.add(image, address - start, start);
  }
}

}  // namespace wick
