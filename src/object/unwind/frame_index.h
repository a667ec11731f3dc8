// SPDX-License-Identifier: Apache-2.0
// Which functions a section of call frame information covers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "object/unwind/cfi.h"

namespace wick {

// Functions by start, each start once, with the offsets of their FDEs. An index
// from .eh_frame_hdr has not been checked against the section.
struct FrameIndex {
  std::vector<std::uint32_t> starts;  // relative to the base address
  std::vector<std::uint32_t> offsets;
  std::uint64_t damaged = 0;
};

// .eh_frame_hdr's own sorted table; empty if it has none or an invalid one.
FrameIndex index_from_header(std::string_view header, std::uint64_t address,
                             const CfiSection& section, std::uint64_t base);

// All FDEs of the section, which is read completely. Empty if there are more
// than `most`.
FrameIndex index_from_section(const CfiSection& section, std::uint64_t base,
                              std::uint64_t most);

// Where .eh_frame is, for files without sections; 0 if the header does not say.
std::uint64_t eh_frame_address(std::string_view header, std::uint64_t address,
                               const CfiSection& like);

}  // namespace wick
