// SPDX-License-Identifier: Apache-2.0
#include "server/http/access.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/text.h"

namespace wick {
namespace {

using namespace std::chrono_literals;

// Takes as long for a token that begins right as for one that is all wrong.
bool are_equal(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string keyed_hash(std::string_view key, std::string_view text) {
  unsigned char hash[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(),
           hash, &size) == nullptr)
    fail("OpenSSL cannot compute a hash");
  return to_hexadecimal({reinterpret_cast<const char*>(hash), size});
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// The port at the end of `host`, which is removed from it; `otherwise` if it
// has none, and nothing if it is not a number.
std::optional<std::uint16_t> take_port(std::string_view& host,
                                       std::uint16_t otherwise) {
  const std::size_t colon = host.rfind(':');
  if (colon == std::string_view::npos || host.ends_with(']')) return otherwise;
  const auto port = to_number<std::uint16_t>(host.substr(colon + 1));
  host = host.substr(0, colon);
  return port;
}

bool is_safe(std::string_view method) {
  return method == "GET" || method == "HEAD";
}

// "/path?a=b" without its token, as a link.
std::string without_token(const HttpTarget& target) {
  const auto encoded = [](std::string_view text) {
    std::string out;
    for (const char c : text)
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 ||
          std::string_view("-._~/").find(c) != std::string_view::npos)
        out += c;
      else
        out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return out;
  };
  std::string link = encoded(target.path);
  // "//host" would lead to another one.
  link.erase(0, std::min(link.find_first_not_of('/'), link.size()));
  link.insert(0, 1, '/');
  char separator = '?';
  for (const auto& [name, value] : target.query) {
    if (name == "token") continue;
    link += separator + encoded(name) + '=' + encoded(value);
    separator = '&';
  }
  return link;
}

}  // namespace

std::string random_token() {
  unsigned char bytes[24];
  if (RAND_bytes(bytes, sizeof bytes) != 1)
    fail("OpenSSL has no random numbers");
  return to_hexadecimal({reinterpret_cast<const char*>(bytes), sizeof bytes});
}

Access::Access(AccessRules rules)
    : rules_(std::move(rules)),
      cookie_name_(fmt::format("wick_{}", rules_.port)),
      cookie_value_(keyed_hash(rules_.token, "session")) {}

std::optional<HttpResponse> Access::answer_instead(const HttpRequest& request,
                                                   Time now) {
  if (auto refusal = refuse_strangers(request)) return refusal;
  if (request.target.path == "/healthz") return std::nullopt;
  if (const auto token = request.target.value("token");
      token && is_safe(request.method)) {
    if (!are_equal(*token, rules_.token)) return on_failure(request.peer, now);
    return log_in(request);
  }
  if (has_credentials(request)) return std::nullopt;
  if (request.header("authorization") || request.cookie(cookie_name_))
    return on_failure(request.peer, now);
  HttpResponse response = http_error(401, rules_.how_to_log_in);
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

bool Access::is_own_host(std::string_view host) const {
  const std::uint16_t usual = rules_.is_encrypted ? 443 : 80;
  if (take_port(host, usual) != rules_.port) return false;
  for (const std::string_view own : {"localhost", "127.0.0.1", "[::1]"})
    if (same_name(host, own)) return true;
  return std::ranges::any_of(rules_.hosts, [&](const std::string& own) {
    return same_name(host, own) || host == fmt::format("[{}]", own);
  });
}

bool Access::is_own_origin(std::string_view origin) const {
  const std::string_view scheme = rules_.is_encrypted ? "https://" : "http://";
  return origin.starts_with(scheme) &&
         is_own_host(origin.substr(scheme.size()));
}

std::optional<HttpResponse> Access::refuse_strangers(
    const HttpRequest& request) const {
  if (!is_own_host(request.header("host").value_or("")))
    return http_error(421, "this server does not have that name");
  const auto origin = request.header("origin");
  if (origin && !is_own_origin(*origin))
    return http_error(403, "another site's page asked for this");
  // A link from elsewhere is fine; what a page of elsewhere loads is not.
  const auto site = request.header("sec-fetch-site").value_or("none");
  if (site != "none" && site != "same-origin" &&
      request.header("sec-fetch-mode") != "navigate")
    return http_error(403, "another site's page asked for this");
  return std::nullopt;
}

bool Access::has_credentials(const HttpRequest& request) const {
  if (const auto given = request.header("authorization")) {
    constexpr std::string_view kScheme = "bearer ";
    return given->size() > kScheme.size() &&
           same_name(given->substr(0, kScheme.size()), kScheme) &&
           are_equal(trim(given->substr(kScheme.size())), rules_.token);
  }
  // Browsers add cookies by themselves, and Origin to whatever changes things.
  const auto cookie = request.cookie(cookie_name_);
  return cookie && are_equal(*cookie, cookie_value_) &&
         (is_safe(request.method) || request.header("origin"));
}

HttpResponse Access::log_in(const HttpRequest& request) const {
  HttpResponse response{.status = 303};
  response.headers = {
      {"Location", without_token(request.target)},
      {"Set-Cookie",
       fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict{}", cookie_name_,
                   cookie_value_, rules_.is_encrypted ? "; Secure" : "")}};
  return response;
}

HttpResponse Access::on_failure(const std::string& peer, Time now) {
  const std::lock_guard lock(mutex_);
  while (!failures_.empty() && (failures_.front().time < now - 60s ||
                                failures_.size() > kMaxFailuresOfAll))
    failures_.pop_front();
  const auto by_peer = static_cast<std::size_t>(
      std::ranges::count(failures_, peer, &Failure::peer));
  if (by_peer >= kMaxFailures || failures_.size() >= kMaxFailuresOfAll) {
    HttpResponse response =
        http_error(429, "too many wrong tokens; wait a minute");
    response.headers.emplace_back("Retry-After", "60");
    return response;
  }
  failures_.push_back({now, peer});
  HttpResponse response = http_error(401, "the token is wrong");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

void add_security_headers(HttpResponse& response) {
  const auto add = [&](std::string_view name, std::string_view value) {
    const bool has = std::ranges::any_of(
        response.headers,
        [&](const auto& header) { return header.first == name; });
    if (!has) response.headers.emplace_back(name, value);
  };
  add("Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; "
      "img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
      "form-action 'self'; frame-ancestors 'none'");
  add("X-Content-Type-Options", "nosniff");
  add("Referrer-Policy", "no-referrer");
  add("Cross-Origin-Opener-Policy", "same-origin");
  add("Cross-Origin-Resource-Policy", "same-origin");
  add("Cache-Control", "no-store");
}

}  // namespace wick
