// SPDX-License-Identifier: Apache-2.0
// Names for Profiles that follow each other, from symbol tables. Most frames of
// one are in the last one, too, and reading the symbols of a large program
// takes a tenth of a second: what was found stays known, within a budget. Lines
// and inlined calls are left to readers, which have build ids and addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/memory_budget.h"
#include "object/debug_files.h"
#include "object/images.h"
#include "object/no_names.h"
#include "object/resolved.h"
#include "object/symbolize.h"
#include "profile/profile.h"

namespace wick {

class LiveNames {
 public:
  // `images` and `files` outlive it. Without `memory`, there is no limit.
  // `lookup_memory` is what symbols may take besides while they are read; those
  // of one file, half of it.
  LiveNames(Images& images, DebugFiles& files,
            std::shared_ptr<MemoryBudget> memory,
            std::uint64_t lookup_memory = kLookupMemory);
  static constexpr std::uint64_t kLookupMemory = std::uint64_t{32} << 20;

  // Names the frames that are only addresses, which they keep.
  Profile name(Profile profile, const CodeLocations& code);

  // How many times symbols were read.
  std::uint64_t lookups() const { return lookups_; }

 private:
  struct Known {
    CodeFile file;
    std::uint64_t kernel_start = 0;
    Resolved names;
    NoNames why_no_names = NoNames::kNotKnown;
    std::uint64_t bytes = 0;
    std::uint64_t used_in = 0;  // the last profile that needed it
    std::uint64_t try_in = 0;   // the next profile to look up anything for
  };
  // After there was no memory for a file.
  static constexpr std::uint64_t kProfilesToWait = 30;

  Known& known(const CodeFile& file, std::uint64_t kernel_start);
  void look_up(Known& known, ImageId image,
               const std::vector<std::uint64_t>& addresses);
  // `is_all`: what was not found has no name.
  bool keep(Known& known, const Resolved& found, std::uint64_t address,
            bool is_all);
  void make_room();

  FoundFile found_again(ImageId image);

  Images& images_;
  DebugFiles& files_;
  // Reads files a second time, so that what unwinding holds of them leaves no
  // less memory for symbols, which are forgotten at once.
  DebugFiles lookup_files_;
  MemoryAccount memory_;
  std::uint64_t room_;
  std::vector<std::unique_ptr<Known>> known_;
  std::uint64_t profiles_ = 0, lookups_ = 0;
};

}  // namespace wick
