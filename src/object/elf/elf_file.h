// SPDX-License-Identifier: Apache-2.0
// An ELF file, 32 or 64 bits, of either byte order. The bytes are untrusted:
// whatever a header says is checked before it is used.
//
// Sections are read with pread when they are asked for and kept: a file that is
// cut or overwritten meanwhile gives wrong bytes, never a SIGBUS, and a debug
// file of a gigabyte costs no more than the sections that are needed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/unique_fd.h"
#include "object/elf/machine.h"

namespace wick {

class ElfFile {
 public:
  struct Section {
    std::string_view name;
    std::uint32_t type = 0;
    std::uint64_t flags = 0, address = 0, offset = 0, size = 0;
    std::uint32_t link = 0, info = 0;
    std::uint64_t entry_size = 0;
  };
  struct Segment {
    std::uint32_t type = 0, flags = 0;
    std::uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0;
  };

  // Fail (wick::Error) if it cannot be opened, is no regular file or is not
  // ELF. `from_fd` takes a file that is open already; `name` is for messages.
  static std::shared_ptr<const ElfFile> open(const std::string& path);
  static std::shared_ptr<const ElfFile> from_fd(UniqueFd fd, std::string name);
  static std::shared_ptr<const ElfFile> from_memory(std::string name,
                                                    std::string bytes);

  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile();

  const std::string& name() const;
  Machine machine() const;
  std::uint16_t type() const;  // ET_DYN …
  // Where a program begins; 0 for a file that is none.
  std::uint64_t entry() const;
  bool is_64() const;
  bool is_little_endian() const;

  std::span<const Section> sections() const;
  std::span<const Segment> segments() const;
  // The first section of this name, or null. ".debug_x" also finds an old
  // ".zdebug_x".
  const Section* section(std::string_view name) const;

  // The content of a section, decompressed where it is compressed (zlib, zstd,
  // .zdebug); empty where there is none (SHT_NOBITS), where it is damaged or
  // larger than a section can honestly be. Lives as long as this object; may
  // be asked from several threads at once. `section` is one of sections().
  std::string_view bytes(const Section& section) const;
  std::string_view bytes(std::string_view section_name) const;
  // Up to `size` bytes that a loaded segment has at `elf_addr`.
  std::string_view bytes_at(std::uint64_t elf_addr, std::uint64_t size) const;

  // A reader of the file's byte order.
  ByteReader reader(std::string_view bytes) const;

  // Hexadecimal; "" where there is none.
  const std::string& build_id() const;

  // .gnu_debuglink: the file that has the debug information.
  struct DebugLink {
    std::string file;
    std::uint32_t crc = 0;
  };
  std::optional<DebugLink> debug_link() const;
  // .gnu_debugaltlink: the file with what dwz took out of several.
  struct AlternateLink {
    std::string file;
    std::string build_id;  // hexadecimal
  };
  std::optional<AlternateLink> alternate_link() const;

  // Where the loaded segments put the byte at `file_off`; nothing if none does.
  std::optional<std::uint64_t> elf_addr(std::uint64_t file_off) const;

 private:
  struct State;
  explicit ElfFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wick
