// SPDX-License-Identifier: Apache-2.0
#include "sysroot/cpio.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "builders/cpio_builder.h"
#include "builders/xz.h"
#include "io/compress.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kLs = "\177ELF of ls";
const std::string kLibc = "\177ELF of libc, which is longer";

struct ListedArchive {
  FileList list;
  std::string store;

  // "/bin/ls=…", and links as "/bin/sh->ls".
  std::vector<std::string> text() const {
    std::vector<std::string> out;
    for (const FileList::Name& name : list.names) {
      const FilePiece& piece = list.files[name.file].pieces.at(0);
      out.push_back(name.path + "=" +
                    store.substr(piece.stored_at, piece.size));
    }
    for (const FileList::Link& link : list.links)
      out.push_back(link.path + "->" + link.target);
    return out;
  }
};

ListedArchive listed(std::string_view bytes, FileListLimits limits = {}) {
  ListedArchive out;
  std::string sent;
  FileListWriter writer([&](std::string_view more) { sent += more; }, limits);
  list_initramfs(
      bytes,
      [&](std::string_view more) {
        out.store += more;
        return true;
      },
      writer);
  out.list = read_file_list(sent);
  return out;
}

TEST(Cpio, ListsElfFilesAndLinks) {
  const ListedArchive found = listed(
      cpio_archive({{.name = ".", .data = "", .mode = S_IFDIR | 0755},
                    {.name = "bin/ls", .data = kLs},
                    {.name = "etc/passwd", .data = "root:x:0:0"},
                    {.name = "bin/sh", .data = "ls", .mode = S_IFLNK | 0777},
                    {.name = "dev/null", .data = "", .mode = S_IFCHR | 0666},
                    {.name = "./lib/libc.so", .data = kLibc}}));
  EXPECT_THAT(
      found.text(),
      ElementsAre("/bin/ls=" + kLs, "/lib/libc.so=" + kLibc, "/bin/sh->ls"));
  EXPECT_TRUE(found.list.is_complete);
}

TEST(Cpio, ArchivesFollowEachOtherPlainAndCompressed) {
  const std::string a = cpio_archive({{.name = "a", .data = kLs}});
  const std::string b = cpio_archive({{.name = "b", .data = kLibc}});
  const std::string zeros(512, '\0');
  for (const std::string& bytes :
       {a + b, a + zeros + b, a + gzip(b), gzip(a) + zeros + zstd_compress(b),
        gzip(a) + b, a + zeros + xz(b) + zeros, gzip(a + zeros + b)}) {
    const ListedArchive found = listed(bytes);
    EXPECT_THAT(found.text(), ElementsAre("/a=" + kLs, "/b=" + kLibc));
    EXPECT_EQ(found.list.error, "");
    EXPECT_TRUE(found.list.is_complete);
  }
}

TEST(Cpio, HardLinksShareTheDataWhereverItIs) {
  const ListedArchive found = listed(
      cpio_archive({{.name = "first", .data = "", .inode = 7, .links = 3},
                    {.name = "second", .data = kLs, .inode = 7, .links = 3},
                    {.name = "third", .data = "", .inode = 7, .links = 3},
                    {.name = "empty", .data = "", .inode = 8}}));
  EXPECT_THAT(found.text(),
              ElementsAre("/second=" + kLs, "/first=" + kLs, "/third=" + kLs));
  EXPECT_THAT(found.list.files, SizeIs(1));
}

TEST(Cpio, NamesThatLeadUpAreRefused) {
  const ListedArchive found =
      listed(cpio_archive({{.name = "../etc/evil", .data = kLs},
                           {.name = "a/../../evil", .data = kLs},
                           {.name = "/absolute//./name", .data = kLs}}));
  EXPECT_THAT(found.text(), ElementsAre("/absolute/name=" + kLs));
  EXPECT_THAT(found.list.unreadable, SizeIs(2));
  EXPECT_TRUE(found.list.is_complete);
}

