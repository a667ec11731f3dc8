// SPDX-License-Identifier: Apache-2.0
#include "sysroot/partition_table.h"

#include <fcntl.h>
#include <gmock/gmock.h>

#include <fstream>

#include "base/bytes.h"
#include "builders/test_folder.h"
#include "io/unique_fd.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PartitionTableTest : public testing::Test {
 protected:
  UniqueFd open(const std::string& disk) const {
    const std::string path = folder_.path() + "/disk";
    std::ofstream(path) << disk;
    return UniqueFd(::open(path.c_str(), O_RDONLY));
  }
  static void put(std::string& disk, std::size_t at, std::string_view bytes) {
    disk.replace(at, bytes.size(), bytes);
  }
  template <class T>
  static void put_number(std::string& disk, std::size_t at, T value) {
    std::string bytes;
    append_raw(bytes, value);
    put(disk, at, bytes);
  }
  static std::string empty_disk() {
    std::string disk(8192, '\0');
    put(disk, 510, "\x55\xaa");
    return disk;
  }
  static std::string gpt_disk() {
    std::string disk = empty_disk();
    put(disk, 512, "EFI PART");
    put_number<std::uint64_t>(disk, 512 + 72, 2);
    put_number<std::uint32_t>(disk, 512 + 80, 4);
    put_number<std::uint32_t>(disk, 512 + 84, 128);
    for (const std::uint64_t i : {0, 2}) {
      put(disk, 1024 + i * 128, "type");
      put_number<std::uint64_t>(disk, 1024 + i * 128 + 32, 8 + i);
    }
    return disk;
  }

  const TestFolder folder_;
};

TEST_F(PartitionTableTest, ReadsThePrimaryPartitionsOfAnMbr) {
  std::string disk = empty_disk();
  put(disk, 446 + 4, "\x83");
  put_number<std::uint32_t>(disk, 446 + 8, 4);
  put(disk, 446 + 48 + 4, "\x82");
  put_number<std::uint32_t>(disk, 446 + 48 + 8, UINT32_MAX);
  EXPECT_THAT(partition_starts(open(disk).get()),
              ElementsAre(4 * 512, std::uint64_t{UINT32_MAX} * 512));
}

TEST_F(PartitionTableTest, ReadsAGpt) {
  EXPECT_THAT(partition_starts(open(gpt_disk()).get()),
              ElementsAre(8 * 512, 10 * 512));
}

TEST_F(PartitionTableTest, FindsNothingInADamagedGpt) {
  for (const std::size_t at : {79, 87}) {
    std::string disk = gpt_disk();
    put(disk, 512 + at, "\xff");
    EXPECT_THAT(partition_starts(open(disk).get()), IsEmpty()) << at;
  }
  // Many partitions are claimed, and the disk ends.
  std::string disk = gpt_disk();
  put_number<std::uint32_t>(disk, 512 + 80, UINT32_MAX);
  EXPECT_THAT(partition_starts(open(disk).get()),
              ElementsAre(8 * 512, 10 * 512));
}

TEST_F(PartitionTableTest, FindsNothingWithoutATable) {
  EXPECT_THAT(partition_starts(open("").get()), IsEmpty());
  EXPECT_THAT(partition_starts(open(std::string(8192, '\0')).get()), IsEmpty());
}

TEST_F(PartitionTableTest, KnowsAnExtFileSystem) {
  std::string disk(8192, '\0');
  put(disk, 4096 + 1080, "\x53\xef");
  const UniqueFd fd = open(disk);
  EXPECT_TRUE(is_ext_at(fd.get(), 4096));
  EXPECT_FALSE(is_ext_at(fd.get(), 0));
  EXPECT_FALSE(is_ext_at(fd.get(), std::uint64_t{1} << 61));
}

}  // namespace
}  // namespace wick
