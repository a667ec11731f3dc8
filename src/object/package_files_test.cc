// SPDX-License-Identifier: Apache-2.0
#include "object/package_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "builders/test_folder.h"

namespace wick {
namespace {

void write(const TestFolder& folder, const char* name, const char* text) {
  std::ofstream(folder.path() + "/" + name) << text;
}

using Owners = std::map<std::string, std::string>;

TEST(PackageFiles, FindsTheOwnerWithAMergedUsr) {
  const TestFolder folder;
  write(folder, "gzip.list", "/.\n/bin\n/bin/gzip\n");
  write(folder, "libz1:amd64.list", "/usr/lib/libz.so.1\n");
  write(folder, "gzip.md5sums", "/usr/bin/other\n");
  const PackageFiles packages(folder.path());
  EXPECT_TRUE(packages.exist());
  EXPECT_EQ(packages.owners({"/usr/bin/gzip", "/lib/libz.so.1",
                             "/usr/bin/other", "/home/me/gzip"}),
            (Owners{{"/usr/bin/gzip", "gzip"}, {"/lib/libz.so.1", "libz1"}}));
}

TEST(PackageFiles, AreMissingOnOtherSystems) {
  const PackageFiles packages("/nonexistent");
  EXPECT_FALSE(packages.exist());
  EXPECT_TRUE(packages.owners({"/bin/sh"}).empty());
}

}  // namespace
}  // namespace wick
