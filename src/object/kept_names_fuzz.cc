// SPDX-License-Identifier: Apache-2.0
// Reads bytes as the names of a recording, once as they are in a file and once
// as they are before compression, which mutations rarely get past. What was
// read is the same after it is written and read again.
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/fuzz_target.h"
#include "io/compress.h"
#include "object/kept_names.h"

namespace wick {
namespace {

void read_again(std::string_view bytes) {
  const auto names = KeptNames::decode(bytes);
  if (!names) return;
  for (const KeptModule& module : names->modules()) {
    if (names->module(module.file) != &module) std::abort();
    module.elf_addr(0x1000);
    for (const Resolved::Row& row : module.names.rows())
      for (const ResolvedFrame& frame : module.names.frames(row))
        if (module.names[frame.function].size() > bytes.size() * 1000)
          std::abort();
  }
  const std::string once = names->encode();
  const auto again = KeptNames::decode(once);
  if (!again || again->encode() != once) std::abort();
}

void read_names(std::string_view bytes) {
  read_again(bytes);
  std::string packed;
  append_varint(packed, bytes.size());
  packed += zstd_compress(bytes, 1);
  std::string section = "wicknam1";
  append_varint(section, crc32(packed));
  read_again(section + packed);
}

}  // namespace

extern const FuzzTarget kept_names_fuzz = {.name = "kept-names",
                                           .run = read_names};

}  // namespace wick
