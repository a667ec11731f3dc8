// SPDX-License-Identifier: Apache-2.0
// ELF files: header fields, and the contents of sections by what they are.
#include <elf.h>

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "io/compress.h"
#include "mutators/mutation.h"

namespace wick {
namespace {

using namespace std::literals;

struct Field {
  std::size_t at = 0, size = 0;
};

// Where fields are, in the order of <elf.h>.
using Header = std::array<Field, 13>;
constexpr Header kHeader32 = {{{16, 2},
                               {18, 2},
                               {20, 4},
                               {24, 4},
                               {28, 4},
                               {32, 4},
                               {36, 4},
                               {40, 2},
                               {42, 2},
                               {44, 2},
                               {46, 2},
                               {48, 2},
                               {50, 2}}};
constexpr Header kHeader64 = {{{16, 2},
                               {18, 2},
                               {20, 4},
                               {24, 8},
                               {32, 8},
                               {40, 8},
                               {48, 4},
                               {52, 2},
                               {54, 2},
                               {56, 2},
                               {58, 2},
                               {60, 2},
                               {62, 2}}};
enum HeaderField {
  kSegmentsAt = 4,
  kSectionsAt = 5,
  kSegmentCount = 9,
  kSectionCount = 11,
  kNameSection = 12
};

using SectionHeader = std::array<Field, 10>;
constexpr SectionHeader kSection32 = {{{0, 4},
                                       {4, 4},
                                       {8, 4},
                                       {12, 4},
                                       {16, 4},
                                       {20, 4},
                                       {24, 4},
                                       {28, 4},
                                       {32, 4},
                                       {36, 4}}};
constexpr SectionHeader kSection64 = {{{0, 4},
                                       {4, 4},
                                       {8, 8},
                                       {16, 8},
                                       {24, 8},
                                       {32, 8},
                                       {40, 4},
                                       {44, 4},
                                       {48, 8},
                                       {56, 8}}};
enum SectionField {
  kName,
  kType,
  kFlags,
  kOffset = 4,
  kSize,
  kLink,
  kEntrySize = 9
};

using SegmentHeader = std::array<Field, 7>;
constexpr SegmentHeader kSegment32 = {
    {{0, 4}, {4, 4}, {8, 4}, {16, 4}, {20, 4}, {24, 4}, {28, 4}}};
constexpr SegmentHeader kSegment64 = {
    {{0, 4}, {8, 8}, {16, 8}, {32, 8}, {40, 8}, {4, 4}, {48, 8}}};

// Pieces that mean something in the sections whose names begin so.
struct Pieces {
  std::string_view section;
  std::vector<std::string_view> pieces;
};
const Pieces kPieces[] = {
    {".debug_line",
     {"\0\x09\x02\0\x10\0\0\0\0\0\0"sv, "\0\x01\x01"sv, "\x02\x7f"sv,
      "\x03\x7f"sv, "\x08\x01"sv, "\x09\xff\xff"sv, "\x04\x02\x01"sv,
      "\0\x02\x04\x05"sv, "\0\x06\x03x\0\0\0\0"sv, "\x13\x14\x15"sv}},
    {".debug_abbrev",
     {"\x02\x2e\x01\x03\x08\x11\x01\x12\x06\0\0"sv,
      "\x03\x1d\x01\x31\x13\x55\x17\x58\x0b\x59\x0b\0\0"sv,
      "\x04\x34\0\x31\x10\0\0"sv,
      "\x55\x17"sv,
      "\x55\x23"sv,
      "\x47\x13"sv,
      "\x31\x10"sv,
      "\x10\x17"sv,
      "\x74\x17"sv,
      "\x73\x17"sv,
      "\x03\x25"sv,
      "\x03\x1a"sv,
      "\x11\x1b"sv,
      "\x49\x20"sv,
      "\x03\x21"sv,
      "\x76\x08\xb2\x42\x0b"sv,
      "\x3a\x21\x01"sv,
      "\0"sv,
      "\x0c"sv,
      "\x16"sv,
      "\x1e"sv,
      "\x1f"sv}},
    {".debug_info",
     {"\0"sv, "\x01"sv, "\x02"sv, "\x03"sv, "\x05\0\x01\x08"sv,
      "\x05\0\x04\x08"sv, "\x05\0\x05\x08"sv, "\x04\0"sv,
      "\xff\xff\xff\xff"sv}},
    {".debug_r",
     {"\x01\0\x01"sv, "\x02\0\x01"sv, "\x03\0\x10"sv, "\x04\0\x10"sv,
      "\x05\0\x10\0\0\0\0\0\0"sv, "\x07\0\x10\0\0\0\0\0\0\x10"sv,
      "\xff\xff\xff\xff\xff\xff\xff\xff\0\x10\0\0\0\0\0\0"sv, "\0"sv}},
    {".eh_frame",
     {"\x0c\x07\x08"sv, "\x0e\x10"sv, "\x41"sv, "\x86\x02"sv, "\x0a"sv,
      "\x0b"sv, "\x0f\x03\x77\x08\x06"sv, "\x10\x06\x02\x77\0"sv,
      "\x01\0\x10\0\0"sv, "\x02\x10"sv, "\x04\0\x01\0\0"sv, "\x2e\x10"sv,
      "\xc6"sv, "zPLR\0"sv, "zR\0\x01\x78\x10\x01\x1b"sv, "\x12\x07\x7f"sv,
      "\x05\x06\x02"sv, "\x09\x06\x07"sv}},
};

std::span<const std::string_view> pieces_of(std::string_view section) {
  if (section.starts_with(".debug_frame")) section = ".eh_frame";
  for (const Pieces& row : kPieces)
    if (section.starts_with(row.section)) return row.pieces;
  return {};
}

class ElfImage {
 public:
  ElfImage(std::string& bytes, Mutation& mutation)
      : bytes_(bytes),
        mutation_(mutation),
        is_64_(bytes[EI_CLASS] == ELFCLASS64),
        swap_(bytes[EI_DATA] == ELFDATA2MSB) {}

