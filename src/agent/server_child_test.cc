// SPDX-License-Identifier: Apache-2.0
#include "agent/server_child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>

#include "builders/test_folder.h"
#include "io/pipe.h"

namespace wick {
namespace {

using namespace std::chrono_literals;
using Clock = ServerChild::Clock;

// Servers of these tests are shell scripts: batches come through 3, commands go
// through 4. A batch of four bytes is a frame of eight.
class ServerChildTest : public testing::Test {
 protected:
  ServerChild::Program script(const std::string& text) const {
    return {.path = "/bin/sh",
            .words = {"sh", "-c", "cd " + folder_.path() + "; " + text},
            .word_again = {},
            .inherited = {}};
  }
  std::string content(const std::string& name) const {
    std::ifstream file(folder_.path() + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Tends the server until `done`, for at most a minute.
  bool tend(ServerChild& child, const std::function<bool()>& done) {
    for (const auto end = Clock::now() + 60s; Clock::now() < end;) {
      child.tend(Clock::now(),
                 [&](const BatchCommand& c) { commands_.push_back(c); });
      if (done()) return true;
      ::usleep(5000);
    }
    return false;
  }

  TestFolder folder_;
  std::vector<BatchCommand> commands_;
};

const std::string kFrameOfSeven("\4\0\0\0seve", 8);
const std::string kFrameOfEight("\4\0\0\0eigh", 8);

TEST_F(ServerChildTest, GetsBatchesAndReadsThemAllBeforeItEnds) {
  ServerChild child(script("echo ready >&4; cat <&3 >got"));
  tend(child, [&] { return child.pid() > 0; });
  child.send(7, "seve");
  child.send(8, "eigh");
  child.stop(Clock::now() + 60s);
  EXPECT_EQ(child.pid(), 0);
  EXPECT_EQ(content("got"), kFrameOfSeven + kFrameOfEight);
}

TEST_F(ServerChildTest, IsListenedTo) {
  ServerChild child(
      script("echo ready >&4; echo nonsense >&4; "
             "echo freq 99 >&4; cat <&3 >/dev/null"));
  ASSERT_TRUE(tend(child, [&] { return !commands_.empty(); }));
  EXPECT_EQ(commands_.front(),
            (BatchCommand{BatchCommand::Kind::kFrequency, 99}));
}

TEST_F(ServerChildTest, IsStartedAgainAndGetsWhatItHadNotStored) {
  auto program = script(
      "echo ready >&4; if [ \"$0\" != again ]; then head -c 16 <&3 >first; "
      "echo stored 7 >&4; kill -9 $$; else head -c 8 <&3 >second; "
      "echo stored 8 >&4; cat <&3; fi");
  program.word_again = "again";
  ServerChild child(std::move(program));
  child.send(7, "seve");
  child.send(8, "eigh");
  ASSERT_TRUE(tend(child, [&] { return content("second").size() == 8; }));
  EXPECT_EQ(content("first"), kFrameOfSeven + kFrameOfEight);
  EXPECT_EQ(content("second"), kFrameOfEight);
  const auto end = child.take_end();
  ASSERT_TRUE(end);
  EXPECT_EQ(WTERMSIG(*end), SIGKILL);
  EXPECT_FALSE(child.first_failure());
}

TEST_F(ServerChildTest, OneThatCannotBeginIsNotStartedAgain) {
  ServerChild child(script("echo x >>starts; exit 3"));
  ASSERT_TRUE(tend(child, [&] { return child.first_failure().has_value(); }));
  EXPECT_EQ(WEXITSTATUS(*child.first_failure()), 3);
  child.tend(Clock::now() + 3600s, nullptr);
  EXPECT_EQ(child.pid(), 0);
  EXPECT_EQ(content("starts"), "x\n");
}

TEST_F(ServerChildTest, OneThatDoesNotEndIsKilled) {
  ServerChild child(script("echo ready >&4; exec sleep 1000"));
  tend(child, [&] { return child.pid() > 0; });
  child.stop(Clock::now() + 50ms);
  ASSERT_TRUE(child.take_end());
  EXPECT_EQ(child.pid(), 0);
}

TEST_F(ServerChildTest, InheritsTheFilesThatItIsGivenAndNoOthers) {
  Pipe given = make_pipe();
  const int other = ::fcntl(given.read.get(), F_DUPFD, 100);  // no O_CLOEXEC
  auto program =
      script("echo here >&5; ls /proc/$$/fd >list; echo ready >&4; cat <&3");
  program.inherited = {given.write.get()};
  ServerChild child(std::move(program));
  ASSERT_TRUE(tend(child, [&] { return !content("list").empty(); }));
  char text[5]{};
  EXPECT_EQ(::read(given.read.get(), text, 4), 4);
  EXPECT_EQ(std::string(text), "here");
  EXPECT_EQ(content("list").find(std::to_string(other) + "\n"),
            std::string::npos);
  ::close(other);
}

TEST_F(ServerChildTest, BatchesThatNobodyTakesAreDroppedAndCounted) {
  ServerChild child(script("exit 0"));
  const std::string batch(BatchSender::kBudget / 4, 'x');
  for (std::uint64_t i = 1; i <= 10; ++i) child.send(i, batch);
  EXPECT_GT(child.take_lost(), 0);
  EXPECT_EQ(child.take_lost(), 0);
}

}  // namespace
}  // namespace wick
