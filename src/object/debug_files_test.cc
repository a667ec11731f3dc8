// SPDX-License-Identifier: Apache-2.0
#include "object/debug_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "builders/elf_builder.h"
#include "builders/open_counter.h"
#include "builders/test_folder.h"
#include "io/compress.h"
#include "io/read_file.h"
#include "object/kernel/kallsyms.h"

namespace wick {
namespace {

constexpr std::string_view kBuildId = "abcdefgh";
const std::string kHexId = to_hexadecimal(kBuildId);

// A root of its own, with the files that a test puts there.
class DebugFilesTest : public testing::Test {
 protected:
  DebugFilesTest() {
    if (const char* home = std::getenv("HOME")) home_ = home;
    ::setenv("HOME", root_.c_str(), 1);
  }
  ~DebugFilesTest() override { ::setenv("HOME", home_.c_str(), 1); }

  void put(const std::string& path, std::string_view content) {
    std::filesystem::create_directories(
        std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path, std::ios::binary) << content;
  }
  static std::string debug_elf(std::string_view build_id) {
    ElfBuilder builder = code_with_id(build_id);
    builder.add_section({.name = ".debug_info", .content = "debug"});
    return builder.bytes();
  }
  DebugFiles files() { return DebugFiles({.symfs = root_}); }

