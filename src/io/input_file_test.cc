// SPDX-License-Identifier: Apache-2.0
#include "io/input_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "builders/test_folder.h"
#include "builders/xz.h"
#include "io/compress.h"

namespace wick {
namespace {

// All blocks of `file`, with "|" between them.
std::string blocks(InputFile file, std::size_t size, bool paragraphs = false) {
  std::string all;
  for (std::string_view block;
       !(block = file.next_block(size, paragraphs)).empty();)
    all += (all.empty() ? "" : "|") + std::string(block);
  return all;
}

TEST(InputFile, GivesBlocksThatEndWithALine) {
  EXPECT_EQ(blocks(InputFile::from_memory("x", "aa\nbb\ncc\n"), 4),
            "aa\n|bb\n|cc\n");
}

TEST(InputFile, GivesBlocksThatEndWithABlankLine) {
  EXPECT_EQ(blocks(InputFile::from_memory("x", "a\nb\n\nc\nd\n\ne"), 5, true),
            "a\nb\n\n|c\nd\n\n|e");
}

TEST(InputFile, DoesNotCutALongLine) {
  const std::string line(1000, 'x');
  const std::string found =
      blocks(InputFile::from_memory("x", line + "\n" + line + "\n" + line), 10);
  EXPECT_EQ(std::ranges::count(found, 'x'), 3000);
  for (std::size_t at = found.find('|'); at != found.npos;
       at = found.find('|', at + 1))
    EXPECT_EQ(found[at - 1], '\n');
}

TEST(InputFile, GivesTheSameBytesUntilTheyAreSkipped) {
  for (const std::string& content : {std::string("abcdef"), gzip("abcdef")}) {
    InputFile file = InputFile::from_memory("x", content);
    EXPECT_EQ(file.peek(4), "abcd");
    EXPECT_EQ(file.peek(4), "abcd");
    file.skip(3);
    EXPECT_EQ(file.peek(100), "def");
    file.skip(3);
    EXPECT_EQ(file.peek(1), "");
  }
}

TEST(InputFile, ReadsCompressedFilesThrough) {
  const std::string text = "hello\nworld\n";
  for (const std::string& packed :
       {gzip(text), zstd_compress(text), xz(text)}) {
    InputFile file = InputFile::from_memory("x", packed);
    EXPECT_EQ(file.head(), text);
    EXPECT_EQ(file.bytes(), text);
    EXPECT_FALSE(file.damaged());
  }
}

TEST(InputFile, ReadsSeveralCompressedStreamsAsOne) {
  for (const std::string& packed :
       {gzip("a\n") + gzip("b\n"), zstd_compress("a\n") + zstd_compress("b\n"),
        xz("a\n") + xz("b\n"), xz("a\n") + std::string(4, '\0') + xz("b\n")}) {
    InputFile file = InputFile::from_memory("x", packed);
    EXPECT_EQ(file.bytes(), "a\nb\n");
    EXPECT_FALSE(file.damaged());
  }
}

TEST(InputFile, SaysWhatToDoWithBzip2) {
  EXPECT_THROW(InputFile::from_memory("x", "BZh91AY&SY\x01"), Error);
}

TEST(InputFile, GivesBlocksOfCompressedText) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "\n";
  std::string joined;
  InputFile file = InputFile::from_memory("x", gzip(text));
  for (std::string_view block; !(block = file.next_block(10'000)).empty();) {
    EXPECT_TRUE(block.ends_with('\n'));
    joined += block;
  }
  EXPECT_EQ(joined, text);
}

TEST(InputFile, GivesWhatIsThereOfACutCompressedFile) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i * 7919) + "\n";
  for (std::string packed : {gzip(text), zstd_compress(text), xz(text)}) {
    packed.resize(packed.size() / 2);
    InputFile file = InputFile::from_memory("x", packed);
    const std::string_view found = file.bytes();
    EXPECT_TRUE(text.starts_with(found));
    EXPECT_TRUE(file.damaged());
  }
}

TEST(InputFile, KeepsBackTheLineInWhichACompressedFileIsCut) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i * 7919) + " line\n";
  std::string packed = gzip(text, 6);
  packed.resize(packed.size() / 2);
  InputFile file = InputFile::from_memory("test", packed);
  std::string got;
  for (std::string_view block; !(block = file.next_block(1 << 20)).empty();)
    got += block;
  EXPECT_TRUE(got.ends_with(" line\n"));
  EXPECT_FALSE(file.broken_end().empty());
  EXPECT_TRUE(text.starts_with(got + file.broken_end()));
}

TEST(InputFile, RefusesADecompressionBomb) {
  const std::string zeros(std::size_t{200} << 20, '\0');
  InputFile file = InputFile::from_memory("x", zstd_compress(zeros));
  EXPECT_THROW(file.bytes(), Error);
}

TEST(InputFile, ReportsThatAFileIsMissing) {
  try {
    InputFile::open("/no/such/file");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "/no/such/file: cannot open: No such file or directory");
  }
}

TEST(InputFile, RefusesADirectory) {
  EXPECT_THROW(InputFile::open("/"), Error);
}

class InputOnDisk : public testing::Test {
 protected:
  // More than is copied as the file is opened.
  InputOnDisk() { std::ofstream(path_) << std::string(4 << 20, 'x'); }
  static std::string error_of(const InputFile& file) {
    try {
      file.check_whole();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  TestFolder temporary_;
  std::string path_ = temporary_.path() + "/input";
};

TEST_F(InputOnDisk, IsWholeIfNothingHappened) {
  InputFile file = InputFile::open(path_);
  EXPECT_EQ(file.bytes().size(), std::size_t{4} << 20);
  EXPECT_EQ(error_of(file), "");
}

TEST_F(InputOnDisk, FailsIfItBecameShorterWhileItWasRead) {
  InputFile file = InputFile::open(path_);
  std::filesystem::resize_file(path_, 100);
  EXPECT_TRUE(file.bytes().ends_with(std::string(100, '\0')));
  EXPECT_EQ(error_of(file), "became shorter while it was read");
}

TEST_F(InputOnDisk, KeepsASmallFileAsItWasWhenOpened) {
  std::ofstream(path_) << "content";
  InputFile file = InputFile::open(path_);
  std::filesystem::resize_file(path_, 0);
  EXPECT_EQ(file.bytes(), "content");
  EXPECT_EQ(error_of(file), "");
}

TEST_F(InputOnDisk, IsNotAPipeUnlessTheUserNamedIt) {
  const std::string fifo = temporary_.path() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  try {
    InputFile::open_regular(fifo);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), fifo + ": cannot open: not a regular file");
  }
}

TEST(InputFile, ReadsAnEmptyFile) {
  const std::string path = testing::TempDir() + "/wick_empty";
  std::ofstream(path).close();
  InputFile file = InputFile::open(path);
  EXPECT_EQ(file.head(), "");
  EXPECT_EQ(file.bytes(), "");
  EXPECT_EQ(file.next_block(100), "");
  std::filesystem::remove(path);
}

TEST(InputFile, SkipsALineThatIsTooLongInACompressedText) {
  InputFile file = InputFile::from_memory(
      "x",
      gzip("first\n" + std::string(3 * InputFile::kMaxLine, 'x') + "\nlast\n"));
  std::string all;
  for (std::string_view block; !(block = file.next_block(1000)).empty();)
    all += block;
  EXPECT_EQ(all, "first\nlast\n");
  EXPECT_EQ(file.long_lines(), 1u);
  EXPECT_EQ(file.long_line(), std::string(200, 'x'));
}

}  // namespace
}  // namespace wick
