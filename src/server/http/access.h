// SPDX-License-Identifier: Apache-2.0
// Who may talk to the server. A browser on this machine can be made to send
// requests by any page that is open in it, so the token alone is not enough:
// the server answers only under its own names (a page may have pointed a name
// of its own at this address), and nothing that another site asks for.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/message.h"

namespace wick {

// 192 random bits, for tokens, as text that needs no escapes.
std::string random_token();

struct AccessRules {
  std::string token;
  // The names and addresses of the server, beside those of the loopback.
  std::vector<std::string> hosts;
  std::uint16_t port = 0;
  bool is_encrypted = false;
  // For those who come without a token, a sentence.
  std::string how_to_log_in;
};

class Access {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // Wrong tokens within a minute, from one address and from all.
  static constexpr std::size_t kMaxFailures = 10;
  static constexpr std::size_t kMaxFailuresOfAll = 300;

  explicit Access(AccessRules rules);

  // The answer to a request that goes no further; nullopt lets it through. A
  // link with ?token=… is answered by a cookie and the same link without it.
  // For any thread.
  std::optional<HttpResponse> answer_instead(const HttpRequest& request,
                                             Time now);

 private:
  bool is_own_host(std::string_view host) const;
  bool is_own_origin(std::string_view origin) const;
  std::optional<HttpResponse> refuse_strangers(const HttpRequest&) const;
  bool has_credentials(const HttpRequest& request) const;
  HttpResponse log_in(const HttpRequest& request) const;
  HttpResponse on_failure(const std::string& peer, Time now);

  AccessRules rules_;
  std::string cookie_name_;   // cookies are shared by all ports of a host
  std::string cookie_value_;  // made of the token, which it does not show

  struct Failure {
    Time time;
    std::string peer;
  };
  std::mutex mutex_;
  std::deque<Failure> failures_;  // of the last minute, kMaxFailuresOfAll most
};

// Headers that every answer has: what a page may load, and who may embed it.
void add_security_headers(HttpResponse& response);

}  // namespace wick
