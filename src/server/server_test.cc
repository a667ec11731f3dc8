// SPDX-License-Identifier: Apache-2.0
// The server process as a whole, with the recorder's ends of its pipes.
#include "server/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/text.h"
#include "builders/batch_builder.h"
#include "builders/batch_times.h"
#include "builders/test_folder.h"
#include "io/unique_fd.h"
#include "server/batch/batch_pipe.h"
#include "server/store/sqlite_store.h"

namespace wick {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

std::int64_t now_ns() {
  return std::chrono::system_clock::now().time_since_epoch() / 1ns;
}

struct TestPipe {
  TestPipe() {
    int fds[2];
    EXPECT_EQ(::pipe2(fds, O_CLOEXEC), 0);
    out = UniqueFd(fds[0]);
    in = UniqueFd(fds[1]);
  }
  UniqueFd out, in;
};

class Servers : public testing::Test {
 protected:
  Servers() { std::signal(SIGPIPE, SIG_IGN); }
  ~Servers() override { stop(); }

  void start(bool has_recorder = true) {
    options_.config.port = 0;
    options_.stop = stop_.get();
    options_.changed = changed_.get();
    if (has_recorder) {
      options_.batches = batches_.out.get();
      options_.commands = commands_.in.get();
    }
    const auto ready = std::make_shared<std::promise<ServerAddress>>();
    const auto is_ready = std::make_shared<bool>(false);
    options_.on_ready = [=](const ServerAddress& address) {
      *is_ready = true;
      ready->set_value(address);
    };
    thread_ = std::thread([=, this] {
      try {
        StateFolder state(folder_.path() + "/state");
        run_server(options_, state);
      } catch (const Error& error) {
        failure_ = error.what();
        if (!*is_ready) ready->set_value({});
      }
    });
    address_ = ready->get_future().get();
    std::string_view rest = address_.url;
    rest.remove_prefix(rest.rfind(':') + 1);
    port_ = to_number<std::uint16_t>(take_until(rest, '/')).value_or(0);
    rest = address_.login;
    rest.remove_prefix(std::min(rest.find('=') + 1, rest.size()));
    token_ = rest;
  }
  void stop() {
    if (!thread_.joinable()) return;
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(stop_.get(), &one, sizeof one), 8);
    batches_.in.reset();
    thread_.join();
  }

  // The answer with its head.
  std::string ask(std::string_view path, std::string_view head) const {
    const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port_);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) !=
        0)
      return "no connection";
    const std::string request = fmt::format(
        "GET {} HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n{}\r\n",
        path, port_, head);
    EXPECT_EQ(::send(socket.get(), request.data(), request.size(), 0),
              static_cast<ssize_t>(request.size()));
    std::string answer;
    char bytes[4096];
    for (ssize_t n; (n = ::recv(socket.get(), bytes, sizeof bytes, 0)) > 0;)
      answer.append(bytes, static_cast<std::size_t>(n));
    return answer;
  }
  std::string get(std::string_view path) const {
    return ask(path, fmt::format("Authorization: Bearer {}\r\n", token_));
  }
  // Asks until the answer has this text.
  std::string wait_for(std::string_view path, std::string_view text) const {
    while (true) {
      std::string answer = get(path);
      if (answer.find(text) != answer.npos) return answer;
      std::this_thread::sleep_for(10ms);
    }
  }

  void send(const Batch& batch) {
    BatchSender sender;
    sender.add(batch.sequence, encode(batch));
    EXPECT_TRUE(sender.write(batches_.in.get()));
  }
  std::string read_command() {
    std::string line;
    char byte = 0;
    while (byte != '\n' && ::read(commands_.out.get(), &byte, 1) == 1)
      line += byte;
    return line;
  }

  TestFolder folder_;
  TestPipe batches_, commands_;
  UniqueFd stop_{::eventfd(0, EFD_CLOEXEC)};
  UniqueFd changed_{::eventfd(0, EFD_CLOEXEC)};
  ServerOptions options_;
  ServerAddress address_;
  std::uint16_t port_ = 0;
  std::string token_, failure_;
  std::thread thread_;
};

Batch second(std::uint64_t sequence, std::int64_t from_ns) {
  return BatchBuilder(sequence).second(from_ns).sample("a;main", 7).batch();
}

TEST_F(Servers, AnswerHealthChecksWithoutAToken) {
  start(false);
  EXPECT_THAT(ask("/healthz", ""), StartsWith("HTTP/1.1 200"));
}