  TestFolder temporary_;
  std::string root_ = temporary_.path(), home_;
};

TEST_F(DebugFilesTest, AFileIsFoundAtItsPath) {
  put("/bin/a", code_with_id(kBuildId).bytes());
  const FoundFile found =
      files().binary({.path = "/bin/a", .build_id = kHexId});
  ASSERT_EQ(found.state, FileState::kFound);
  EXPECT_EQ(found.elf->build_id(), kHexId);
}

TEST_F(DebugFilesTest, AFileWithAnotherBuildIdIsNotUsed) {
  put("/bin/a", code_with_id("another1").bytes());
  const FoundFile found =
      files().binary({.path = "/bin/a", .build_id = kHexId});
  EXPECT_EQ(found.elf, nullptr);
  EXPECT_EQ(found.state, FileState::kOtherBuildId);
}

TEST_F(DebugFilesTest, ABuildIdThatPerfFilledUpWithZerosIsTheSame) {
  put("/bin/a", code_with_id(kBuildId).bytes());
  const std::string filled = kHexId + std::string(24, '0');
  EXPECT_EQ(files().binary({.path = "/bin/a", .build_id = filled}).state,
            FileState::kFound);
}

TEST_F(DebugFilesTest, ABuildIdThatPerfCutAt20BytesIsTheSame) {
  const std::string longer = "0123456789abcdefghijklmnopqrstuv";
  put("/bin/a", code_with_id(longer).bytes());
  const std::string cut = to_hexadecimal(longer.substr(0, 20));
  EXPECT_EQ(files().binary({.path = "/bin/a", .build_id = cut}).state,
            FileState::kFound);
}

TEST_F(DebugFilesTest, AMissingFileIsReportedMissing) {
  EXPECT_EQ(files().binary({.path = "/bin/a"}).state, FileState::kMissing);
}

TEST_F(DebugFilesTest, WhatIsNotElfIsNotUsed) {
  put("/bin/a", "#!/bin/sh\n");
  EXPECT_EQ(files().binary({.path = "/bin/a"}).state, FileState::kNotElf);
  EXPECT_EQ(files().binary({.path = "/bin/a", .build_id = kHexId}).state,
            FileState::kOtherBuildId);
}

TEST_F(DebugFilesTest, AFifoIsNotOpened) {
  ASSERT_EQ(::mkfifo((root_ + "/fifo").c_str(), 0600), 0);
  const OpenCounter opened(root_ + "/fifo");
  EXPECT_EQ(files().binary({.path = "/fifo"}).state, FileState::kUnreadable);
  EXPECT_EQ(opened.count(), 0u);
}

TEST_F(DebugFilesTest, ADeviceBehindALinkIsNotOpened) {
  if (!make_device(root_ + "/device"))
    GTEST_SKIP() << "only root makes devices";
  std::filesystem::create_symlink("device", root_ + "/library");
  const OpenCounter opened(root_ + "/device");
  DebugFiles here({});
  EXPECT_EQ(here.binary({.path = root_ + "/library"}).state,
            FileState::kUnreadable);
  EXPECT_EQ(opened.count(), 0u);
}

TEST_F(DebugFilesTest, LinksOfASymfsLeadIntoIt) {
  put("/usr/lib/a", code_with_id(kBuildId).bytes());
  std::filesystem::create_symlink("/usr/lib", root_ + "/lib");
  EXPECT_EQ(files().binary({.path = "/lib/a"}).state, FileState::kFound);
}

TEST_F(DebugFilesTest, LinksOfASymfsMayLeadToThisMachine) {
  const TestFolder elsewhere;
  put("/a", code_with_id(kBuildId).bytes());
  std::filesystem::rename(root_ + "/a", elsewhere.path() + "/a");
  std::filesystem::create_symlink(elsewhere.path() + "/a", root_ + "/a");
  EXPECT_EQ(files().binary({.path = "/a"}).state, FileState::kFound);
}

TEST_F(DebugFilesTest, ADeletedFileIsOnlyTakenByItsBuildId) {
  put("/bin/a", code_with_id(kBuildId).bytes());
  CodeFile file{.path = "/bin/a", .is_deleted = true};
  EXPECT_EQ(files().binary(file).state, FileState::kMissing);
  file.build_id = kHexId;
  EXPECT_EQ(files().binary(file).state, FileState::kFound);
}

TEST_F(DebugFilesTest, AFileCanBeCalledDeleted) {
  put("/bin/a (deleted)", code_with_id(kBuildId).bytes());
  EXPECT_EQ(files().binary({.path = "/bin/a", .is_deleted = true}).state,
            FileState::kFound);
}

TEST_F(DebugFilesTest, AFileThatIsNewerThanTheRecordingIsKnownByItsBuildId) {
  put("/bin/a", code_with_id(kBuildId).bytes());
  const std::string path = root_ + "/bin/a";
  const std::int64_t written = modification_time(path);
  DebugFiles before({.recorded_until = written - 1});
  EXPECT_EQ(before.binary({.path = path}).state, FileState::kChanged);
  EXPECT_EQ(before.binary({.path = path, .build_id = kHexId}).state,
            FileState::kFound);
  DebugFiles after({.recorded_until = written});
  EXPECT_EQ(after.binary({.path = path}).state, FileState::kFound);
}

TEST_F(DebugFilesTest, PerfsOwnStoreHasFilesByBuildId) {
  put("/.debug/.build-id/61/62636465666768/elf",
      code_with_id(kBuildId).bytes());
  EXPECT_EQ(files().binary({.path = "/bin/a", .build_id = kHexId}).state,
            FileState::kFound);
}

TEST_F(DebugFilesTest, ARelativePathIsNoFile) {
  put("/bin/a", code_with_id(kBuildId).bytes());
  EXPECT_EQ(files().binary({.path = "bin/a"}).state, FileState::kMissing);
  EXPECT_EQ(files().binary({.path = "//anon"}).state, FileState::kMissing);
}

TEST_F(DebugFilesTest, TheVdsoOfThisKernelIsOurOwn) {
  struct utsname system {};
  ASSERT_EQ(::uname(&system), 0);
  DebugFiles files({.os_release = system.release});
  const FoundFile found =
      files.binary({.path = "[vdso]", .kind = CodeKind::kVdso});
  ASSERT_EQ(found.state, FileState::kFound);
  EXPECT_NE(found.elf->build_id(), "");
}

TEST_F(DebugFilesTest, TheVdsoOfAnotherKernelIsNot) {
  EXPECT_EQ(
      files()
          .binary(
              {.path = "[vdso]", .build_id = kHexId, .kind = CodeKind::kVdso})
          .state,
      FileState::kMissing);
}

TEST_F(DebugFilesTest,
       TheVdsoOfACutRecordingIsOursIfTheKernelIsAtTheSamePlace) {
  const Kallsyms list = Kallsyms::open("/proc/kallsyms");
  if (list.addresses_hidden()) GTEST_SKIP() << "the kernel hides its symbols";
  const CodeFile vdso{.path = "[vdso]", .kind = CodeKind::kVdso};
  DebugFiles here({}), elsewhere({}), nowhere({});
  here.kernel_began_at(list.kernel_start());
  elsewhere.kernel_began_at(list.kernel_start() + 0x200000);
  EXPECT_EQ(here.binary(vdso).state, FileState::kFound);
  EXPECT_EQ(elsewhere.binary(vdso).state, FileState::kMissing);
  EXPECT_EQ(nowhere.binary(vdso).state, FileState::kMissing);
}

TEST_F(DebugFilesTest, AKernelIsLookedForByItsRelease) {
  put("/usr/lib/debug/boot/vmlinux-6.1", code_with_id(kBuildId).bytes());
  DebugFiles files({.symfs = root_, .os_release = "6.1"});
  const CodeFile kernel{.path = "[kernel.kallsyms]",
                        .build_id = kHexId,
                        .kind = CodeKind::kKernel};
  EXPECT_EQ(files.binary(kernel).state, FileState::kFound);
}

TEST_F(DebugFilesTest, DebugInformationIsFoundByBuildId) {
  put("/bin/a", code_with_id(kBuildId).bytes());
  put("/usr/lib/debug/.build-id/61/62636465666768.debug", debug_elf(kBuildId));
  DebugFiles files({.symfs = root_});
  const CodeFile file{.path = "/bin/a", .build_id = kHexId};
  const auto binary = files.binary(file).elf;
  ASSERT_NE(binary, nullptr);
  const auto debug = files.debug(*binary, file);
  ASSERT_NE(debug, nullptr);
  EXPECT_NE(debug->section(".debug_info"), nullptr);
}

TEST_F(DebugFilesTest, PerfsCopyFromBeforeAFileWasStrippedHasItsSymbols) {
  put("/bin/a", code_with_id(kBuildId).bytes());
  ElfBuilder whole = code_with_id(kBuildId);
  whole.add_symbol({.name = "f", .value = 0x1000, .size = 2});
  put("/.debug/.build-id/61/62636465666768/elf", whole.bytes());
  DebugFiles files({.symfs = root_});
  const CodeFile file{.path = "/bin/a", .build_id = kHexId};
  const auto binary = files.binary(file).elf;
  ASSERT_NE(binary, nullptr);
  const auto debug = files.debug(*binary, file);
  ASSERT_NE(debug, nullptr);
  EXPECT_NE(debug->section(".symtab"), nullptr);
}

TEST_F(DebugFilesTest, AFileWithDebugInformationNeedsNoOther) {
  put("/bin/a", debug_elf(kBuildId));
  put("/usr/lib/debug/.build-id/61/62636465666768.debug", debug_elf(kBuildId));
  DebugFiles files({.symfs = root_});
  const CodeFile file{.path = "/bin/a"};
  EXPECT_EQ(files.debug(*files.binary(file).elf, file), nullptr);
}

// ".gnu_debuglink": the name, padded to four bytes, and a checksum.
ElfBuilder with_link(ElfBuilder elf, std::uint32_t crc) {
  std::string link("a.debug\0", 8);
  append_raw(link, crc);
  elf.add_section({.name = ".gnu_debuglink", .content = link});
  return elf;
}

TEST_F(DebugFilesTest, ADebugLinkIsFollowedWhereTheChecksumIsRight) {
  const std::string debug = debug_elf("");
  put("/bin/a", with_link(code_with_id(""), crc32(debug)).bytes());
  DebugFiles files({.symfs = root_});
  const CodeFile file{.path = "/bin/a"};
  for (const char* path :
       {"/bin/a.debug", "/bin/.debug/a.debug", "/usr/lib/debug/bin/a.debug"}) {
    put(path, debug);
    DebugFiles fresh({.symfs = root_});
    EXPECT_NE(fresh.debug(*fresh.binary(file).elf, file), nullptr) << path;
    std::filesystem::remove(root_ + path);
  }
  put("/bin/a.debug", debug_elf("") + "changed");
  EXPECT_EQ(files.debug(*files.binary(file).elf, file), nullptr);
}

// Addresses of a relocatable file are offsets in it.
TEST_F(DebugFilesTest, ARelocatableFileHasNoDebugFile) {
  const std::string debug = debug_elf("");
  put("/lib/a.ko",
      with_link(ElfBuilder({.type = ET_REL}), crc32(debug)).bytes());
  put("/lib/a.debug", debug);
  DebugFiles files({.symfs = root_});
  const CodeFile file{.path = "/lib/a.ko"};
  EXPECT_EQ(files.debug(*files.binary(file).elf, file), nullptr);
}

TEST_F(DebugFilesTest, ADebugLinkToAnotherBuildIsNotFollowed) {
  const std::string debug = debug_elf("another1");
  put("/bin/a", with_link(code_with_id(kBuildId), crc32(debug)).bytes());
  put("/bin/a.debug", debug);
  DebugFiles files({.symfs = root_});
  const CodeFile file{.path = "/bin/a"};
  EXPECT_EQ(files.debug(*files.binary(file).elf, file), nullptr);
}

TEST_F(DebugFilesTest, ADebugLinkIsNoPath) {
  std::string link("../a.dbg\0\0\0\0", 12);
  append_raw(link, std::uint32_t{0});
  ElfBuilder binary = code_with_id("");
  binary.add_section({.name = ".gnu_debuglink", .content = link});
  put("/bin/a", binary.bytes());
  put("/a.dbg", debug_elf(""));
  DebugFiles files({.symfs = root_});
  const CodeFile file{.path = "/bin/a"};
  EXPECT_EQ(files.debug(*files.binary(file).elf, file), nullptr);
}

TEST_F(DebugFilesTest, WhatDwzTookOutIsFoundBesideOrByBuildId) {
  std::string link("../dwz/common\0", 14);
  link += kBuildId;
  ElfBuilder debug = code_with_id("");
  debug.add_section({.name = ".gnu_debugaltlink", .content = link});
  put("/debug/a.debug", debug.bytes());
  const auto file = ElfFile::open(root_ + "/debug/a.debug");
  EXPECT_EQ(files().alternate(*file), nullptr);
  put("/dwz/common", debug_elf(kBuildId));
  EXPECT_NE(files().alternate(*file), nullptr);
  std::filesystem::remove(root_ + "/dwz/common");
  put("/usr/lib/debug/.build-id/61/62636465666768.debug", debug_elf(kBuildId));
  EXPECT_NE(files().alternate(*file), nullptr);
}

TEST_F(DebugFilesTest, TheListOfKernelSymbolsIsOurOwnOnlyForThisKernel) {
  EXPECT_EQ(files().kallsyms({.path = "[kernel.kallsyms]",
                              .build_id = kHexId,
                              .kind = CodeKind::kKernel},
                             0),
            nullptr);
}

TEST_F(DebugFilesTest, TheKernelThatRunsIsKnownByItsBuildId) {
  // The first note: sizes of name and content, type 3, "GNU", 20 bytes.
  std::ifstream notes("/sys/kernel/notes", std::ios::binary);
  std::string start(36, '\0');
  if (!notes.read(start.data(), 36) || start[8] != 3 ||
      start.substr(12, 3) != "GNU")
    GTEST_SKIP() << "the kernel does not say its build id";
  EXPECT_NE(files().kallsyms({.path = "[kernel.kallsyms]",
                              .build_id = to_hexadecimal(start.substr(16, 20)),
                              .kind = CodeKind::kKernel},
                             0),
            nullptr);
}

TEST_F(DebugFilesTest, AKernelOfWhichNothingIsKnownGetsNoNames) {
  DebugFiles none({});
  EXPECT_EQ(none.kallsyms(
                {.path = "[kernel.kallsyms]", .kind = CodeKind::kKernel}, 0),
            nullptr);
}

TEST_F(DebugFilesTest, AListOfKernelSymbolsThatIsNamedIsUsed) {
  put("/list", "ffffffff81000000 T _text\n");
  DebugFiles named({.kallsyms = root_ + "/list"});
  const auto list = named.kallsyms({.path = "[kernel.kallsyms]",
                                    .build_id = kHexId,
                                    .kind = CodeKind::kKernel},
                                   0);
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(list->kernel_start(), 0xffffffff81000000);
}

TEST(CodeFile, WithoutABuildIdItsInodeTellsItFromAnother) {
  const CodeFile file{.path = "/a", .inode = {.number = 1, .generation = 7}};
  CodeFile other = file;
  other.inode.number = 2;
  EXPECT_FALSE(is_same_file(file, other));
  other = file;
  other.inode.generation = 8;
  EXPECT_FALSE(is_same_file(file, other));
  other.inode.generation = 0;  // unknown
  EXPECT_TRUE(is_same_file(file, other));
  EXPECT_EQ(hash_of(file), hash_of(other));
}

TEST(CodeFile, WithABuildIdItsInodeDoesNotMatter) {
  const CodeFile file{.path = "/a", .build_id = "ab", .inode = {.number = 1}};
  const CodeFile copy{.path = "/a", .build_id = "ab", .inode = {.number = 2}};
  EXPECT_TRUE(is_same_file(file, copy));
  EXPECT_EQ(hash_of(file), hash_of(copy));
}

}  // namespace
}  // namespace wick