TEST(Cpio, EveryPrefixIsIncomplete) {
  const std::string whole =
      cpio_archive({{.name = "bin/ls", .data = kLs},
                    {.name = "sh", .data = "bin/ls", .mode = S_IFLNK | 0777},
                    {.name = "libc", .data = kLibc}});
  for (const std::string& bytes : {whole, gzip(whole), xz(whole)}) {
    const auto all = listed(bytes).text();
    for (std::size_t size = 1; size < bytes.size(); ++size) {
      const ListedArchive found =
          listed(std::string_view(bytes).substr(0, size));
      // The last bytes are padding, or a checksum.
      if (found.text() != all) {
        EXPECT_NE(found.list.error, "") << size;
        EXPECT_FALSE(found.list.is_complete) << size;
      }
      for (const std::string& one : found.text())
        EXPECT_THAT(all, testing::Contains(one)) << size;
    }
  }
}

TEST(Cpio, ChangedBytesDoNoHarm) {
  const std::string whole =
      cpio_archive({{.name = "bin/ls", .data = kLs, .inode = 3, .links = 2},
                    {.name = "bin/dir", .data = "", .inode = 3, .links = 2},
                    {.name = "sh", .data = "bin/ls", .mode = S_IFLNK | 0777}});
  for (const std::string& bytes : {whole, gzip(whole)})
    for (std::size_t at = 0; at < bytes.size(); ++at)
      for (const char change : {'\x01', '\x10', '\x80', '\xff'}) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ change);
        const ListedArchive found = listed(damaged);
        for (const FileList::File& file : found.list.files)
          EXPECT_TRUE(is_valid(
              {.around = nullptr, .size = file.size, .pieces = file.pieces},
              found.store.size()));
      }
}

TEST(Cpio, AClaimedSizeIsNotBelieved) {
  std::string bytes = cpio_archive({{.name = "huge", .data = kLs}});
  bytes.replace(54, 8, "ffffffff");
  const ListedArchive found = listed(bytes);
  EXPECT_THAT(found.text(), IsEmpty());
  EXPECT_LT(found.store.size(), bytes.size());
  EXPECT_EQ(found.list.error, "the archive is truncated");
}

TEST(Cpio, FilesBeyondALimitAreNamed) {
  const std::string bytes = cpio_archive({{.name = "a", .data = kLs},
                                          {.name = "b", .data = kLibc},
                                          {.name = "c", .data = kLs}});
  EXPECT_THAT(listed(bytes, {.files = 2}).list.left_out, ElementsAre("/c"));
  EXPECT_THAT(listed(bytes, {.file_size = kLs.size()}).list.left_out,
              ElementsAre("/b"));
  EXPECT_THAT(listed(bytes, {.total = 2 * kLs.size()}).list.left_out,
              ElementsAre("/b"));
  EXPECT_THAT(listed(bytes, {.entries = 2}).list.error, HasSubstr("too many"));
}

TEST(Cpio, OtherContentIsNotAnArchive) {
  EXPECT_THAT(listed(gzip("an ext4 image, perhaps")).list.error,
              HasSubstr("decompress it first"));
  const std::string a = cpio_archive({{.name = "a", .data = kLs}});
  EXPECT_THAT(listed(a + "rubbish").list.error, testing::Not(IsEmpty()));
}

TEST(FileList, EveryPrefixIsIncomplete) {
  std::string sent;
  FileListWriter writer([&](std::string_view more) { sent += more; });
  const std::uint32_t file =
      writer.add(FileList::File{.size = 9, .pieces = {{0, 4, 77}, {5, 4, 99}}});
  writer.add(FileList::Name{.path = "/a", .file = file});
  writer.add(FileList::Link{.path = "/b", .target = "a"});
  writer.add_unreadable("/c");
  writer.add_left_out("/d");
  writer.finish();
  const FileList whole = read_file_list(sent);
  EXPECT_TRUE(whole.is_complete);
  ASSERT_THAT(whole.files, SizeIs(1));
  EXPECT_EQ(whole.files[0].pieces[1], (FilePiece{5, 4, 99}));
  EXPECT_THAT(whole.unreadable, ElementsAre("/c"));
  EXPECT_THAT(whole.left_out, ElementsAre("/d"));
  for (std::size_t size = 0; size < sent.size(); ++size)
    EXPECT_FALSE(
        read_file_list(std::string_view(sent).substr(0, size)).is_complete);
}

}  // namespace
}  // namespace wick
