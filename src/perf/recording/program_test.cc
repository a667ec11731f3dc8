// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/program.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "builders/test_folder.h"

namespace wick {
namespace {

TEST(HeldProgram, DoesNothingBeforeItIsLetGo) {
  const TestFolder folder;
  const std::string file = folder.path() + "/made";
  HeldProgram program({"touch", file});
  ::usleep(20000);
  EXPECT_NE(::access(file.c_str(), F_OK), 0);
  program.start();
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(::access(file.c_str(), F_OK), 0);
}

TEST(HeldProgram, GivesTheStatusOfItsProgram) {
  HeldProgram program({"sh", "-c", "exit 7"});
  program.start();
  EXPECT_EQ(WEXITSTATUS(program.wait()), 7);
}

TEST(HeldProgram, GivesTheSignalThatEndedIt) {
  HeldProgram program({"sh", "-c", "kill -TERM $$"});
  program.start();
  const int status = program.wait();
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

TEST(HeldProgram, ReportsWhatCannotBeRun) {
  HeldProgram program({"/no/such/program"});
  try {
    program.start();
    FAIL() << "it was run";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "/no/such/program: cannot be run: No such file or directory");
  }
}

TEST(HeldProgram, OneThatIsNotLetGoIsGone) {
  pid_t pid = -1;
  {
    const HeldProgram program({"sleep", "100"});
    pid = program.pid();
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

}  // namespace
}  // namespace wick
