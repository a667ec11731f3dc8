// SPDX-License-Identifier: Apache-2.0
#include "builders/elf_builder.h"

#include <algorithm>
#include <bit>

#include "io/compress.h"

namespace wick {
namespace {

// A zlib stream: the deflate stream within the gzip one, with another frame.
std::string zlib(std::string_view bytes) {
  const std::string stream = gzip(bytes);
  std::uint32_t a = 1, b = 0;  // Adler-32
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  std::string out = "\x78\x01" + stream.substr(10, stream.size() - 18);
  const std::uint32_t sum = b << 16 | a;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(sum >> shift);
  return out;
}

void pad(std::string& out, std::size_t alignment) {
  out.resize((out.size() + alignment - 1) / alignment * alignment);
}

}  // namespace

bool ElfBuilder::swaps() const {
  return options_.little_endian != (std::endian::native == std::endian::little);
}

void ElfBuilder::put_word(std::string& out, std::uint64_t value) const {
  if (options_.is_64)
    put(out, value);
  else
    put(out, static_cast<std::uint32_t>(value));
}

std::uint16_t ElfBuilder::add_section(SectionSpec section) {
  sections_.push_back(std::move(section));
  return static_cast<std::uint16_t>(sections_.size() - 1);
}

void ElfBuilder::add_symbol(SymbolSpec symbol) {
  symbols_.push_back(std::move(symbol));
}

std::uint16_t ElfBuilder::add_note(std::string section, std::string_view owner,
                                   std::uint32_t type,
                                   std::string_view content) {
  std::string note;
  put(note, static_cast<std::uint32_t>(owner.size() + 1));
  put(note, static_cast<std::uint32_t>(content.size()));
  put(note, type);
  note.append(owner) += '\0';
  pad(note, 4);
  note += content;
  pad(note, 4);
  return add_section({.name = std::move(section),
                      .type = SHT_NOTE,
                      .content = std::move(note)});
}

void ElfBuilder::add_build_id(std::string_view bytes) {
  add_note(".note.gnu.build-id", "GNU", NT_GNU_BUILD_ID, bytes);
}

std::string ElfBuilder::packed(const SectionSpec& section) const {
  const std::string& plain = section.content;
  if (section.packing == Packing::kPlain) return plain;
  std::string out;
  if (section.packing == Packing::kOldZlib) {
    out = "ZLIB";
    const std::uint64_t size = plain.size();
    for (int shift = 56; shift >= 0; shift -= 8)
      out += static_cast<char>(size >> shift);
    return out + zlib(plain);
  }
  const bool zstd = section.packing == Packing::kZstd;
  put(out, std::uint32_t{zstd ? 2U : 1U});
  if (options_.is_64) put(out, std::uint32_t{0});
  put_word(out, plain.size());
  put_word(out, 1);
  return out + (zstd ? zstd_compress(plain) : zlib(plain));
}

ElfBuilder::SectionSpec ElfBuilder::symbol_names(bool dynamic) const {
  std::string names(1, '\0');
  for (const SymbolSpec& s : symbols_)
    if (s.dynamic == dynamic) (names += s.name) += '\0';
  return {.name = dynamic ? ".dynstr" : ".strtab",
          .type = SHT_STRTAB,
          .content = std::move(names)};
}

ElfBuilder::SectionSpec ElfBuilder::symbols(bool dynamic,
                                            std::uint32_t link) const {
  const std::size_t size =
      options_.is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
  std::string out(size, '\0');
  std::uint32_t name = 1;
  for (const SymbolSpec& s : symbols_) {
    if (s.dynamic != dynamic) continue;
    put(out, name);
    name += static_cast<std::uint32_t>(s.name.size() + 1);
    const auto info = static_cast<std::uint8_t>(ELF64_ST_INFO(s.bind, s.type));
    if (!options_.is_64) {
      put_word(out, s.value);
      put_word(out, s.size);
    }
    put(out, info);
    put(out, std::uint8_t{0});
    put(out, s.section);
    if (options_.is_64) {
      put_word(out, s.value);
      put_word(out, s.size);
    }
  }
  return {
      .name = dynamic ? ".dynsym" : ".symtab",
      .type = dynamic ? std::uint32_t{SHT_DYNSYM} : std::uint32_t{SHT_SYMTAB},
      .content = std::move(out),
      .link = link,
      .entry_size = size};
}

std::string ElfBuilder::bytes() const {
  std::vector<SectionSpec> all = sections_;
  for (const bool dynamic : {false, true})
    if (std::ranges::count(symbols_, dynamic, &SymbolSpec::dynamic) > 0) {
      all.push_back(symbol_names(dynamic));
      const auto link = static_cast<std::uint32_t>(all.size() - 1);
      all.push_back(symbols(dynamic, link));
    }
  SectionSpec names{.name = ".shstrtab", .type = SHT_STRTAB};
  std::vector<std::uint32_t> name_offsets;
  all.push_back(names);
  for (const SectionSpec& s : all) {
    name_offsets.push_back(static_cast<std::uint32_t>(names.content.size()));
    (names.content += s.name) += '\0';
  }
  all.back() = names;

  // The segments: their type and the section that is their content.
  std::vector<std::pair<std::uint32_t, std::size_t>> segments;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((all[i].flags & SHF_ALLOC) != 0) segments.emplace_back(PT_LOAD, i);
    if (all[i].type == SHT_NOTE) segments.emplace_back(PT_NOTE, i);
    if (all[i].type == SHT_DYNAMIC) segments.emplace_back(PT_DYNAMIC, i);
    if (all[i].name == ".interp") segments.emplace_back(PT_INTERP, i);
  }
  const auto segment_count = static_cast<std::uint16_t>(segments.size());
  const std::uint16_t header_size = options_.is_64 ? 64 : 52;
  const std::uint16_t segment_size = options_.is_64 ? 56 : 32;
  const std::uint16_t section_size = options_.is_64 ? 64 : 40;

