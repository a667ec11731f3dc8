// SPDX-License-Identifier: Apache-2.0
#include "server/state_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/error.h"

namespace wick {
namespace {

namespace fs = std::filesystem;

class StateFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "wick-state-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    top_ = name;
  }
  void TearDown() override { fs::remove_all(top_); }

  std::string complaint(const std::function<void()>& body) {
    try {
      body();
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  std::string top_;
};

TEST_F(StateFolderTest, IsMadeForItsUserAlone) {
  const StateFolder state(top_ + "/a/b");
  EXPECT_EQ(fs::status(top_ + "/a/b").permissions(), fs::perms::owner_all);
}

TEST_F(StateFolderTest, KeepsSmallFiles) {
  const StateFolder state(top_ + "/s");
  EXPECT_EQ(state.read("token"), std::nullopt);
  state.write("token", "first");
  state.write("token", "second");
  EXPECT_EQ(state.read("token"), "second");
  EXPECT_EQ(fs::status(state.file("token")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(read_state(top_ + "/s", "token"), "second");
  state.remove("token");
  EXPECT_EQ(state.read("token"), std::nullopt);
  EXPECT_EQ(read_state(top_ + "/none", "token"), std::nullopt);
}

TEST_F(StateFolderTest, HasOneServerAtATime) {
  std::optional<StateFolder> first(std::in_place, top_ + "/s");
  EXPECT_EQ(complaint([&] { StateFolder second(top_ + "/s"); }),
            top_ + "/s is used by another server, of pid " +
                std::to_string(::getpid()));
  first.reset();
  EXPECT_EQ(complaint([&] { StateFolder second(top_ + "/s"); }), "none");
}

TEST_F(StateFolderTest, AKilledServerLeavesNoLock) {
  const pid_t child = ::fork();
  if (child == 0) {
    const StateFolder state(top_ + "/s");
    ::kill(::getpid(), SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(complaint([&] { StateFolder next(top_ + "/s"); }), "none");
}

TEST_F(StateFolderTest, IsRefusedIfOthersCanEnter) {
  fs::create_directory(top_ + "/s");
  ASSERT_EQ(::chmod((top_ + "/s").c_str(), 0755), 0);
  EXPECT_EQ(
      complaint([&] { StateFolder state(top_ + "/s"); }),
      top_ + "/s is open to other users; expected a folder with mode 0700");
}

TEST_F(StateFolderTest, WhatCannotBeReadIsNotTakenForMissing) {
  std::ofstream(top_ + "/file") << "x";
  EXPECT_EQ(complaint([&] { read_state(top_ + "/file", "login"); }),
            top_ + "/file: Not a directory");
}

TEST_F(StateFolderTest, FollowsNoLinks) {
  const StateFolder real(top_ + "/s");
  fs::create_symlink(top_ + "/s", top_ + "/link");
  EXPECT_NE(complaint([&] { StateFolder state(top_ + "/link"); }), "none");
  fs::create_symlink("/etc/hostname", real.file("token"));
  EXPECT_NE(complaint([&] { real.read("token"); }), "none");
  // A file takes the place of the link.
  real.write("token", "x");
  EXPECT_EQ(real.read("token"), "x");
}

TEST_F(StateFolderTest, FilesThatOthersCanReadAreRefused) {
  const StateFolder state(top_ + "/s");
  state.write("token", "x");
  ASSERT_EQ(::chmod(state.file("token").c_str(), 0644), 0);
  EXPECT_EQ(complaint([&] { state.read("token"); }),
            state.file("token") + " is open to other users; `chmod go= " +
                state.file("token") + "` closes it");
}

}  // namespace
}  // namespace wick