TEST_F(Servers, AskForAToken) {
  start(false);
  EXPECT_THAT(ask("/", ""), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask("/api/v1/hosts", ""), HasSubstr("wick serve --url"));
  EXPECT_THAT(ask("/metrics", "Authorization: Bearer guess\r\n"),
              StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(get("/"), StartsWith("HTTP/1.1 200"));
}

TEST_F(Servers, LogInByTheirLink) {
  start(false);
  EXPECT_THAT(ask("/?token=" + token_, ""), HasSubstr("HttpOnly"));
}

TEST_F(Servers, KeepTheirTokenAndTheLinkForTheirUserOnly) {
  start(false);
  const std::string state = folder_.path() + "/state/";
  for (const char* file : {"token", "login", "store.db"})
    EXPECT_EQ(std::filesystem::status(state + file).permissions(),
              std::filesystem::perms(0600))
        << file;
  EXPECT_EQ(read_state(state, kLoginFile), address_.login + "\n");
  stop();
  EXPECT_EQ(read_state(state, kLoginFile), std::nullopt);
}

TEST_F(Servers, KeepTheirTokenWhenTheyStartAgain) {
  start(false);
  const std::string before = token_;
  stop();
  stop_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
  start(false);
  EXPECT_EQ(token_, before);
}

TEST_F(Servers, HaveHeadersThatLetAPageDoLittle) {
  start(false);
  const std::string answer = get("/");
  EXPECT_THAT(answer, HasSubstr("Content-Security-Policy: default-src 'none'"));
  EXPECT_THAT(answer, HasSubstr("X-Content-Type-Options: nosniff"));
  EXPECT_THAT(answer, testing::Not(HasSubstr("unsafe-inline")));
}

TEST_F(Servers, ShowASecondAsSoonAsItCame) {
  start();
  send(second(1, now_ns() - 2 * kSecond));
  EXPECT_THAT(wait_for("/api/v1/profile?format=folded&from=-10m", "a;main"),
              HasSubstr("a;main 7\n"));
}

TEST_F(Servers, AcknowledgeWhatIsStored) {
  start();
  EXPECT_EQ(read_command(), "freq 19\n");
  const std::int64_t ten = now_ns() / (10 * kSecond) * 10 * kSecond;
  send(second(1, ten - 12 * kSecond));
  send(second(2, ten - 2 * kSecond));
  EXPECT_EQ(read_command(), "stored 1\n");
}

TEST_F(Servers, StoreEverythingWhenTheRecorderEnds) {
  start();
  const std::int64_t from = now_ns() / (10 * kSecond) * 10 * kSecond;
  send(second(1, from));
  send(second(2, from + kSecond));
  batches_.in.reset();
  thread_.join();
  const auto store = open_sqlite_store(folder_.path() + "/state/store.db");
  const Profile profile = store->profile({});
  ASSERT_EQ(profile.samples.size(), 1u);
  EXPECT_EQ(profile.samples[0].weight, 14);
}

TEST_F(Servers, SampleMoreOftenWhileSomebodyWatches) {
  start();
  EXPECT_EQ(read_command(), "freq 19\n");
  std::thread watcher([&] { get("/api/v1/live"); });
  EXPECT_EQ(read_command(), "freq 99\n");
  stop();
  watcher.join();
}

TEST_F(Servers, TakeOverWhatTheConfigurationSaysNow) {
  options_.reread = [] {
    ServeConfig config;
    config.frequency = 7;
    return config;
  };
  start();
  EXPECT_EQ(read_command(), "freq 19\n");
  const std::uint64_t one = 1;
  ASSERT_EQ(::write(changed_.get(), &one, sizeof one), 8);
  EXPECT_EQ(read_command(), "freq 7\n");
}

TEST_F(Servers, EndWithAnErrorIfThePipeIsDamaged) {
  start();
  ASSERT_EQ(::write(batches_.in.get(), "\1\0\0\0x", 5), 5);
  thread_.join();
  EXPECT_EQ(failure_, "this is not a batch");
}

TEST_F(Servers, SayThatAPortIsTaken) {
  start(false);
  ServerOptions options;
  options.config.port = port_;
  StateFolder state(folder_.path() + "/other");
  EXPECT_THAT([&] { run_server(options, state); },
              ThrowsMessage<Error>(HasSubstr(std::to_string(port_))));
}

TEST_F(Servers, EncryptWhatOthersCanReach) {
  options_.config.address = "0.0.0.0";
  start(false);
  EXPECT_THAT(address_.url, StartsWith("https://"));
  EXPECT_FALSE(address_.fingerprint.empty());
}

TEST_F(Servers, RefuseATokenThatIsEasyToGuess) {
  options_.config.token_file = folder_.path() + "/token";
  UniqueFd file(::open(options_.config.token_file.c_str(),
                       O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  ASSERT_EQ(::write(file.get(), "secret\n", 7), 7);
  start(false);
  EXPECT_THAT(failure_, HasSubstr("at least 16"));
  thread_.join();
}

}  // namespace
}  // namespace wick