  // The contents first: their places are known then.
  const std::size_t body_at = header_size + segment_size * segment_count;
  std::string body;
  std::vector<std::uint64_t> offsets, sizes;
  for (const SectionSpec& s : all) {
    while ((body_at + body.size()) % 16 != 0) body += '\0';
    const std::string content = packed(s);
    offsets.push_back(body_at + body.size());
    sizes.push_back(s.size != 0 ? s.size : content.size());
    if (s.type != SHT_NOBITS) body += content;
  }
  while ((body_at + body.size()) % 16 != 0) body += '\0';

  std::string out(
      "\x7f"
      "ELF");
  out += static_cast<char>(options_.is_64 ? ELFCLASS64 : ELFCLASS32);
  out += static_cast<char>(options_.little_endian ? ELFDATA2LSB : ELFDATA2MSB);
  out += static_cast<char>(EV_CURRENT);
  out.resize(EI_NIDENT);
  const bool headers = options_.section_headers;
  const bool extended = options_.counts_in_section_0;
  const auto count = static_cast<std::uint16_t>(all.size());
  put(out, options_.type);
  put(out, options_.machine);
  put(out, std::uint32_t{EV_CURRENT});
  put_word(out, 0);  // entry
  put_word(out, header_size);
  put_word(out, headers ? body_at + body.size() : 0);
  put(out, std::uint32_t{0});  // flags
  put(out, header_size);
  put(out, segment_size);
  put(out, extended ? std::uint16_t{PN_XNUM} : segment_count);
  put(out, section_size);
  put(out, !headers || extended ? std::uint16_t{0} : count);
  put(out, !headers   ? std::uint16_t{0}
           : extended ? std::uint16_t{SHN_XINDEX}
                      : static_cast<std::uint16_t>(count - 1));

  for (const auto& [type, i] : segments) {
    const SectionSpec& s = all[i];
    const std::uint32_t flags = PF_R | ((s.flags & SHF_WRITE) ? PF_W : 0U) |
                                ((s.flags & SHF_EXECINSTR) ? PF_X : 0U);
    put(out, type);
    if (options_.is_64) put(out, flags);
    put_word(out, offsets[i]);
    put_word(out, s.address);
    put_word(out, s.address);
    put_word(out, s.type == SHT_NOBITS ? 0 : sizes[i]);
    put_word(out, sizes[i]);
    if (!options_.is_64) put(out, flags);
    put_word(out, 16);  // alignment
  }
  out += body;
  if (!headers) return out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const SectionSpec& s = all[i];
    const bool special = i == 0 && extended;
    const bool compressed =
        s.packing == Packing::kZlib || s.packing == Packing::kZstd;
    put(out, name_offsets[i]);
    put(out, s.type);
    put_word(out, s.flags | (compressed ? std::uint64_t{SHF_COMPRESSED} : 0));
    put_word(out, s.address);
    put_word(out, i == 0 ? 0 : offsets[i]);
    put_word(out, special ? count : sizes[i]);
    put(out, special ? std::uint32_t{count} - 1 : s.link);
    put(out, special ? std::uint32_t{segment_count} : s.info);
    put_word(out, 1);
    put_word(out, s.entry_size);
  }
  return out;
}

std::shared_ptr<const ElfFile> ElfBuilder::file(std::string name) const {
  return ElfFile::from_memory(std::move(name), bytes());
}

ElfBuilder code_with_id(std::string_view build_id) {
  ElfBuilder builder;
  builder.add_section({.name = ".text",
                       .flags = SHF_ALLOC | SHF_EXECINSTR,
                       .address = 0x1000,
                       .content = "\x90\x90"});
  if (!build_id.empty()) builder.add_build_id(build_id);
  return builder;
}

}  // namespace wick
