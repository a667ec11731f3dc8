// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 server that strangers may talk to. Boost.Beast and OpenSSL are
// used here only.
//
// One thread reads and writes all connections; a few others run the handler, so
// that a long query delays no other client's bytes. Whatever a client sends or
// leaves out, memory, connections and time are bounded by HttpLimits.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/unique_fd.h"
#include "server/http/message.h"

namespace wick {

struct HttpLimits {
  // A new connection closes the one that has been waiting for a request for
  // longest, if there are so many.
  std::size_t connections = 1024;
  std::size_t event_streams = 512;
  std::size_t queued_requests = 256;  // for a thread; 503 beyond it
  std::uint32_t header_bytes = 16 << 10;
  std::uint64_t body_bytes = 64 << 10;
  // For the TLS handshake, for a whole header, for a whole body.
  std::chrono::milliseconds to_send = std::chrono::seconds(10);
  // For the client to read the answer.
  std::chrono::milliseconds to_read = std::chrono::seconds(60);
  // Between two requests of a connection.
  std::chrono::milliseconds to_wait = std::chrono::seconds(60);
  // Between two signs of life on an event stream without events.
  std::chrono::milliseconds heartbeat = std::chrono::seconds(15);
  int handler_threads = 2;
};

// In PEM.
struct TlsIdentity {
  std::string certificate_chain;
  std::string private_key;
};

// A socket that listens on a numeric address; port 0 takes a free one. An Error
// says why it cannot be had.
UniqueFd listen_on(const std::string& address, std::uint16_t port);

class HttpServer {
 public:
  // For any thread, several at a time. What it throws is answered by 500, with
  // the message of an Error and nothing of other exceptions.
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  // Accepts connections of `listener`, which others may have as well and
  // which outlives this server.
  HttpServer(const UniqueFd& listener, std::optional<TlsIdentity> tls,
             HttpLimits limits, Handler handler);
  // On a socket of listen_on(address, port).
  HttpServer(const std::string& address, std::uint16_t port,
             std::optional<TlsIdentity> tls, HttpLimits limits,
             Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  std::size_t connections() const;

  // Accepts nothing more, ends event streams, lets requests that are being
  // handled be answered for at most `grace`, and closes all connections.
  void stop(std::chrono::milliseconds grace = std::chrono::seconds(1));

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wick
