// SPDX-License-Identifier: Apache-2.0
// Addresses → frames of module and address, or of functions of a JIT.
#pragma once

#include <cstdint>
#include <vector>

#include "object/images.h"
#include "object/symbolize.h"
#include "perf/session/side_band.h"
#include "profile/profile.h"

namespace wick {

class CodeFrames {
 public:
  // All references outlive it.
  CodeFrames(Profile& profile, Images& images, SideBand& side_band,
             bool keep_addresses)
      : profile_(profile),
        images_(images),
        side_band_(side_band),
        keep_addresses_(keep_addresses) {
    jit_.kept = images.kept_names();
    jit_.recorded_until = images.recorded_until();
  }

  // What the recording's clock is behind nanoseconds since 1970.
  void set_clock_offset(std::int64_t offset) { jit_.clock_offset = offset; }

  // `pid` and `time` matter for code that was compiled while the program ran.
  FrameId user_frame(Space& space, std::uint64_t address, std::uint32_t pid,
                     std::uint64_t time);
  FrameId kernel_frame(std::uint64_t address);

  // Whether functions of the process change with time.
  bool has_jitdump(Space& space) { return space.jit.has_jitdump(jit_); }
  // Lists of compiled functions that were too large.
  std::uint64_t incomplete_jit_files() const { return jit_.incomplete_files; }

  // Where the code of all modules is, for symbolize().
  CodeLocations locations() const;

 private:
  ModuleId module_of(ImageId image, std::uint64_t kernel_start = 0);
  FrameId make_user_frame(Space& space, std::uint64_t address,
                          std::uint32_t pid, std::uint64_t time);
  FrameId make_kernel_frame(std::uint64_t address);
  bool has_file(ImageId image) const;

  Profile& profile_;
  Images& images_;
  SideBand& side_band_;
  bool keep_addresses_;
  JitReading jit_;
  std::vector<ModuleId> modules_;  // by image; kUnknown: not met yet
  CodeLocations locations_;
};

}  // namespace wick
