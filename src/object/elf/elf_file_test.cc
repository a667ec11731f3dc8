// SPDX-License-Identifier: Apache-2.0
#include "object/elf/elf_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "base/error.h"
#include "builders/elf_builder.h"

namespace wick {
namespace {

using Packing = ElfBuilder::Packing;

constexpr std::uint64_t kCode = SHF_ALLOC | SHF_EXECINSTR;

TEST(ElfFile, SectionsHaveTheirNamesAndContent) {
  for (const bool is_64 : {true, false})
    for (const bool little : {true, false}) {
      ElfBuilder elf({.is_64 = is_64, .little_endian = little});
      elf.add_section({.name = ".text",
                       .flags = kCode,
                       .address = 0x1000,
                       .content = "code"});
      elf.add_section({.name = ".comment", .content = "a comment"});
      const auto file = elf.file();
      EXPECT_EQ(file->is_64(), is_64);
      EXPECT_EQ(file->is_little_endian(), little);
      EXPECT_EQ(file->machine(), Machine::kX86_64);
      EXPECT_EQ(file->type(), ET_DYN);
      EXPECT_EQ(file->bytes(".comment"), "a comment");
      ASSERT_NE(file->section(".text"), nullptr);
      EXPECT_EQ(file->section(".text")->address, 0x1000U);
      EXPECT_EQ(file->section(".text")->flags, kCode);
      EXPECT_EQ(file->section(".data"), nullptr);
      EXPECT_EQ(file->bytes(".data"), "");
      std::string number;
      elf.put(number, std::uint32_t{0x01020304});
      EXPECT_EQ(file->reader(number).read<std::uint32_t>(), 0x01020304U);
    }
}

TEST(ElfFile, CountsOfMoreThan65279SectionsAreInSectionZero) {
  ElfBuilder elf({.counts_in_section_0 = true});
  elf.add_section(
      {.name = ".text", .flags = kCode, .address = 0x1000, .content = "code"});
  EXPECT_EQ(elf.file()->bytes(".text"), "code");
  EXPECT_EQ(elf.file()->segments().size(), 1U);
}

TEST(ElfFile, CompressedSectionsAreDecompressed) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += std::to_string(i);
  for (const bool is_64 : {true, false})
    for (const Packing packing : {Packing::kZlib, Packing::kZstd}) {
      ElfBuilder elf({.is_64 = is_64, .little_endian = false});
      elf.add_section(
          {.name = ".debug_info", .content = text, .packing = packing});
      EXPECT_LT(elf.bytes().size(), text.size());
      EXPECT_EQ(elf.file()->bytes(".debug_info"), text);
    }
}

TEST(ElfFile, DebugNamesFindOldCompressedSections) {
  ElfBuilder elf;
  elf.add_section({.name = ".zdebug_info",
                   .content = std::string(1000, 'x'),
                   .packing = Packing::kOldZlib});
  EXPECT_EQ(elf.file()->bytes(".debug_info"), std::string(1000, 'x'));
  EXPECT_EQ(elf.file()->bytes(".debug_line"), "");
}

TEST(ElfFile, SectionWithoutBitsIsEmpty) {
  ElfBuilder elf;
  elf.add_section({.name = ".bss",
                   .type = SHT_NOBITS,
                   .flags = SHF_ALLOC,
                   .address = 0x2000,
                   .size = 0x7fffffffffff});
  EXPECT_EQ(elf.file()->section(".bss")->size, 0x7fffffffffffU);
  EXPECT_EQ(elf.file()->bytes(".bss"), "");
  EXPECT_EQ(elf.file()->bytes_at(0x2000, 8), "");
}

TEST(ElfFile, SectionLargerThanTheFileIsEmpty) {
  for (const std::uint64_t size :
       {std::uint64_t{100'000}, ~std::uint64_t{0}, ~std::uint64_t{0} - 200}) {
    ElfBuilder elf;
    elf.add_section({.name = ".text", .content = "code", .size = size});
    EXPECT_EQ(elf.file()->bytes(".text"), "");
  }
}

TEST(ElfFile, CompressedSectionWithAFalseSizeIsEmpty) {
  for (const std::uint64_t claimed :
       {std::uint64_t{1}, std::uint64_t{2'000}, std::uint64_t{1} << 40}) {
    ElfBuilder elf;
    std::string content;
    elf.put(content, std::uint32_t{ELFCOMPRESS_ZLIB});
    elf.put(content, std::uint32_t{0});
    elf.put(content, claimed);
    elf.put(content, std::uint64_t{1});
    ElfBuilder honest;
    honest.add_section({.name = ".z",
                        .content = std::string(1000, 'x'),
                        .packing = Packing::kZlib});
    // SHF_COMPRESSED bytes as they are in the file.
    const auto file = honest.file();
    const auto* section = file->section(".z");
    content += honest.bytes().substr(section->offset + 24, section->size - 24);
    elf.add_section(
        {.name = ".z", .flags = SHF_COMPRESSED, .content = content});
    EXPECT_EQ(elf.file()->bytes(".z"), "") << claimed;
  }
}

TEST(ElfFile, BuildIdIsFoundInASectionOrInASegment) {
  for (const bool headers : {true, false}) {
    ElfBuilder elf({.section_headers = headers});
    elf.add_note(".note.ABI-tag", "GNU", NT_GNU_ABI_TAG, std::string(16, 'a'));
    elf.add_build_id("\x01\xab\xcd");
    EXPECT_EQ(elf.file()->build_id(), "01abcd");
    EXPECT_EQ(elf.file()->sections().empty(), !headers);
  }
}

TEST(ElfFile, FileWithoutBuildIdHasAnEmptyOne) {
  ElfBuilder elf;
  elf.add_note(".note.go.buildid", "Go", 4, "abc");
  EXPECT_EQ(elf.file()->build_id(), "");
}

TEST(ElfFile, LoadedBytesAreFoundByAddress) {
  for (const bool headers : {true, false}) {
    ElfBuilder elf({.section_headers = headers});
    elf.add_section({.name = ".text",
                     .flags = kCode,
                     .address = 0x1000,
                     .content = "abcdefgh"});
    const auto file = elf.file();
    EXPECT_EQ(file->bytes_at(0x1002, 3), "cde");
    EXPECT_EQ(file->bytes_at(0x1006, 100), "gh");
    EXPECT_EQ(file->bytes_at(0x1008, 1), "");
    EXPECT_EQ(file->bytes_at(0xfff, 1), "");
    EXPECT_EQ(file->bytes_at(0x1002, ~std::uint64_t{0}), "cdefgh");
  }
}

TEST(ElfFile, FileOffsetsAreTurnedIntoAddresses) {
  ElfBuilder elf;
  elf.add_section({.name = ".text",
                   .flags = kCode,
                   .address = 0x401000,
                   .content = "abcdefgh"});
  const auto file = elf.file();
  const std::uint64_t offset = file->section(".text")->offset;
  EXPECT_EQ(file->elf_addr(offset + 3), 0x401003U);
  EXPECT_EQ(file->elf_addr(offset + 8), std::nullopt);
  EXPECT_EQ(file->elf_addr(0), std::nullopt);
}

TEST(ElfFile, LinksToDebugFilesAreRead) {
  ElfBuilder elf;
  std::string link("a.debug\0", 8);
  elf.put(link, std::uint32_t{0x12345678});
  elf.add_section({.name = ".gnu_debuglink", .content = link});
  elf.add_section({.name = ".gnu_debugaltlink",
                   .content = std::string("/x/y.dwz\0\xab\x01", 11)});
  const auto file = elf.file();
  ASSERT_TRUE(file->debug_link());
  EXPECT_EQ(file->debug_link()->file, "a.debug");
  EXPECT_EQ(file->debug_link()->crc, 0x12345678U);
  ASSERT_TRUE(file->alternate_link());
  EXPECT_EQ(file->alternate_link()->file, "/x/y.dwz");
  EXPECT_EQ(file->alternate_link()->build_id, "ab01");
}

TEST(ElfFile, WhatIsNotElfIsRefused) {
  EXPECT_THROW(ElfFile::from_memory("a", ""), Error);
  EXPECT_THROW(ElfFile::from_memory("a", "#!/bin/sh\n"), Error);
  EXPECT_THROW(ElfFile::from_memory("a",
                                    "\x7f"
                                    "ELF"),
               Error);
  EXPECT_THROW(ElfFile::open("/dev/zero"), Error);
  EXPECT_THROW(ElfFile::open("/does/not/exist"), Error);
}

TEST(ElfFile, FifoIsRefusedInsteadOfWaitedFor) {
  const std::string path = testing::TempDir() + "elf_file_fifo";
  ::unlink(path.c_str());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THROW(ElfFile::open(path), Error);
  ::unlink(path.c_str());
}

TEST(ElfFile, FileThatIsCutAfterOpeningGivesNoBytes) {
  ElfBuilder elf;
  elf.add_section({.name = ".text", .content = std::string(100'000, 'x')});
  const std::string path = testing::TempDir() + "elf_file_cut";
  std::ofstream(path) << elf.bytes();
  const auto file = ElfFile::open(path);
  ASSERT_EQ(::truncate(path.c_str(), 1000), 0);
  EXPECT_EQ(file->bytes(".text"), "");
  ::unlink(path.c_str());
}

// A file on disk, removed at the end.
class StoredElf {
 public:
  explicit StoredElf(const ElfBuilder& elf) {
    std::ofstream(path_) << elf.bytes();
  }
  ~StoredElf() { ::unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = testing::TempDir() + "elf_file_stored";
};

// Many sections of 1 MB, which are all the same megabyte.
ElfBuilder overlapping(std::uint32_t type, int count) {
  constexpr std::uint64_t kSize = 1 << 20;
  ElfBuilder elf;
  for (int i = 0; i < count; ++i)
    elf.add_section(
        {.name = ".twin", .type = type, .content = "x", .size = kSize});
  elf.add_section({.name = ".data", .content = std::string(kSize, 'x')});
  return elf;
}

TEST(ElfFile, OverlappingSectionsAreKeptUpToAMultipleOfTheFile) {
  const StoredElf stored(overlapping(SHT_PROGBITS, 100));
  const auto file = ElfFile::open(stored.path());
  std::uint64_t kept = 0;
  for (const ElfFile::Section& s : file->sections())
    kept += file->bytes(s).size();
  EXPECT_GT(kept, std::uint64_t{10} << 20);
  EXPECT_LT(kept, std::uint64_t{20} << 20);
  EXPECT_TRUE(file->memory().exceeded_own_limit());
}

TEST(ElfFile, NotesThatSpanTheFileAreNotKept) {
  const StoredElf stored(overlapping(SHT_NOTE, 100));
  const auto file = ElfFile::open(stored.path());
  EXPECT_EQ(file->build_id(), "");
  EXPECT_LT(file->memory().used(), 100'000u);
  EXPECT_FALSE(file->memory().was_refused());
}

TEST(ElfFile, SectionsThatAreHolesAreNotRead) {
  constexpr std::uint64_t kHole = std::uint64_t{1} << 30;
  ElfBuilder elf;
  elf.add_section({.name = ".eh_frame", .content = "x", .size = kHole});
  const StoredElf stored(elf);
  ASSERT_EQ(::truncate(stored.path().c_str(), kHole * 2), 0);
  const auto file = ElfFile::open(stored.path());
  ASSERT_NE(file->section(".eh_frame"), nullptr);
  EXPECT_EQ(file->bytes(".eh_frame"), "");
  EXPECT_TRUE(file->memory().exceeded_own_limit());
}

TEST(ElfFile, SectionsAreTakenFromABudget) {
  ElfBuilder elf;
  elf.add_section({.name = ".a", .content = std::string(60'000, 'x')});
  elf.add_section({.name = ".b", .content = std::string(60'000, 'x')});
  const StoredElf stored(elf);
  const auto budget = std::make_shared<MemoryBudget>(100'000);
  {
    const auto file = ElfFile::from_fd(
        UniqueFd(::open(stored.path().c_str(), O_RDONLY | O_CLOEXEC)), "a file",
        {.memory = budget});
    EXPECT_EQ(file->bytes(".a").size(), 60'000u);
    EXPECT_EQ(file->bytes(".b"), "");
    EXPECT_TRUE(file->memory().exceeded_budget());
  }
  EXPECT_EQ(budget->used(), 0u);
}

TEST(ElfFile, AFileThatWasClosedIsReadAfterReopening) {
  ElfBuilder elf;
  elf.add_section({.name = ".a", .content = "content"});
  const StoredElf stored(elf);
  const auto open = [&] {
    return UniqueFd(::open(stored.path().c_str(), O_RDONLY | O_CLOEXEC));
  };
  const auto one = std::make_shared<OpenFiles>(1);
  const ElfFile::Options options{.open_files = one, .reopen = open};
  const auto first = ElfFile::from_fd(open(), "first", options);
  const auto second = ElfFile::from_fd(open(), "second", options);
  EXPECT_EQ(first->bytes(".a"), "content");
  EXPECT_EQ(second->bytes(".a"), "content");
}

TEST(ElfFile, AnyPrefixOfAFileIsReadOrRefused) {
  ElfBuilder elf;
  elf.add_section({.name = ".text",
                   .flags = kCode,
                   .address = 0x1000,
                   .content = std::string(100, 'x'),
                   .packing = Packing::kZlib});
  elf.add_build_id("abc");
  elf.add_symbol({.name = "main", .value = 0x1000, .size = 4});
  const std::string whole = elf.bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::shared_ptr<const ElfFile> file;
    try {
      file = ElfFile::from_memory("cut", whole.substr(0, size));
    } catch (const Error&) {
      continue;
    }
    for (const ElfFile::Section& s : file->sections()) file->bytes(s);
    file->bytes_at(0x1000, 10);
    file->build_id();
  }
}

TEST(ElfFile, SectionsMayBeAskedForFromSeveralThreads) {
  ElfBuilder elf;
  const std::string text(1 << 20, 'x');
  elf.add_section({.name = ".debug_info", .content = text});
  const std::string path = testing::TempDir() + "elf_file_threads";
  std::ofstream(path) << elf.bytes();
  const auto file = ElfFile::open(path);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { EXPECT_EQ(file->bytes(".debug_info"), text); });
  for (std::thread& thread : threads) thread.join();
  ::unlink(path.c_str());
}

TEST(ElfFile, ReadsTheRunningProgram) {
  const auto file = ElfFile::open("/proc/self/exe");
  EXPECT_NE(file->section(".text"), nullptr);
  EXPECT_NE(file->bytes(".text"), "");
}

}  // namespace
}  // namespace wick
