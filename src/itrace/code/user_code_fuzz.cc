// SPDX-License-Identifier: Apache-2.0
// A file that may be a program or a kernel, followed by a trace of 8 bytes per
// instruction. Every result must be a page of the file.
#include <cstdlib>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/fuzz_target.h"
#include "itrace/code/address_spaces.h"
#include "itrace/code/user_files.h"

namespace wick {
namespace {

TraceBlock trace_of(std::string_view bytes) {
  TraceBlock block;
  ByteReader in(bytes);
  const bool has_bits = in.read<std::uint8_t>() % 2 != 0;
  while (in.fits(1, 8)) {
    const auto pc = in.read<std::uint32_t>();
    const auto bits = in.read<std::uint32_t>();
    const auto at = static_cast<std::uint32_t>(block.instructions.size());
    // Some bits of the words change the context.
    if ((bits & 0xff000000) == 0x55000000)
      block.contexts.push_back({.from = at,
                                .privilege = Privilege::kUser,
                                .has_satp = (bits & 1) != 0,
                                .satp = bits >> 1 & 3});
    if ((bits & 0xff000000) == 0xaa000000)
      block.facts.push_back({.from = at,
                             .kind = SideBandFact::Kind::kMapping,
                             .satp = bits & 3,
                             .start = pc & ~0xfffu,
                             .end = (pc & ~0xfffull) + (bits & 0xfff000),
                             .file_off = (bits & 4) << 10,
                             .name = "fuzz"});
    block.instructions.push_back({at, pc});
    if (has_bits) block.bits.push_back(bits);
  }
  return block;
}

void fuzz_user_code(std::string_view bytes) {
  ByteReader in(bytes);
  const auto size = in.read<std::uint16_t>();
  const std::string_view file = in.read_bytes(size);
  const TraceBlock block = trace_of(in.rest());
  TraceInfo info;
  info.pc_bits = 40;
  CodeMap map({}, info);
  try {
    const auto elf = ElfFile::from_memory("fuzz", std::string(file));
    find_vdso(*elf);
    map.add_elf(elf, "fuzz");
  } catch (const Error&) {
    // Without a file, nothing may be found.
  }
  AddressSpaces spaces(map, info);
  std::vector<SpaceChange> changes;
  for (int times = 0; times < 2; ++times) spaces.learn(block, changes);
  for (std::uint32_t i = 0; i <= spaces.space_count(); ++i)
    for (const Retired& at : block.instructions) {
      const auto place = spaces.find(SpaceId{i}, at.pc & ~kTextPageMask);
      if (!place) continue;
      if (index(place->image) == 0 || index(place->image) >= map.image_count())
        std::abort();
    }
}

}  // namespace

extern const FuzzTarget user_code_fuzz = {.name = "user-code",
                                          .run = fuzz_user_code};

}  // namespace wick
