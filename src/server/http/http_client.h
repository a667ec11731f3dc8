// SPDX-License-Identifier: Apache-2.0
// Asks an HTTP server one thing. Whatever the server sends or leaves out,
// memory and time are bounded.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "server/http/message.h"

namespace wick {

struct HttpAddress {
  bool is_encrypted = false;
  std::string host;  // a name or a numeric address, without brackets
  std::uint16_t port = 0;
  std::string target;  // "/path?query", as it was written; at least "/"
};

// Of "http://HOST[:PORT][/…]" or "https://…", without what follows a '#'.
// nullopt if it is none, has a user's name, or a character that must be
// escaped.
std::optional<HttpAddress> parse_address(std::string_view text);

struct HttpGetOptions {
  std::string token;  // sent as "Authorization: Bearer …"; "": none
  // SHA-256 of the only certificate that is accepted, as "AB:CD:…"; "": those
  // that this system trusts.
  std::string fingerprint;
  std::uint64_t body_bytes = std::uint64_t{256} << 20;
  // For the connection and the TLS handshake each.
  std::chrono::milliseconds to_connect = std::chrono::seconds(10);
  // For the first byte of the answer, and between two pieces of it.
  std::chrono::milliseconds to_answer = std::chrono::seconds(60);
  std::chrono::milliseconds in_all = std::chrono::minutes(10);
};

// Nobody whom this system trusts vouches for the server.
class UntrustedServer : public Error {
 public:
  UntrustedServer(const std::string& message, std::string its_fingerprint)
      : Error(message), fingerprint(std::move(its_fingerprint)) {}
  ~UntrustedServer() override;

  std::string fingerprint;
};

// The answer, whatever its status is; redirections are not followed. An Error
// says why there is none, or why only a part of it arrived.
HttpResponse http_get(const HttpAddress& address,
                      const HttpGetOptions& options = {});

}  // namespace wick
