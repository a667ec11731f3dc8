// SPDX-License-Identifier: Apache-2.0
// DWARF in an ELF file that may be damaged anywhere.
#include "base/fuzz_target.h"
#include "object/dwarf/debug_info.h"
#include "object/dwarf/top_functions.h"

namespace wick {
namespace {

void fuzz_debug_info(std::string_view bytes) {
  auto elf = ElfFile::from_memory("input", std::string(bytes));
  // The file is also the one that it refers to.
  DebugInfo info({.main = elf, .alternate = elf, .open_dwo = [&](auto, auto) {
                    return elf;
                  }});
  std::vector<std::uint64_t> addresses;
  // An object file's code begins at 0.
  for (std::uint64_t i = 0; i < 8; ++i) addresses.push_back(8 * i);
  for (std::uint64_t i = 0; i < 64; ++i) addresses.push_back(0x1000 + 8 * i);
  addresses.push_back(UINT64_MAX);
  std::size_t told = 0, length = 0;
  const auto found = [&](std::size_t, std::span<const SourceFrame> frames) {
    ++told;
    for (const SourceFrame& frame : frames)
      length +=
          std::string(frame.function).size() + std::string(frame.file).size();
  };
  info.resolve(addresses, 1, found);
  if (told != addresses.size()) __builtin_trap();
  info.resolve({}, 1, found);
  for (const TopFunction& function : top_functions(elf, 1))
    if (std::string(function.name).empty()) __builtin_trap();
}

}  // namespace

extern const FuzzTarget dwarf_fuzz = {.name = "dwarf", .run = fuzz_debug_info};

}  // namespace wick
