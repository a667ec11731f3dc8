// SPDX-License-Identifier: Apache-2.0
// An ELF file, 32 or 64 bits, of either byte order. The bytes are untrusted:
// every header field is checked before it is used.
//
// Sections are read with pread on first use and kept: a file that is truncated
// or overwritten meanwhile yields wrong bytes, never a SIGBUS, and a debug file
// of a gigabyte costs no more than the sections that are used.
//
// What is kept is accounted. Sections can overlap, have holes and expand, so
// that a small file could fill any memory; what is kept of it is limited to
// kMaxGrowth times what is really stored, and in a recording also by that
// recording's budget.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/memory_budget.h"
#include "io/file_pieces.h"
#include "io/open_files.h"
#include "io/unique_fd.h"
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

  // Debug sections expand to four times their size, rarely to ten.
  static constexpr std::uint64_t kMaxGrowth = 16;
  // And this much in any case, for headers and tables of small files.
  static constexpr std::uint64_t kLeastMemory = std::uint64_t{1} << 20;

  struct Options {
    // What all files together may hold, and how much of it one of them; null:
    // no limit besides kMaxGrowth.
    std::shared_ptr<MemoryBudget> memory;
    std::uint64_t most_memory = MemoryBudget::kNoLimit;
    // If both are set, the file need not stay open.
    std::shared_ptr<OpenFiles> open_files;
    OpenFile::Reopen reopen;
  };

  // Fail (wick::Error) if the file cannot be opened, is not a regular file or
  // is not ELF. `name` is for messages. open() is for files that the user
  // vouches for; those that a recording names go through open_regular().
  static std::shared_ptr<const ElfFile> open(const std::string& path);
  static std::shared_ptr<const ElfFile> from_fd(UniqueFd fd, std::string name,
                                                Options options);
  static std::shared_ptr<const ElfFile> from_fd(UniqueFd fd, std::string name);
  // A file inside another, such as a disk image.
  static std::shared_ptr<const ElfFile> from_pieces(
      std::shared_ptr<const FilePieces> pieces, std::string name,
      Options options);
  static std::shared_ptr<const ElfFile> from_memory(std::string name,
                                                    std::string bytes);

  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile();

  const std::string& name() const;
  // The file itself, for a caller that reads it again after its name is gone;
  // not open if it is gone already, in memory or inside another.
  UniqueFd handle() const;
  Machine machine() const;
  std::uint16_t type() const;  // ET_DYN …
  // Where the program begins; 0 if the file is not a program.
  std::uint64_t entry() const;
  bool is_64() const;
  bool is_little_endian() const;

  std::span<const Section> sections() const;
  std::span<const Segment> segments() const;
  // The first section of this name, or null. ".debug_x" also matches an old
  // ".zdebug_x".
  const Section* section(std::string_view name) const;

  // The contents of a section, decompressed (zlib, zstd, .zdebug); empty if it
  // has none (SHT_NOBITS), is damaged or there is no memory for it. Lives as
  // long as this object. Thread-safe. `section` is one of sections().
  std::string_view bytes(const Section& section) const;
  std::string_view bytes(std::string_view section_name) const;
  // Up to `size` bytes that a loaded segment has at `elf_addr`.
  std::string_view bytes_at(std::uint64_t elf_addr, std::uint64_t size) const;

  // A reader with the file's byte order.
  ByteReader reader(std::string_view bytes) const;

  // Hexadecimal; "" if there is none.
  const std::string& build_id() const;

  // What is held on behalf of this file; also for tables made from it, which
  // must not outlive it.
  MemoryAccount& memory() const;

  bool has_debug_info() const { return section(".debug_info") != nullptr; }

  // .gnu_debuglink: the separate debug file.
  struct DebugLink {
    std::string file;
    std::uint32_t crc = 0;
  };
  std::optional<DebugLink> debug_link() const;
  // .gnu_debugaltlink: the file into which dwz moved what several files share.
  struct AlternateLink {
    std::string file;
    std::string build_id;  // hexadecimal
  };
  std::optional<AlternateLink> alternate_link() const;

  // The address at which a segment loads the byte at `file_off`, if any does.
  std::optional<std::uint64_t> elf_addr(std::uint64_t file_off) const;

 private:
  struct State;
  explicit ElfFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The text before the first NUL; all of `bytes` if there is none.
inline std::string_view until_nul(std::string_view bytes) {
  return bytes.substr(0, bytes.find('\0'));
}

// The build id among ELF notes (of a section, of /sys/kernel/notes), in
// hexadecimal; "" if there is none.
std::string build_id_in_notes(ByteReader notes);

}  // namespace wick
