// SPDX-License-Identifier: Apache-2.0
#include "server/http/http_client.h"

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <cctype>
#include <limits>
#include <memory>
#include <utility>

#include "base/text.h"
#include "server/http/tls_identity.h"

namespace wick {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using Tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

// "Connection refused"; a time limit and an end have no words of the system's.
std::string words_of(error_code error) {
  if (error == beast::error::timeout) return "it took too long";
  if (error == http::error::end_of_stream ||
      error == http::error::partial_message ||
      error == asio::ssl::error::stream_truncated)
    return "the connection ended early";
  if (error.category() ==
      http::make_error_code(http::error::bad_method).category())
    return "this is not HTTP";
  return error.message();
}

bool is_numeric_address(const std::string& host) {
  error_code error;
  asio::ip::make_address(host, error);
  return !error;
}

std::string host_header(const HttpAddress& address) {
  const bool is_v6 = address.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", is_v6 ? "[" : "", address.host,
                     is_v6 ? "]" : "", address.port);
}

// "AB:CD" and "abcd" are the same.
bool same_fingerprint(std::string_view a, std::string_view b) {
  const auto digits = [](std::string_view text) {
    std::string out;
    for (const char c : text)
      if (c != ':')
        out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return out;
  };
  return digits(a) == digits(b);
}

// What the peer of a handshake is, beside encrypted.
void check_certificate(SSL* tls, std::string_view wanted) {
  struct Free {
    void operator()(X509* what) const { X509_free(what); }
  };
  const std::unique_ptr<X509, Free> certificate(SSL_get1_peer_certificate(tls));
  if (!certificate) fail("the server has no certificate");
  const std::string found = fingerprint(*certificate);
  if (!wanted.empty()) {
    if (same_fingerprint(found, wanted)) return;
    fail(
        "the server's certificate has the fingerprint {}, not the expected one",
        found);
  }
  const long result = SSL_get_verify_result(tls);
  if (result == X509_V_OK) return;
  throw UntrustedServer(
      fmt::format("the server's certificate is not trusted: {}",
                  X509_verify_cert_error_string(result)),
      found);
}

// One request over one connection. Operations are started and waited for: only
// that way Beast has time limits.
class Exchange {
 public:
  Exchange(const HttpAddress& address, const HttpGetOptions& options)
      : address_(address),
        options_(options),
        end_(Clock::now() + options.in_all) {}

  HttpResponse run() {
    if (!address_.is_encrypted) {
      beast::tcp_stream stream(io_);
      connect(stream);
      return ask(stream);
    }
    asio::ssl::context context(asio::ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
    error_code ignored;  // without them, no certificate is trusted
    context.set_default_verify_paths(ignored);
    TlsStream stream(io_, context);
    connect(beast::get_lowest_layer(stream));
    shake_hands(stream);
    return ask(stream);
  }

 private:
  // Runs what `start` starts, for at most `time`.
  template <class Start>
  error_code wait_for(beast::tcp_stream& socket, std::chrono::milliseconds time,
                      Start start) {
    const auto now = Clock::now();
    if (now >= end_) return beast::error::timeout;
    socket.expires_at(std::min(now + time, end_));
    error_code result;
    start([&result](error_code error, auto&&...) { result = error; });
    io_.restart();
    io_.run();
    return result;
  }

  void connect(beast::tcp_stream& socket) {
    error_code error;
    Tcp::resolver resolver(io_);
    const auto places =
        resolver.resolve(address_.host, std::to_string(address_.port), error);
    if (error) fail("cannot find the host: {}", error.message());
    error = wait_for(socket, options_.to_connect,
                     [&](auto done) { socket.async_connect(places, done); });
    if (error) fail("cannot connect: {}", words_of(error));
  }

  void shake_hands(TlsStream& stream) {
    SSL* tls = stream.native_handle();
    // A certificate that does not verify is looked at after the handshake.
    SSL_set_verify(tls, SSL_VERIFY_NONE, nullptr);
    if (is_numeric_address(address_.host)) {
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), address_.host.c_str());
    } else {
      SSL_set1_host(tls, address_.host.c_str());
      SSL_set_tlsext_host_name(tls, address_.host.c_str());
    }
    const error_code error = wait_for(
        beast::get_lowest_layer(stream), options_.to_connect, [&](auto done) {
          stream.async_handshake(asio::ssl::stream_base::client, done);
        });
    if (error) fail("cannot encrypt the connection: {}", words_of(error));
    check_certificate(tls, options_.fingerprint);
  }

