// SPDX-License-Identifier: Apache-2.0
// For tests: a real ELF file in a few lines.
//
//   ElfBuilder elf;                                   // x86-64, ET_DYN
//   elf.add_section({.name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR,
//                    .address = 0x1000, .content = std::string(64, '\x90')});
//   elf.add_symbol({.name = "main", .value = 0x1000, .size = 16});
//   elf.add_build_id("\x12\x34");
//   std::shared_ptr<const ElfFile> file = elf.file();
//
// Each section with SHF_ALLOC gets a PT_LOAD segment of its own, SHT_NOTE ones
// a PT_NOTE, SHT_DYNAMIC ones a PT_DYNAMIC and ".interp" a PT_INTERP.
#pragma once

#include <elf.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "object/elf/elf_file.h"

namespace wick {

class ElfBuilder {
 public:
  struct Options {
    bool is_64 = true, little_endian = true;
    std::uint16_t machine = EM_X86_64, type = ET_DYN;
    bool section_headers =
        true;  // else segments are all there is, as in a vDSO
    bool counts_in_section_0 = false;  // as in a file with 65,280 sections
  };
  enum class Packing { kPlain, kZlib, kZstd, kOldZlib };
  struct SectionSpec {
    std::string name;
    std::uint32_t type = SHT_PROGBITS;
    std::uint64_t flags = 0, address = 0;
    std::string content;
    std::uint64_t size = 0;  // of SHT_NOBITS; or a lie where it is not 0
    std::uint32_t link = 0, info = 0;
    std::uint64_t entry_size = 0;
    Packing packing = Packing::kPlain;
  };
  struct SymbolSpec {
    std::string name;
    std::uint64_t value = 0, size = 0;
    int type = STT_FUNC, bind = STB_GLOBAL;
    std::uint16_t section = 1;  // the first one that was added
    bool dynamic = false;       // in .dynsym instead of .symtab
  };

  ElfBuilder() = default;
  explicit ElfBuilder(const Options& options) : options_(options) {}

  // Gives the section's index.
  std::uint16_t add_section(SectionSpec section);
  void add_symbol(SymbolSpec symbol);
  // Gives the section's index. `content` as bytes.
  std::uint16_t add_note(std::string section, std::string_view owner,
                         std::uint32_t type, std::string_view content);
  void add_build_id(std::string_view bytes);

  std::string bytes() const;
  std::shared_ptr<const ElfFile> file(std::string name = "built.so") const;

  // Appends an integer in the file's byte order; a word has the size of an
  // address.
  template <class T>
  void put(std::string& out, T value) const {
    append_raw(out, swaps() ? byte_swap(value) : value);
  }
  void put_word(std::string& out, std::uint64_t value) const;

 private:
  bool swaps() const;
  std::string packed(const SectionSpec& section) const;
  SectionSpec symbols(bool dynamic, std::uint32_t link) const;
  SectionSpec symbol_names(bool dynamic) const;

  Options options_;
  std::vector<SectionSpec> sections_{SectionSpec{.type = SHT_NULL}};
  std::vector<SymbolSpec> symbols_;
};

// A file of two instructions; "": without a build id.
ElfBuilder code_with_id(std::string_view build_id);

}  // namespace wick
