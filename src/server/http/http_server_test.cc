// SPDX-License-Identifier: Apache-2.0
#include "server/http/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.h"
#include "io/compress.h"

namespace wick {
namespace {

using namespace std::chrono_literals;

// A client that sends exactly the bytes it is told to.
class Client {
 public:
  explicit Client(const HttpServer& server) {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(server.port());
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
      ADD_FAILURE() << "cannot connect";
  }
  Client(Client&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  ~Client() {
    if (socket_ >= 0) ::close(socket_);
  }

  Client& send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) break;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return *this;
  }
  // Until `end` has been read, or the server has closed the connection.
  std::string read_until(std::string_view end) {
    std::string got;
    char byte;
    while (!got.ends_with(end) && ::recv(socket_, &byte, 1, 0) == 1)
      got += byte;
    return got;
  }
  std::string read_all() {
    std::string got;
    char bytes[4096];
    for (ssize_t n; (n = ::recv(socket_, bytes, sizeof bytes, 0)) > 0;)
      got.append(bytes, static_cast<std::size_t>(n));
    return got;
  }

 private:
  int socket_ = -1;
};

HttpResponse echo(const HttpRequest& request) {
  return {.body =
              request.method + " " + request.target.path + " " + request.body};
}

constexpr std::string_view kGet = "GET /a%20b HTTP/1.1\r\nHost: x\r\n\r\n";

std::string body_of(std::string_view response) {
  const auto at = response.find("\r\n\r\n");
  return std::string(at == std::string_view::npos ? "no body"
                                                  : response.substr(at + 4));
}

void wait_until(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    std::this_thread::sleep_for(1ms);
  }
}

TEST(HttpServer, AnswersARequest) {
  HttpServer server("127.0.0.1", 0, {}, {}, echo);
  const std::string got =
      Client(server)
          .send("GET /a%20b HTTP/1.1\r\nConnection: close\r\n\r\n")
          .read_all();
  EXPECT_TRUE(got.starts_with("HTTP/1.1 200 OK\r\n")) << got;
  EXPECT_EQ(body_of(got), "GET /a b ");
}

TEST(HttpServer, KeepsAConnectionForSeveralRequests) {
  HttpServer server("127.0.0.1", 0, {}, {}, echo);
  Client client(server);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(client.send(kGet).read_until("GET /a b ").ends_with("/a b "));
  // Two at once are answered one after the other.
  client.send(std::string(kGet) + std::string(kGet));
  EXPECT_TRUE(client.read_until("GET /a b ").ends_with("/a b "));
  EXPECT_TRUE(client.read_until("GET /a b ").ends_with("/a b "));
  EXPECT_EQ(server.connections(), 1u);
}

TEST(HttpServer, ReadsABody) {
  HttpServer server("127.0.0.1", 0, {}, {}, echo);
  EXPECT_EQ(body_of(Client(server)
                        .send("POST / HTTP/1.1\r\nConnection: close\r\n"
                              "Content-Length: 5\r\n\r\nhello")
                        .read_all()),
            "POST / hello");
  EXPECT_EQ(body_of(Client(server)
                        .send("POST / HTTP/1.1\r\nConnection: close\r\n"
                              "Transfer-Encoding: chunked\r\n\r\n"
                              "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n")
                        .read_all()),
            "POST / hello");
}

