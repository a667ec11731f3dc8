// SPDX-License-Identifier: Apache-2.0
// tests/e2e/sysroot_images.sh has the file systems that mke2fs makes.
#include "sysroot/sysroot_image.h"

#include <fcntl.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "builders/cpio_builder.h"
#include "builders/test_folder.h"
#include "io/compress.h"

namespace wick {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing::ThrowsMessage;

class SysrootImageTest : public testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& content) const {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << content;
    return path;
  }
  static std::string content(const SysrootImage& image,
                             const std::string& path) {
    const auto pieces = image.find(path);
    if (!pieces) return "none";
    std::string bytes(pieces->size, '?');
    return pieces->read(0, bytes) ? bytes : "unreadable";
  }
  void refuses(const std::string& bytes, const std::string& why) const {
    const std::string path = put("image", bytes);
    EXPECT_THAT(
        [&] { open_sysroot(path); },
        ThrowsMessage<Error>(testing::AllOf(HasSubstr(path), HasSubstr(why))));
  }

  const TestFolder folder_;
  const std::string elf_ = "\177ELF program";
};

TEST_F(SysrootImageTest, ReadsAnInitramfsInAnotherProcess) {
  const auto sysroot = open_sysroot(put(
      "initramfs", gzip(cpio_archive({{.name = "bin/busybox", .data = elf_},
                                      {.name = "motd", .data = "hello"}}))));
  ASSERT_TRUE(sysroot.image);
  EXPECT_EQ(sysroot.path, folder_.path() + "/initramfs");
  EXPECT_THAT(sysroot.image->files(), ElementsAre("/bin/busybox"));
  EXPECT_EQ(content(*sysroot.image, "/bin/busybox"), elf_);
  EXPECT_TRUE(sysroot.image->diagnostics().empty());
}

TEST_F(SysrootImageTest, LinksLeadIntoTheImage) {
  constexpr std::uint32_t kLink = S_IFLNK | 0777;
  const auto sysroot = open_sysroot(put(
      "initramfs",
      cpio_archive({{.name = "usr/lib/libc.so", .data = elf_},
                    {.name = "lib", .data = "usr/lib", .mode = kLink},
                    {.name = "usr/libc", .data = "/lib/libc.so", .mode = kLink},
                    {.name = "up", .data = "../../../lib", .mode = kLink},
                    {.name = "loop", .data = "loop", .mode = kLink}})));
  for (const char* path : {"/usr/lib/libc.so", "/lib/libc.so", "/usr/libc",
                           "/up/libc.so", "/lib/../lib/./libc.so"})
    EXPECT_EQ(content(*sysroot.image, path), elf_) << path;
  for (const char* path : {"/loop", "/loop/libc.so", "/lib", "/", "", "/etc"})
    EXPECT_EQ(content(*sysroot.image, path), "none") << path;
  EXPECT_THAT(sysroot.image->files(), ElementsAre("/usr/lib/libc.so"));
}

TEST_F(SysrootImageTest, ATruncatedArchiveGivesWhatItHas) {
  const std::string whole =
      cpio_archive({{.name = "a", .data = elf_}, {.name = "b", .data = elf_}});
  const auto sysroot =
      open_sysroot(put("initramfs", whole.substr(0, whole.size() / 2)));
  EXPECT_THAT(sysroot.image->files(), ElementsAre("/a"));
  EXPECT_EQ(sysroot.image->diagnostics().count(Problem::kDamagedImage), 1U);
}

TEST_F(SysrootImageTest, HoweverLongItsPathIsTheReasonIsToldWhole) {
  const std::string deep(80, 'x');
  std::filesystem::create_directory(folder_.path() + "/" + deep);
  const std::string whole = cpio_archive({{.name = "a", .data = elf_}});
  const auto sysroot =
      open_sysroot(put(deep + "/initramfs", whole.substr(0, whole.size() / 2)));
  EXPECT_THAT(sysroot.image->diagnostics().entries().at(0).example,
              AllOf(StartsWith("initramfs: "), Not(EndsWith("…"))));
}

TEST_F(SysrootImageTest, AListIsChecked) {
  const std::string around = put("around", "0123456789");
  FileList list;
  list.files = {{.size = 4, .pieces = {{0, 4, 3}}},
                {.size = 4, .pieces = {{0, 4, 7}}},
                {.size = 4, .pieces = {{2, 2, 0}, {0, 2, 2}}},
                {.size = 8, .pieces = {{2, 3, 7}}}};
  list.names = {{"/good", 0}, {"/beyond", 1}, {"/disorder", 2}, {"/holes", 3}};
  const SysrootImage image("/image", list,
                           UniqueFd(::open(around.c_str(), O_RDONLY)), 10);
  EXPECT_EQ(content(image, "/good"), "3456");
  EXPECT_EQ(content(image, "/holes"), std::string("\0\0"
                                                  "789\0\0\0",
                                                  8));
  EXPECT_THAT(image.files(), ElementsAre("/good", "/holes"));
  EXPECT_EQ(image.diagnostics().count(Problem::kUnreadableInImage), 2U);
  EXPECT_EQ(image.inside("/image/a"), "/a");
  EXPECT_EQ(image.inside("/image2/a"), std::nullopt);
  EXPECT_EQ(image.inside("/image"), std::nullopt);
}

TEST_F(SysrootImageTest, SaysWhatToDoWithOtherFiles) {
  refuses("", "neither a directory");
  refuses("just some text", "give the mount point");
  refuses("QFI\xfb...", "qemu-img convert");
  refuses(gzip("an image"), "decompress it first");
  refuses(cpio_archive({{.name = "motd", .data = "hello"}}), "no programs");
  std::string super(4096, '\0');
  super.replace(1080, 2, "\x53\xef");
  refuses(super, "superblock");
}

}  // namespace
}  // namespace wick