  void change() {
    switch (mutation_.below(8)) {
      case 0:
        return change_header();
      case 1:
        return change_segment();
      case 2:
        return change_section_header();
      default:
        return change_contents();
    }
  }

 private:
  const Header& header() const { return is_64_ ? kHeader64 : kHeader32; }
  std::uint64_t get(const Field& field, std::size_t base = 0) const {
    return integer_at(bytes_, base + field.at, field.size, swap_);
  }
  void put(const Field& field, std::uint64_t value, std::size_t base = 0) {
    put_integer(bytes_, base + field.at, field.size, value, swap_);
  }

  // Where the header of a section is, and its fields.
  std::size_t section_count() const {
    const std::size_t whole = is_64_ ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    return std::min<std::size_t>(get(header()[kSectionCount]),
                                 bytes_.size() / whole);
  }
  std::size_t section_at(std::size_t index) const {
    const std::size_t whole = is_64_ ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    return get(header()[kSectionsAt]) + index * whole;
  }
  const SectionHeader& fields() const {
    return is_64_ ? kSection64 : kSection32;
  }
  std::uint64_t get_section(std::size_t index, std::size_t field) const {
    return get(fields()[field], section_at(index));
  }
  void put_section(std::size_t index, std::size_t field, std::uint64_t value) {
    put(fields()[field], value, section_at(index));
  }

  std::string name_of(std::size_t section) const;
  void change_header();
  void change_segment();
  void change_section_header();
  void change_contents();
  void compress(std::size_t section, std::string& contents);
  void change(std::string& contents, std::size_t section);
  void replace(std::size_t section, const std::string& contents);

