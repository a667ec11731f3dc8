// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/user_files.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "builders/elf_builder.h"
#include "builders/riscv_program.h"
#include "builders/test_folder.h"

namespace wick {
namespace {

std::string program_bytes(unsigned seed) {
  ElfBuilder elf({.machine = EM_RISCV, .type = ET_DYN});
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x1000,
                   .content = RiscvProgram(seed, 1, 0x1000).text()});
  return elf.bytes();
}

void write(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(
      std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(UserFiles, OpensTheProgramsOfASysrootOnRequest) {
  const TestFolder folder;
  write(folder.path() + "/usr/lib/libone.so", program_bytes(1));
  write(folder.path() + "/bin/two", program_bytes(2));
  write(folder.path() + "/etc/motd", "hello\n");
  write(folder.path() + "/proc/1/exe", program_bytes(3));
  std::filesystem::create_symlink("two", folder.path() + "/bin/sh");
  std::filesystem::create_directory_symlink("usr/lib", folder.path() + "/lib");
  UserFiles files({.path = folder.path()});
  EXPECT_EQ(files.index().size(), 0u);
  EXPECT_TRUE(files.open_sysroot());
  EXPECT_EQ(files.index().size(), 2u);
  EXPECT_FALSE(files.open_sysroot());
}

TEST(UserFiles, FindsAPathInTheSysrootOrByItsName) {
  const TestFolder folder;
  write(folder.path() + "/usr/lib/libone.so", program_bytes(1));
  std::filesystem::create_directory_symlink("usr/lib", folder.path() + "/lib");
  UserFiles files({.path = folder.path()});
  const auto given =
      files.add("out/two", ElfFile::from_memory("out/two", program_bytes(2)));
  const auto one = files.find("/lib/libone.so");
  ASSERT_TRUE(one);
  EXPECT_EQ(files.index()[*one].path, folder.path() + "/lib/libone.so");
  EXPECT_EQ(files.find("/opt/elsewhere/libone.so"), one);
  EXPECT_EQ(files.find("/usr/bin/two"), given);
  EXPECT_FALSE(files.find("/usr/bin/three"));
  EXPECT_FALSE(files.find(""));
}

TEST(UserFiles, FollowsLinksOfTheSysrootIntoIt) {
  const TestFolder folder;
  write(folder.path() + "/opt/v2/app", program_bytes(1));
  std::filesystem::create_symlink("/opt/v2/app", folder.path() + "/start");
  UserFiles files({.path = folder.path()});
  const auto app = files.find("/start");
  ASSERT_TRUE(app);
  EXPECT_EQ(files.index()[*app].path, folder.path() + "/start");
}

TEST(UserFiles, ExtractsTheVdsoFromTheKernel) {
  ElfBuilder kernel({.machine = EM_RISCV, .type = ET_EXEC});
  std::string data(0x1800, 'x');  // up to the beginning of a page
  data += program_bytes(5);
  data.append(4096, 'y');
  kernel.add_section({.name = ".rodata",
                      .flags = SHF_ALLOC,
                      .address = 0xffffffff81000800,
                      .content = data});
  const auto vdso = find_vdso(*kernel.file());
  ASSERT_NE(vdso, nullptr);
  EXPECT_EQ(vdso->bytes(".text"), RiscvProgram(5, 1, 0x1000).text());

  UserFiles files;
  files.add_kernel(*kernel.file());
  EXPECT_TRUE(files.find("[vdso]"));
}

TEST(UserFiles, AKernelWithoutAVdsoHasNone) {
  ElfBuilder kernel({.machine = EM_RISCV, .type = ET_EXEC});
  std::string data(8192, '\0');
  data.replace(4096, 4, ELFMAG);  // begins like one
  data[4096 + EI_CLASS] = ELFCLASS64;
  kernel.add_section({.name = ".rodata", .flags = SHF_ALLOC, .content = data});
  EXPECT_EQ(find_vdso(*kernel.file()), nullptr);
}

}  // namespace
}  // namespace wick