TEST(HttpServer, ABodyIsAskedForIfTheClientWaits) {
  HttpServer server("127.0.0.1", 0, {}, {}, echo);
  Client client(server);
  client.send(
      "POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 2\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(body_of(client.send("ok").read_all()), "POST / ok");
}

TEST(HttpServer, HeadHasNoBody) {
  HttpServer server("127.0.0.1", 0, {}, {}, echo);
  const std::string got =
      Client(server)
          .send("HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n")
          .read_all();
  EXPECT_NE(got.find("Content-Length: 7\r\n"), std::string::npos) << got;
  EXPECT_EQ(body_of(got), "");
}

TEST(HttpServer, CompressesForThoseWhoWantIt) {
  const std::string text(5000, 'x');
  HttpServer server("127.0.0.1", 0, {}, {}, [&](const HttpRequest&) {
    return HttpResponse{.body = text};
  });
  const auto get = [&](std::string_view accepts) {
    return Client(server)
        .send("GET / HTTP/1.1\r\nConnection: close\r\nAccept-Encoding: " +
              std::string(accepts) + "\r\n\r\n")
        .read_all();
  };
  const std::string packed = get("br, gzip;q=0.8");
  EXPECT_NE(packed.find("Content-Encoding: gzip\r\n"), std::string::npos);
  EXPECT_EQ(decompress(body_of(packed), 1 << 20), text);
  EXPECT_EQ(body_of(get("gzip;q=0, br")), text);
  EXPECT_EQ(body_of(get("identity")), text);
}

// What is wrong with a request, and the status that says so.
TEST(HttpServer, RefusesBadRequests) {
  HttpLimits limits;
  limits.header_bytes = 1000;
  limits.body_bytes = 100;
  HttpServer server("127.0.0.1", 0, {}, limits, echo);
  const std::string long_header(2000, 'a');
  const struct {
    std::string request;
    std::string_view status;
  } cases[] = {
      {"nonsense\r\n\r\n", "400"},
      {"GET http://x/ HTTP/1.1\r\n\r\n", "400"},
      {"GET /%0d%0aX:y HTTP/1.1\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nX: " + long_header + "\r\n\r\n", "431"},
      {"GET /" + long_header + " HTTP/1.1\r\n\r\n", "431"},
      {"POST / HTTP/1.1\r\nContent-Length: 101\r\n\r\n", "413"},
      {"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "400"},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" +
           std::string(101, 'b') + "\r\n0\r\n\r\n",
       "413"},
      {"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
       "400"},
      {"POST / HTTP/1.1\r\nContent-Length: 1\r\n"
       "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       "400"},
  };
  for (const auto& [request, status] : cases) {
    const std::string got = Client(server).send(request).read_all();
    EXPECT_TRUE(got.starts_with("HTTP/1.1 " + std::string(status)))
        << request.substr(0, 80) << "\n"
        << got;
  }
}

TEST(HttpServer, EveryBeginningOfARequestIsSurvived) {
  HttpServer server("127.0.0.1", 0, {}, {}, echo);
  const std::string whole =
      "POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc";
  for (std::size_t size = 0; size < whole.size(); ++size)
    Client(server).send(std::string_view(whole).substr(0, size));
  EXPECT_EQ(body_of(Client(server)
                        .send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
                        .read_all()),
            "GET / ");
}

TEST(HttpServer, WhatAHandlerThrowsIsAnError) {
  HttpServer server("127.0.0.1", 0, {}, {},
                    [](const HttpRequest& request) -> HttpResponse {
                      if (request.target.path == "/known") fail("no such host");
                      throw std::logic_error("secret");
                    });
  const auto get = [&](std::string_view path) {
    return Client(server)
        .send("GET " + std::string(path) +
              " HTTP/1.1\r\nConnection: close\r\n\r\n")
        .read_all();
  };
  EXPECT_TRUE(get("/known").starts_with("HTTP/1.1 500"));
  EXPECT_NE(get("/known").find("no such host"), std::string::npos);
  EXPECT_TRUE(get("/").starts_with("HTTP/1.1 500"));
  EXPECT_EQ(get("/").find("secret"), std::string::npos);
}

TEST(HttpServer, SlowClientsAreDisconnected) {
  HttpLimits limits;
  limits.to_send = 100ms;
  limits.to_wait = 100ms;
  HttpServer server("127.0.0.1", 0, {}, limits, echo);
  Client header(server), body(server), second(server);
  header.send("GET / HTTP/1.1\r\nHost:");
  body.send("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\na");
  second.send(kGet);
  // Each ends without being asked to, the last after an answer.
  EXPECT_EQ(header.read_all(), "");
  EXPECT_EQ(body.read_all(), "");
  EXPECT_TRUE(second.read_all().ends_with("GET /a b "));
}

TEST(HttpServer, AFullServerClosesTheConnectionThatWaitedForLongest) {
  HttpLimits limits;
  limits.connections = 3;
  HttpServer server("127.0.0.1", 0, {}, limits, echo);
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(server);
    clients.back().send(kGet).read_until("GET /a b ");
  }
  clients[0].send(kGet).read_until("GET /a b ");  // so [1] has waited longest
  Client fourth(server);
  EXPECT_TRUE(fourth.send(kGet).read_until("/a b ").ends_with("/a b "));
  EXPECT_EQ(clients[1].read_all(), "");
  EXPECT_TRUE(clients[0].send(kGet).read_until("/a b ").ends_with("/a b "));
  EXPECT_TRUE(clients[2].send(kGet).read_until("/a b ").ends_with("/a b "));
}

TEST(HttpServer, RequestsBeyondTheQueueAreRefused) {
  HttpLimits limits;
  limits.handler_threads = 1;
  limits.queued_requests = 1;
  std::atomic<bool> has_begun = false, may_go = false;
  HttpServer server("127.0.0.1", 0, {}, limits,
                    [&](const HttpRequest& request) {
                      has_begun = true;
                      may_go.wait(false);
                      return echo(request);
                    });
  Client first(server);
  first.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  wait_until([&] { return has_begun.load(); });
  const std::string refused = Client(server).send(kGet).read_until("\r\n\r\n");
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
  EXPECT_NE(refused.find("Retry-After: 1\r\n"), std::string::npos);
  may_go = true;
  may_go.notify_all();
  EXPECT_EQ(body_of(first.read_all()), "GET / ");
}

TEST(HttpServer, EventsArriveAsTheyAreSent) {
  auto stream = std::make_shared<EventStream>();
  HttpServer server("127.0.0.1", 0, {}, {}, [&](const HttpRequest&) {
    return HttpResponse{.events = stream};
  });
  Client client(server);
  client.send("GET /live HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(stream->send("top", "1"));
  const std::string head = client.read_until("\r\n\r\n");
  EXPECT_NE(head.find("Content-Type: text/event-stream"), std::string::npos);
  EXPECT_EQ(client.read_until("\n\n"), "event: top\ndata: 1\n\n");
  EXPECT_TRUE(stream->send("top", "2"));
  EXPECT_EQ(client.read_until("\n\n"), "event: top\ndata: 2\n\n");
  stream->send("top", "3");
  stream->end();
  EXPECT_EQ(client.read_all(), "event: top\ndata: 3\n\n");
}

TEST(HttpServer, AnIdleEventStreamShowsThatItIsAlive) {
  HttpLimits limits;
  limits.heartbeat = 10ms;
  auto stream = std::make_shared<EventStream>();
  HttpServer server("127.0.0.1", 0, {}, limits, [&](const HttpRequest&) {
    return HttpResponse{.events = stream};
  });
  Client client(server);
  client.send("GET /live HTTP/1.1\r\n\r\n").read_until("\r\n\r\n");
  EXPECT_EQ(client.read_until("\n\n"), ": alive\n\n");
  EXPECT_EQ(client.read_until("\n\n"), ": alive\n\n");
}

TEST(HttpServer, AnEventStreamEndsWithItsClient) {
  auto stream = std::make_shared<EventStream>();
  HttpServer server("127.0.0.1", 0, {}, {}, [&](const HttpRequest&) {
    return HttpResponse{.events = stream};
  });
  {
    Client client(server);
    client.send("GET /live HTTP/1.1\r\n\r\n").read_until("\r\n\r\n");
    EXPECT_FALSE(stream->has_ended());
  }
  wait_until([&] { return stream->has_ended(); });
  wait_until([&] { return server.connections() == 0; });
}

TEST(HttpServer, AnEventStreamThatIsNotReadEnds) {
  auto stream = std::make_shared<EventStream>();
  HttpServer server("127.0.0.1", 0, {}, {}, [&](const HttpRequest&) {
    return HttpResponse{.events = stream};
  });
  Client client(server);
  client.send("GET /live HTTP/1.1\r\n\r\n").read_until("\r\n\r\n");
  const std::string event(1 << 20, 'x');
  int sent = 0;
  while (stream->send("top", event)) ASSERT_LT(++sent, 100);
  EXPECT_TRUE(stream->has_ended());
}

// Strangers that do nothing, or everything slowly, delay nobody.
TEST(HttpServer, ANormalClientIsAnsweredBesideManyIdleSlowAndWatchingOnes) {
  std::vector<std::shared_ptr<EventStream>> streams;
  std::mutex mutex;
  HttpServer server("127.0.0.1", 0, {}, {}, [&](const HttpRequest& request) {
    if (request.target.path != "/live") return echo(request);
    const std::lock_guard lock(mutex);
    return HttpResponse{
        .events = streams.emplace_back(std::make_shared<EventStream>())};
  });
  std::vector<Client> clients;
  for (int i = 0; i < 100; ++i) {
    clients.emplace_back(server);
    clients.emplace_back(server).send("POST / HTTP/1.1\r\nContent-Le");
    clients.emplace_back(server).send("GET /live HTTP/1.1\r\n\r\n");
  }
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(
        Client(server).send(kGet).read_until("/a b ").ends_with("/a b "));
  wait_until([&] { return server.connections() >= 300; });
}

TEST(HttpServer, StopsWhateverItsClientsDo) {
  auto stream = std::make_shared<EventStream>();
  HttpServer server("127.0.0.1", 0, {}, {}, [&](const HttpRequest&) {
    return HttpResponse{.events = stream};
  });
  Client idle(server), slow(server), watching(server);
  slow.send("GET / HT");
  watching.send("GET /live HTTP/1.1\r\n\r\n").read_until("\r\n\r\n");
  server.stop();
  EXPECT_EQ(server.connections(), 0u);
  EXPECT_TRUE(stream->has_ended());
  EXPECT_EQ(idle.read_all(), "");
}

TEST(HttpServer, ARequestThatIsBeingHandledIsAnsweredBeforeTheEnd) {
  std::atomic<bool> has_begun = false;
  HttpServer server("127.0.0.1", 0, {}, {}, [&](const HttpRequest& request) {
    has_begun = true;
    std::this_thread::sleep_for(50ms);
    return echo(request);
  });
  Client client(server);
  client.send(kGet);
  wait_until([&] { return has_begun.load(); });
  server.stop(20s);
  EXPECT_TRUE(client.read_all().ends_with("GET /a b "));
}

TEST(HttpServer, ClientsWaitOnASocketThatOutlivesAServer) {
  const UniqueFd listener = listen_on("127.0.0.1", 0);
  const auto start = [&] {
    return std::make_unique<HttpServer>(listener, std::nullopt, HttpLimits{},
                                        echo);
  };
  auto server = start();
  Client(*server).send(kGet).read_until("GET /a b ");
  const std::uint16_t port = server->port();
  server.reset();
  server = start();
  EXPECT_EQ(server->port(), port);
  Client second(*server);
  second.send("GET /second HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(body_of(second.read_all()), "GET /second ");
}

TEST(HttpServer, SaysWhyItCannotListen) {
  HttpServer first("127.0.0.1", 0, {}, {}, echo);
  const auto message = [](const std::string& address, std::uint16_t port) {
    try {
      HttpServer second(address, port, {}, {}, echo);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("it listens");
  };
  EXPECT_EQ(message("127.0.0.1", first.port()),
            "cannot listen on 127.0.0.1 port " + std::to_string(first.port()) +
                ": Address already in use");
  EXPECT_EQ(message("localhost", 0), "'localhost' is not a numeric IP address");
}

}  // namespace
}  // namespace wick
