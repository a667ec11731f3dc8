// SPDX-License-Identifier: Apache-2.0
#include "server/batch/batch_pipe.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <vector>

#include "base/error.h"
#include "io/unique_fd.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class Pipe {
 public:
  Pipe() {
    std::signal(SIGPIPE, SIG_IGN);
    int fds[2];
    EXPECT_EQ(::pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
    out_ = UniqueFd(fds[0]);
    in_ = UniqueFd(fds[1]);
  }
  int out() const { return out_.get(); }
  int in() const { return in_.get(); }
  void close_out() { out_.reset(); }
  void close_in() { in_.reset(); }

 private:
  UniqueFd out_, in_;
};

std::vector<std::string> arrived(BatchReceiver& receiver) {
  receiver.read();
  std::vector<std::string> all;
  while (auto bytes = receiver.next()) all.push_back(*bytes);
  return all;
}

TEST(BatchPipe, CarriesWhatWasAdded) {
  const Pipe pipe;
  BatchSender sender;
  sender.add(1, "one");
  sender.add(2, "two");
  EXPECT_TRUE(sender.write(pipe.in()));
  EXPECT_FALSE(sender.has_more());
  BatchReceiver receiver(pipe.out());
  EXPECT_THAT(arrived(receiver), ElementsAre("one", "two"));
}

TEST(BatchPipe, GivesABatchOnceAllOfItHasArrived) {
  const Pipe pipe;
  BatchReceiver receiver(pipe.out());
  ASSERT_EQ(::write(pipe.in(), "\3\0\0\0on", 6), 6);
  EXPECT_THAT(arrived(receiver), IsEmpty());
  ASSERT_EQ(::write(pipe.in(), "e", 1), 1);
  EXPECT_THAT(arrived(receiver), ElementsAre("one"));
}

TEST(BatchPipe, DoesNotWaitForTheReader) {
  const Pipe pipe;
  BatchSender sender;
  const std::string large(1 << 20, 'x');  // more than a pipe holds
  sender.add(1, large);
  EXPECT_TRUE(sender.write(pipe.in()));
  EXPECT_TRUE(sender.has_more());
  BatchReceiver receiver(pipe.out());
  std::vector<std::string> all;
  while (all.empty()) {
    all = arrived(receiver);
    EXPECT_TRUE(sender.write(pipe.in()));
  }
  EXPECT_THAT(all, ElementsAre(large));
}

TEST(BatchPipe, SendsAgainWhatWasNotAcknowledged) {
  BatchSender sender;
  {
    const Pipe first;
    sender.add(1, "one");
    sender.add(2, "two");
    sender.add(3, "three");
    EXPECT_TRUE(sender.write(first.in()));
    sender.acknowledge(1);
  }
  sender.start_again();
  const Pipe second;
  EXPECT_TRUE(sender.write(second.in()));
  BatchReceiver receiver(second.out());
  EXPECT_THAT(arrived(receiver), ElementsAre("two", "three"));
  EXPECT_EQ(sender.take_lost(), 0u);
}

TEST(BatchPipe, SaysWhenNobodyReads) {
  Pipe pipe;
  pipe.close_out();
  BatchSender sender;
  sender.add(1, "one");
  EXPECT_FALSE(sender.write(pipe.in()));
}

TEST(BatchPipe, DropsTheOldestBeyondItsBudgetAndCountsThem) {
  const Pipe pipe;
  BatchSender sender(20);
  for (const std::uint64_t sequence : {1, 2, 3, 4})
    sender.add(sequence, "123456");
  EXPECT_EQ(sender.take_lost(), 2u);
  EXPECT_EQ(sender.take_lost(), 0u);
  EXPECT_TRUE(sender.write(pipe.in()));
  BatchReceiver receiver(pipe.out());
  EXPECT_THAT(arrived(receiver), ElementsAre("123456", "123456"));
}

TEST(BatchPipe, LosesNothingThatWasSentAndIsStored) {
  const Pipe pipe;
  BatchSender sender(20);
  sender.add(1, "123456");
  EXPECT_TRUE(sender.write(pipe.in()));
  sender.add(2, "123456");
  sender.add(3, "123456");
  sender.acknowledge(1);
  sender.start_again();
  EXPECT_EQ(sender.take_lost(), 0u);
}

TEST(BatchPipe, CountsWhatWasSentAndDroppedIfTheReaderDies) {
  const Pipe pipe;
  BatchSender sender(20);
  sender.add(1, "123456");
  EXPECT_TRUE(sender.write(pipe.in()));
  sender.add(2, "123456");
  sender.add(3, "123456");
  sender.start_again();
  EXPECT_EQ(sender.take_lost(), 1u);
}

TEST(BatchPipe, ContinuesABatchThatIsHalfWritten) {
  const Pipe pipe;
  const std::string large(100'000, 'x');
  BatchSender sender(150'000);
  sender.add(1, large);
  EXPECT_TRUE(sender.write(pipe.in()));
  ASSERT_TRUE(sender.has_more());
  sender.add(2, std::string(40'000, 'y'));
  sender.add(3, "three");
  sender.add(4, std::string(20'000, 'z'));
  EXPECT_EQ(sender.take_lost(), 1u);
  BatchReceiver receiver(pipe.out());
  std::vector<std::string> all;
  while (all.size() < 3) {
    for (std::string& one : arrived(receiver)) all.push_back(std::move(one));
    EXPECT_TRUE(sender.write(pipe.in()));
  }
  EXPECT_THAT(all, ElementsAre(large, "three", std::string(20'000, 'z')));
}

TEST(BatchPipe, EndsWithItsWriter) {
  Pipe pipe;
  pipe.close_in();
  BatchReceiver receiver(pipe.out());
  EXPECT_FALSE(receiver.read());
}

TEST(BatchPipe, WithAnImpossibleLengthIsDamaged) {
  const Pipe pipe;
  ASSERT_EQ(::write(pipe.in(), "\xff\xff\xff\xff", 4), 4);
  BatchReceiver receiver(pipe.out());
  receiver.read();
  EXPECT_THAT([&] { receiver.next(); },
              ThrowsMessage<Error>(HasSubstr("damaged")));
}

TEST(BatchCommand, IsALineOfText) {
  EXPECT_EQ(to_line({BatchCommand::Kind::kFrequency, 99}), "freq 99\n");
  EXPECT_EQ(to_line({BatchCommand::Kind::kStored, 7}), "stored 7\n");
}

TEST(BatchCommand, IsReadBack) {
  EXPECT_EQ(parse_command("freq 99"),
            (BatchCommand{BatchCommand::Kind::kFrequency, 99}));
  EXPECT_EQ(parse_command("stored 7"),
            (BatchCommand{BatchCommand::Kind::kStored, 7}));
}

TEST(BatchCommand, IsNothingElse) {
  for (const char* line :
       {"", "freq", "freq x", "stop 1", "freq -1", "freq 1 "})
    EXPECT_EQ(parse_command(line), std::nullopt) << line;
}

}  // namespace
}  // namespace wick
