// SPDX-License-Identifier: Apache-2.0
#include "io/confined_child.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "builders/test_folder.h"
#include "io/unique_fd.h"

namespace wick {
namespace {

using testing::HasSubstr;

TEST(ConfinedChild, SendsItsAnswer) {
  const auto answer = run_confined({}, {}, [](const AnswerPipe& out) {
    out.send("a");
    out.send(std::string(1 << 20, 'b'));
  });
  EXPECT_EQ(answer.bytes.size(), (1U << 20) + 1);
  EXPECT_EQ(answer.problem, "");
}

TEST(ConfinedChild, HasTheGivenFilesAndCanOpenNoOther) {
  const TestFolder folder;
  const std::string path = folder.path() + "/file";
  const UniqueFd given(::open(path.c_str(), O_RDWR | O_CREAT, 0600));
  const UniqueFd other(::open(path.c_str(), O_RDWR));
  const int fds[] = {given.get()};
  const auto answer =
      run_confined({.written_file = 100}, fds, [&](const AnswerPipe& out) {
        const auto say = [&](bool works) { out.send(works ? "y" : "n"); };
        say(::write(given.get(), "x", 1) == 1);
        say(::write(other.get(), "x", 1) == 1);
        say(::write(STDERR_FILENO, "", 0) == 0);
        say(::open("/etc/passwd", O_RDONLY) >= 0);
        say(::socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
        say(::unlink(path.c_str()) == 0);
        say(::kill(::getppid(), 0) == 0);
        say(::fork() >= 0);
      });
  EXPECT_EQ(answer.bytes, "ynnnnnnn");
  EXPECT_EQ(::access(path.c_str(), F_OK), 0);
}

TEST(ConfinedChild, LimitsTheTime) {
  const auto answer = run_confined({.time = std::chrono::seconds(1)}, {},
                                   [](const AnswerPipe& out) {
                                     out.send("begun");
                                     for (volatile bool on = true; on;) {
                                     }
                                   });
  EXPECT_EQ(answer.bytes, "begun");
  EXPECT_THAT(answer.problem, HasSubstr("took more than"));
}

TEST(ConfinedChild, LimitsTheAnswer) {
  const auto answer =
      run_confined({.answer = 1000}, {}, [](const AnswerPipe& out) {
        while (true) out.send(std::string(100, 'x'));
      });
  EXPECT_THAT(answer.problem, HasSubstr("too long"));
}

TEST(ConfinedChild, LimitsTheFilesItWrites) {
  const TestFolder folder;
  const UniqueFd given(
      ::open((folder.path() + "/file").c_str(), O_RDWR | O_CREAT, 0600));
  const int fds[] = {given.get()};
  const auto answer =
      run_confined({.written_file = 1000}, fds, [&](const AnswerPipe&) {
        while (::write(given.get(), "12345678", 8) > 0) {
        }
      });
  EXPECT_THAT(answer.problem, HasSubstr("too large"));
  EXPECT_EQ(::lseek(given.get(), 0, SEEK_END), 1000);
}

TEST(ConfinedChild, ReportsACrash) {
  const auto answer = run_confined({}, {}, [](const AnswerPipe&) {
    ::raise(SIGILL);
    ::_exit(7);
  });
  EXPECT_THAT(answer.problem, HasSubstr("crashed"));
}

}  // namespace
}  // namespace wick
