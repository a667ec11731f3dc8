// SPDX-License-Identifier: Apache-2.0
#include "server/http/http_client.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cctype>
#include <thread>
#include <utility>

#include "server/http/http_server.h"
#include "server/http/tls_identity.h"

namespace wick {
namespace {

using namespace std::chrono_literals;
using testing::StartsWith;

HttpAddress at(std::uint16_t port, std::string target = "/") {
  return {.host = "127.0.0.1", .port = port, .target = std::move(target)};
}

std::string why_not(const HttpAddress& address,
                    const HttpGetOptions& options = {}) {
  try {
    http_get(address, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Sends `bytes` to the first client, whatever it asks, and then either hangs up
// or keeps silent.
class Stub {
 public:
  explicit Stub(std::string bytes, bool keeps_silent = false)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof own;
    auto* address = reinterpret_cast<sockaddr*>(&own);
    if (::bind(socket_, address, size) != 0 || ::listen(socket_, 1) != 0 ||
        ::getsockname(socket_, address, &size) != 0)
      ADD_FAILURE() << "cannot listen";
    port_ = ntohs(own.sin_port);
    thread_ = std::thread([this, bytes = std::move(bytes), keeps_silent] {
      const int client = ::accept(socket_, nullptr, nullptr);
      char request[4096];
      (void)::recv(client, request, sizeof request, 0);
      (void)::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      while (keeps_silent && ::recv(client, request, sizeof request, 0) > 0) {
      }
      ::close(client);
    });
  }
  Stub(const Stub&) = delete;
  Stub& operator=(const Stub&) = delete;
  ~Stub() {
    thread_.join();
    ::close(socket_);
  }
  HttpAddress address() const { return at(port_); }

 private:
  int socket_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

TEST(HttpAddress, HasAHostAPortAndATarget) {
  const auto address = parse_address("http://build7:7373/api?a=%20b#top");
  ASSERT_TRUE(address);
  EXPECT_FALSE(address->is_encrypted);
  EXPECT_EQ(address->host, "build7");
  EXPECT_EQ(address->port, 7373);
  EXPECT_EQ(address->target, "/api?a=%20b");
}

TEST(HttpAddress, WhatIsLeftOutIsUsual) {
  EXPECT_EQ(parse_address("http://a")->port, 80);
  EXPECT_EQ(parse_address("https://a")->port, 443);
  EXPECT_TRUE(parse_address("https://a")->is_encrypted);
  EXPECT_EQ(parse_address("http://a")->target, "/");
  EXPECT_EQ(parse_address("http://a?b=c")->target, "/?b=c");
}

TEST(HttpAddress, MayBeNumeric) {
  EXPECT_EQ(parse_address("http://[::1]:80/")->host, "::1");
  EXPECT_EQ(parse_address("http://[::1]")->port, 80);
  EXPECT_EQ(parse_address("http://127.0.0.1:1")->host, "127.0.0.1");
}

TEST(HttpAddress, AnythingElseIsNone) {
  for (const char* text :
       {"", "a.data", "ftp://a", "http://", "http://:80", "http://a:", "http:a",
        "http://a:0", "http://a:65536", "http://a:8x", "http://u@a/",
        "http://u:p@a/", "http://::1/", "http://[a]/", "http://[::1",
        "http://a/b c", "http://a/\r\nX: y"})
    EXPECT_FALSE(parse_address(text)) << text;
}

TEST(HttpGet, AnswersWithStatusTypeAndBody) {
  HttpServer server("127.0.0.1", 0, {}, {}, [](const HttpRequest& request) {
    return HttpResponse{.status = 404,
                        .type = "text/x",
                        .body = request.method + " " + request.target.path};
  });
  const HttpResponse answer = http_get(at(server.port(), "/a%20b"));
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.type, "text/x");
  EXPECT_EQ(answer.body, "GET /a b");
}

TEST(HttpGet, SendsTheTokenAndTheNameOfTheServer) {
  HttpServer server("127.0.0.1", 0, {}, {}, [](const HttpRequest& request) {
    return HttpResponse{
        .body = std::string(request.header("authorization").value_or("none")) +
                " " + std::string(request.header("host").value_or("none"))};
  });
  const std::string name = "127.0.0.1:" + std::to_string(server.port());
  EXPECT_EQ(http_get(at(server.port())).body, "none " + name);
  EXPECT_EQ(http_get(at(server.port()), {.token = "abc"}).body,
            "Bearer abc " + name);
}

TEST(HttpGet, ReadsChunksAndWhatEndsWithTheConnection) {
  const Stub chunks(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n");
  EXPECT_EQ(http_get(chunks.address()).body, "hello");
  const Stub plain("HTTP/1.0 200 OK\r\n\r\nhello");
  EXPECT_EQ(http_get(plain.address()).body, "hello");
}

TEST(HttpGet, ReadsABodyOfManyPieces) {
  const std::string text(3 << 20, 'x');
  HttpServer server("127.0.0.1", 0, {}, {}, [&](const HttpRequest&) {
    return HttpResponse{.type = "a/b", .body = text};
  });
  EXPECT_EQ(http_get(at(server.port())).body, text);
}

TEST(HttpGet, ABodyHasALimit) {
  const HttpGetOptions small{.body_bytes = 4};
  const Stub announced("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(why_not(announced.address(), small),
            "the answer has more than 4 B");
  const Stub chunks(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  EXPECT_EQ(why_not(chunks.address(), small), "the answer has more than 4 B");
  const Stub endless("HTTP/1.1 200 OK\r\n\r\nhello");
  EXPECT_EQ(why_not(endless.address(), small), "the answer has more than 4 B");
}

TEST(HttpGet, AHeaderHasALimit) {
  const Stub stub("HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x'));
  EXPECT_THAT(why_not(stub.address()), StartsWith("cannot read the answer: "));
}

TEST(HttpGet, HalfAnAnswerIsNone) {
  const Stub body("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell");
  EXPECT_EQ(why_not(body.address()),
            "cannot read the answer: the connection ended early");
  const Stub chunks(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n");
  EXPECT_EQ(why_not(chunks.address()),
            "cannot read the answer: the connection ended early");
  const Stub nothing("");
  EXPECT_EQ(why_not(nothing.address()),
            "cannot read the answer: the connection ended early");
}

TEST(HttpGet, OtherProtocolsAreNamedAsSuch) {
  const Stub stub("SSH-2.0-OpenSSH_9.2\r\n");
  EXPECT_EQ(why_not(stub.address()),
            "cannot read the answer: this is not HTTP");
}

TEST(HttpGet, AServerThatKeepsSilentIsGivenUp) {
  const Stub nothing("", true);
  EXPECT_EQ(why_not(nothing.address(), {.to_answer = 50ms}),
            "cannot read the answer: it took too long");
  const Stub half("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe", true);
  EXPECT_EQ(why_not(half.address(), {.to_answer = 50ms}),
            "cannot read the answer: it took too long");
  const Stub slow("", true);
  EXPECT_EQ(why_not(slow.address(), {.in_all = 50ms}),
            "cannot read the answer: it took too long");
}

TEST(HttpGet, NobodyListening) {
  std::uint16_t port = 0;
  {
    const HttpServer server("127.0.0.1", 0, {}, {},
                            [](const HttpRequest&) { return HttpResponse{}; });
    port = server.port();
  }
  EXPECT_EQ(why_not(at(port)), "cannot connect: Connection refused");
}

class HttpGetEncrypted : public testing::Test {
 protected:
  HttpAddress address() const {
    HttpAddress address = at(server_.port());
    address.is_encrypted = true;
    return address;
  }

  TlsIdentity identity_ = make_tls_identity({});
  std::atomic<int> requests_ = 0;
  HttpServer server_{
      "127.0.0.1", 0, identity_, {}, [this](const HttpRequest& request) {
        ++requests_;
        return HttpResponse{.body = request.is_encrypted ? "safe" : "open"};
      }};
};

TEST_F(HttpGetEncrypted, ACertificateIsKnownByItsFingerprint) {
  const std::string print = fingerprint(identity_.certificate_chain);
  EXPECT_EQ(http_get(address(), {.fingerprint = print}).body, "safe");
  std::string plain;
  for (const char c : print)
    if (c != ':') plain += static_cast<char>(std::tolower(c));
  EXPECT_EQ(http_get(address(), {.fingerprint = plain}).body, "safe");
}

TEST_F(HttpGetEncrypted, AnotherCertificateIsRefusedBeforeTheTokenIsSent) {
  const std::string other =
      fingerprint(make_tls_identity({}).certificate_chain);
  EXPECT_EQ(why_not(address(), {.token = "secret", .fingerprint = other}),
            "the server's certificate has the fingerprint " +
                fingerprint(identity_.certificate_chain) +
                ", not the expected one");
  EXPECT_EQ(requests_, 0);
}

TEST_F(HttpGetEncrypted, ACertificateThatNobodyVouchesForIsRefused) {
  try {
    http_get(address(), {.token = "secret"});
    FAIL() << "was trusted";
  } catch (const UntrustedServer& error) {
    EXPECT_EQ(error.fingerprint, fingerprint(identity_.certificate_chain));
    EXPECT_THAT(error.what(),
                StartsWith("the server's certificate is not trusted: "));
  }
  EXPECT_EQ(requests_, 0);
}

TEST_F(HttpGetEncrypted, AServerWithoutTlsIsNamedAsSuch) {
  const Stub stub("HTTP/1.1 400 Bad Request\r\n\r\n");
  HttpAddress address = stub.address();
  address.is_encrypted = true;
  EXPECT_THAT(why_not(address), StartsWith("cannot encrypt the connection: "));
}

}  // namespace
}  // namespace wick