  template <class Stream>
  HttpResponse ask(Stream& stream) {
    auto& socket = beast::get_lowest_layer(stream);
    http::request<http::empty_body> request(http::verb::get, address_.target,
                                            11);
    request.set(http::field::host, host_header(address_));
    request.set(http::field::connection, "close");
    if (!options_.token.empty())
      request.set(http::field::authorization, "Bearer " + options_.token);
    if (const error_code error = wait_for(
            socket, options_.to_answer,
            [&](auto done) { http::async_write(stream, request, done); }))
      fail("cannot send the request: {}", words_of(error));
    return read_answer(stream, socket);
  }

  template <class Stream>
  HttpResponse read_answer(Stream& stream, beast::tcp_stream& socket) {
    constexpr std::uint32_t kHeaderBytes = 64 << 10;
    http::response_parser<http::string_body> parser;
    parser.header_limit(kHeaderBytes);
    parser.body_limit(options_.body_bytes);
    beast::flat_buffer buffer;
    while (!parser.is_done()) {
      const error_code error =
          wait_for(socket, options_.to_answer, [&](auto done) {
            http::async_read_some(stream, buffer, parser, done);
          });
      if (error == http::error::body_limit)
        fail("the answer has more than {}", size_text(options_.body_bytes));
      if (error) fail("cannot read the answer: {}", words_of(error));
    }
    auto message = parser.release();
    return {.status = static_cast<int>(message.result_int()),
            .type = std::string(message[http::field::content_type]),
            .body = std::move(message.body()),
            .headers = {},
            .events = nullptr};
  }

  const HttpAddress& address_;
  const HttpGetOptions& options_;
  Clock::time_point end_;
  asio::io_context io_{1};
};

}  // namespace

UntrustedServer::~UntrustedServer() = default;

std::optional<HttpAddress> parse_address(std::string_view text) {
  HttpAddress address;
  address.is_encrypted = text.starts_with("https://");
  if (!address.is_encrypted && !text.starts_with("http://"))
    return std::nullopt;
  text.remove_prefix(address.is_encrypted ? 8 : 7);
  text = text.substr(0, text.find('#'));
  // A request is made of this: no space or line end may be in it.
  if (std::ranges::any_of(text, [](char c) { return c <= ' ' || c == 0x7f; }))
    return std::nullopt;
  const std::size_t place = std::min(text.find_first_of("/?"), text.size());
  std::string_view host = text.substr(0, place);
  address.target = text.substr(place);
  if (!address.target.starts_with('/')) address.target.insert(0, 1, '/');

  const std::size_t bracket = host.rfind(']');
  const std::size_t colon = host.rfind(':');
  address.port = address.is_encrypted ? 443 : 80;
  if (colon != std::string_view::npos &&
      (bracket == std::string_view::npos || colon > bracket)) {
    const auto port = to_number<std::uint16_t>(host.substr(colon + 1));
    if (!port || *port == 0) return std::nullopt;
    address.port = *port;
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (!is_numeric_address(std::string(host))) return std::nullopt;
  } else if (host.find_first_of(":@[]\\") != std::string_view::npos) {
    return std::nullopt;
  }
  if (host.empty()) return std::nullopt;
  address.host = host;
  return address;
}

HttpResponse http_get(const HttpAddress& address,
                      const HttpGetOptions& options) {
  return Exchange(address, options).run();
}

}  // namespace wick
