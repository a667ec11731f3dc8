// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/frame_sections.h"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <string_view>

#include "object/elf/elf_file.h"

namespace wick {
namespace {

std::uint64_t section_address(const ElfFile& file, std::string_view name) {
  const ElfFile::Section* section = file.section(name);
  return section == nullptr ? 0 : section->address;
}

CfiSection describe(const ElfFile& file, bool eh) {
  const ElfFile* memory = &file;
  return {.eh = eh,
          .swap = file.is_little_endian() !=
                  (std::endian::native == std::endian::little),
          .address_size = file.is_64() ? 8 : 4,
          .text_address = section_address(file, ".text"),
          .data_address = section_address(file, ".got"),
          .tracked = traits_of(file.machine()).unwinding.tracked,
          .memory = [memory](std::uint64_t address, std::uint64_t size) {
            return memory->bytes_at(address, size);
          }};
}

struct Place {
  std::string_view bytes;
  std::uint64_t address = 0;
};

Place find_header(const ElfFile& file) {
  if (const ElfFile::Section* section = file.section(".eh_frame_hdr"))
    if (const std::string_view bytes = file.bytes(*section); !bytes.empty())
      return {bytes, section->address};
  for (const ElfFile::Segment& segment : file.segments())
    if (segment.type == PT_GNU_EH_FRAME)
      return {file.bytes_at(segment.address, segment.memory_size),
              segment.address};
  return {};
}

// While the index is sorted, there are two and the order.
std::uint64_t most_functions(const ElfFile& file) {
  return file.memory().available() / (2 * kFrameIndexBytes + 4);
}

}  // namespace

std::uint64_t lowest_code_address(const ElfFile& file) {
  std::uint64_t base = ~std::uint64_t{0};
  for (const ElfFile::Segment& segment : file.segments())
    if (segment.type == PT_LOAD && (segment.flags & PF_X) != 0)
      base = std::min(base, segment.address);
  if (base != ~std::uint64_t{0}) return base;
  for (const ElfFile::Section& section : file.sections())
    if ((section.flags & SHF_EXECINSTR) != 0)
      base = std::min(base, section.address);
  return base == ~std::uint64_t{0} ? 0 : base;
}

CfiFunctions functions_of_eh_frame(const ElfFile& file, std::uint64_t base) {
  CfiFunctions result;
  CfiSection& cfi = result.cfi;
  cfi = describe(file, true);
  const Place header = find_header(file);
  if (const ElfFile::Section* section = file.section(".eh_frame")) {
    cfi.bytes = file.bytes(*section);
    cfi.address = section->address;
  }
  if (cfi.bytes.empty() && !header.bytes.empty()) {
    cfi.address = eh_frame_address(header.bytes, header.address, cfi);
    // Up to the end of its segment: the header does not have its length.
    if (cfi.address != 0)
      cfi.bytes = file.bytes_at(cfi.address, std::uint64_t{1} << 32);
  }
  result.index = index_from_header(header.bytes, header.address, cfi, base);
  if (result.index.starts.empty())
    result.index = index_from_section(cfi, base, most_functions(file));
  return result;
}

CfiFunctions functions_of_debug_frame(const ElfFile& file, std::uint64_t base) {
  CfiFunctions result;
  result.cfi = describe(file, false);
  result.cfi.bytes = file.bytes(".debug_frame");
  result.index = index_from_section(result.cfi, base, most_functions(file));
  return result;
}

}  // namespace wick
