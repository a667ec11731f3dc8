// SPDX-License-Identifier: Apache-2.0
#include "object/images.h"

#include <gtest/gtest.h>

#include "object/elf/elf_file.h"

namespace wick {
namespace {

constexpr std::uint64_t kMuch = std::uint64_t{1} << 40;

// With memory for files and names.
struct OneImage {
  explicit OneImage(std::uint64_t bytes) : files_memory(make(bytes)) {}
  static std::shared_ptr<MemoryBudget> make(std::uint64_t bytes) {
    return std::make_shared<MemoryBudget>(bytes);
  }

  std::shared_ptr<MemoryBudget> files_memory, names_memory = make(100'000);
  DebugFiles files{{.memory = files_memory}};
  Images images{files, {.files = files_memory, .names = names_memory}};
  ImageId id = images.intern({.path = "/proc/self/exe"});
};

// What the unwind table of this program takes.
std::uint64_t whole_table() {
  static const std::uint64_t bytes = [] {
    OneImage t(kMuch);
    t.images.unwind_table(t.id);
    return t.files_memory->used();
  }();
  return bytes;
}

TEST(Images, UnusedFilesAreClosedIfTheyHoldMoreThanAQuarter) {
  OneImage t(whole_table() * 3);
  ASSERT_NE(t.images.unwind_table(t.id), nullptr);
  EXPECT_FALSE(t.images.trim());
  EXPECT_TRUE(t.images.trim());
  EXPECT_EQ(t.files_memory->used(), 0u);
}

TEST(Images, AClosedFileIsReopenedOnUse) {
  OneImage t(whole_table() * 3);
  const std::size_t functions = t.images.unwind_table(t.id)->functions();
  EXPECT_GT(functions, 0u);
  t.images.trim();
  ASSERT_TRUE(t.images.trim());
  EXPECT_EQ(t.images.unwind_table(t.id)->functions(), functions);
}

TEST(Images, AFileThatWasNotFoundIsLookedForInTheNextProcess) {
  DebugFiles files({});
  Images images(files);
  const std::string here = "/no such file";
  const ImageId id = images.intern({.path = here, .pid = 1 << 30});
  EXPECT_EQ(images.elf(id), nullptr);
  EXPECT_EQ(images.intern({.path = here, .pid = 7, .mapped_start = 1}), id);
  EXPECT_EQ(images.file(id).pid, 7);
  EXPECT_EQ(images.file(id).mapped_start, 1u);
}

TEST(Images, NothingIsClosedWhileThereIsMemory) {
  OneImage t(kMuch);
  t.images.unwind_table(t.id);
  t.images.trim();
  EXPECT_FALSE(t.images.trim());
}

TEST(Images, AFileThatNeedsMoreThanHalfTheMemoryIsRefusedAndCounted) {
  OneImage t(whole_table() * 3 / 2);
  t.images.unwind_table(t.id);
  EXPECT_LE(t.files_memory->used(), whole_table() * 3 / 4);
  EXPECT_EQ(t.images.refused_files(), 1u);
  t.images.trim();
  EXPECT_EQ(t.images.refused_files(), 1u);
}

TEST(Images, WhenMemoryIsShortTheLargestIsClosedForGood) {
  // The largest of several that together leave less than a quarter.
  OneImage t(whole_table() * 5 / 2);
  ASSERT_TRUE(t.files_memory->take(whole_table()));  // of others
  ASSERT_NE(t.images.unwind_table(t.id), nullptr);
  ASSERT_TRUE(t.images.is_short_of_memory());
  EXPECT_TRUE(t.images.trim());
  EXPECT_FALSE(t.images.is_short_of_memory());
  EXPECT_EQ(t.images.refused_files(), 1u);
  EXPECT_EQ(t.images.elf(t.id), nullptr);
}

TEST(Images, WithoutMemoryForItsNameThereIsNoImage) {
  OneImage t(kMuch);
  EXPECT_EQ(t.images.intern({.path = std::string(200'000, 'x')}),
            ImageId::kNone);
}

TEST(Images, ThoseThatNothingNeedsAreForgotten) {
  OneImage t(kMuch);
  const std::uint64_t before = t.names_memory->used();
  for (int i = 0; i < 10; ++i)
    t.images.intern({.path = std::to_string(i) + std::string(8'000, 'x')});
  EXPECT_TRUE(t.images.has_many_names());
  std::vector<bool> needed(t.images.size());
  needed[index(t.id)] = true;
  t.images.forget_all_but(needed);
  EXPECT_FALSE(t.images.has_many_names());
  EXPECT_EQ(t.names_memory->used(), before);
  EXPECT_EQ(t.images.intern({.path = "/proc/self/exe"}), t.id);
}

TEST(Images, IdsOfForgottenOnesAreReused) {
  OneImage t(kMuch);
  const ImageId first = t.images.intern({.path = "/a"});
  t.images.forget_all_but({});
  t.images.intern({.path = "/b"});
  const ImageId reused = t.images.intern({.path = "/c"});
  EXPECT_TRUE(reused == first || reused == t.id);
  EXPECT_EQ(t.images.file(reused).path, "/c");
  EXPECT_EQ(t.images.size(), 3u);
}

}  // namespace
}  // namespace wick