  std::string& bytes_;
  Mutation& mutation_;
  bool is_64_, swap_;
};

std::string ElfImage::name_of(std::size_t section) const {
  const std::uint64_t at = get_section(get(header()[kNameSection]), kOffset) +
                           get_section(section, kName);
  if (at >= bytes_.size()) return "";
  return bytes_.substr(at, bytes_.find('\0', at) - at);
}

void ElfImage::change_header() {
  const Field& field = header()[mutation_.below(header().size())];
  put(field,
      mutation_.odd_number(mutation_.one_in(2) ? get(field) : bytes_.size()));
}

void ElfImage::change_segment() {
  const SegmentHeader& fields = is_64_ ? kSegment64 : kSegment32;
  const std::size_t size = is_64_ ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
  const std::size_t base = get(header()[kSegmentsAt]) +
                           size * mutation_.below(get(header()[kSegmentCount]));
  const Field& field = fields[mutation_.below(fields.size())];
  constexpr std::array<std::uint64_t, 4> kTypes = {PT_LOAD, PT_DYNAMIC, PT_NOTE,
                                                   PT_GNU_EH_FRAME};
  if (mutation_.one_in(4))
    put(fields[0], mutation_.one_of(std::span<const std::uint64_t>(kTypes)),
        base);
  else
    put(field, mutation_.odd_number(get(field, base)), base);
}

// A section that overlaps another, has another's type or refers to another.
void ElfImage::change_section_header() {
  const std::size_t count = section_count();
  if (count == 0) return mutation_.change_bytes(bytes_);
  const std::size_t at = mutation_.below(count), other = mutation_.below(count);
  const std::size_t field = mutation_.below(fields().size());
  constexpr std::array<std::uint64_t, 10> kTypes = {
      SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_RELA,   SHT_DYNAMIC,
      SHT_NOTE,     SHT_NOBITS, SHT_REL,    SHT_DYNSYM, SHT_GROUP};
  switch (mutation_.below(5)) {
    case 0:
      return put_section(at, field, get_section(other, field));
    case 1:
      return put_section(
          at, kType, mutation_.one_of(std::span<const std::uint64_t>(kTypes)));
    case 2:
      return put_section(at, kLink, other);
    case 3:
      put_section(at, kOffset, get_section(other, kOffset));
      return put_section(at, kSize, get_section(other, kSize));
    default:
      return put_section(at, field,
                         mutation_.odd_number(get_section(at, field)));
  }
}

void ElfImage::change_contents() {
  const std::size_t count = section_count();
  if (count == 0) return mutation_.change_bytes(bytes_);
  const std::size_t section = mutation_.below(count);
  const std::uint64_t offset = get_section(section, kOffset),
                      size = get_section(section, kSize);
  if (offset > bytes_.size() || size > bytes_.size() - offset) return;
  std::string contents = bytes_.substr(offset, size);
  if (mutation_.one_in(30))
    compress(section, contents);
  else
    change(contents, section);
  replace(section, contents);
}

void ElfImage::compress(std::size_t section, std::string& contents) {
  std::string packed(is_64_ ? 24 : 12, '\0');
  put_integer(packed, 0, 4, 2, swap_);  // ELFCOMPRESS_ZSTD
  put_integer(packed, is_64_ ? 8 : 4, is_64_ ? 8 : 4, contents.size(), swap_);
  contents = packed + zstd_compress(contents);
  put_section(section, kFlags, get_section(section, kFlags) | SHF_COMPRESSED);
}

void ElfImage::change(std::string& contents, std::size_t section) {
  const std::string name = name_of(section);
  const std::span<const std::string_view> pieces = pieces_of(name);
  std::string leb;
  append_varint(leb, mutation_.odd_number(mutation_.below(256)));
  const std::string_view piece = pieces.empty() || mutation_.one_in(4)
                                     ? std::string_view(leb)
                                     : mutation_.one_of(pieces);
  std::vector<std::string> parts;
  switch (get_section(section, kType)) {
    case SHT_SYMTAB:
    case SHT_DYNSYM:
    case SHT_RELA:
    case SHT_REL:
    case SHT_DYNAMIC:
      parts = split_every(contents, get_section(section, kEntrySize));
      break;
    case SHT_STRTAB:
      parts = split_after(contents, '\0');
      break;
    case SHT_NOTE:
      parts = split_every(contents, 4);
      break;
    default:
      if (name == ".debug_abbrev") {
        mutation_.put_somewhere(contents, piece);
        return;
      }
      if (name.starts_with(".debug_") || name == ".eh_frame")
        return mutate_records(contents, {.header_size = 4, .swap = swap_},
                              mutation_, piece);
      return mutation_.change_bytes(contents);
  }
  if (parts.empty()) return;
  std::string& part = parts[mutation_.below(parts.size())];
  if (mutation_.one_in(2)) {
    mutation_.rearrange(parts);
  } else {
    const std::size_t size = std::size_t{1} << mutation_.below(4);
    mutation_.change_integer(part, size * mutation_.below(part.size() / size),
                             size, swap_);
  }
  contents = join(parts);
}

// Whatever is after the section moves, and the headers say so; every other
// time when the size changes, they do not.
void ElfImage::replace(std::size_t section, const std::string& contents) {
  const std::uint64_t offset = get_section(section, kOffset),
                      size = get_section(section, kSize);
  if (contents.size() != size && mutation_.one_in(2)) {
    bytes_.replace(offset, std::min(size, contents.size()),
                   contents.substr(0, size));
    return;
  }
  const std::uint64_t end = offset + size, grown = contents.size() - size;
  bytes_.replace(offset, size, contents);
  for (const std::size_t field : {kSegmentsAt, kSectionsAt})
    if (get(header()[field]) >= end)
      put(header()[field], get(header()[field]) + grown);
  for (std::size_t i = 0; i < section_count(); ++i)
    if (i != section && get_section(i, kOffset) >= end)
      put_section(i, kOffset, get_section(i, kOffset) + grown);
  put_section(section, kSize, contents.size());
}

}  // namespace

void mutate_elf(std::string& bytes, Mutation& mutation) {
  if (bytes.size() < sizeof(Elf64_Ehdr)) return mutation.change_bytes(bytes);
  ElfImage(bytes, mutation).change();
}

// See object/unwind/unwind_fuzz.cc.
void mutate_unwind_input(std::string& bytes, Mutation& mutation) {
  constexpr std::size_t kFixed = 21;
  if (bytes.size() < kFixed) return mutation.change_bytes(bytes);
  if (mutation.one_in(6)) {
    std::string head = bytes.substr(0, kFixed);
    mutation.change_integer(head, mutation.below(kFixed), 1, false);
    bytes.replace(0, kFixed, head);
    return;
  }
  const std::size_t frames_at =
      std::min(bytes.size(), kFixed + integer_at(bytes, 1, 2, false) +
                                 integer_at(bytes, 3, 2, false));
  std::string frames = bytes.substr(frames_at);
  const bool swap = (integer_at(bytes, 0, 1, false) & 8) != 0;
  mutate_records(frames, {.header_size = 4, .swap = swap}, mutation,
                 mutation.one_of(pieces_of(".eh_frame")));
  bytes.replace(frames_at, bytes.npos, frames);
}

}  // namespace wick
