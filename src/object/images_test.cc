// SPDX-License-Identifier: Apache-2.0
#include "object/images.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

struct OneImage {
  DebugFiles files{{}};
  Images images{files};
  ImageId id = images.intern({.path = "/proc/self/exe"});
};

TEST(Images, UnusedFilesAreClosedAtTheNextTrim) {
  OneImage t;
  ASSERT_NE(t.images.unwind_table(t.id), nullptr);
  EXPECT_FALSE(t.images.trim(1000));
  EXPECT_TRUE(t.images.trim(1000));
}

TEST(Images, AClosedFileIsReopenedOnUse) {
  OneImage t;
  const std::size_t functions = t.images.unwind_table(t.id)->functions();
  EXPECT_GT(functions, 0u);
  t.images.trim(0);
  ASSERT_TRUE(t.images.trim(0));
  EXPECT_EQ(t.images.unwind_table(t.id)->functions(), functions);
}

TEST(Images, NothingIsClosedBelowTheLimit) {
  OneImage t;
  t.images.unwind_table(t.id);
  t.images.trim(std::size_t{1} << 40);
  EXPECT_FALSE(t.images.trim(std::size_t{1} << 40));
}

}  // namespace
}  // namespace wick
