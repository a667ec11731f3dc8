// SPDX-License-Identifier: Apache-2.0
#include "server/server_identity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "io/read_file.h"
#include "server/http/access.h"
#include "server/http/tls_identity.h"
#include "server/own_addresses.h"

namespace wick {
namespace {

constexpr std::string_view kTokenFile = "token";
constexpr std::string_view kCertificateFile = "certificate.pem";
constexpr std::string_view kKeyFile = "key.pem";
constexpr std::uint64_t kMostBytes = 1 << 20;
// As many as nobody guesses with ten attempts a minute.
constexpr std::size_t kShortestToken = 16;

std::string content_of(const std::string& path) {
  const auto content = read_small_file(path, kMostBytes);
  if (!content) fail("{} cannot be read", path);
  return *content;
}

std::string token_of(const ServeConfig& config, const StateFolder& state) {
  if (!config.token_file.empty()) {
    std::string token(trim(content_of(config.token_file)));
    if (token.size() < kShortestToken ||
        !std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7f; }))
      fail(
          "{}: expected a token of at least {} letters, digits and signs, in "
          "one line",
          config.token_file, kShortestToken);
    return token;
  }
  if (const auto token = state.read(kTokenFile))
    if (const auto text = trim(*token); text.size() >= kShortestToken)
      return std::string(text);
  std::string token = random_token();
  state.write(kTokenFile, token + "\n");
  return token;
}

std::string host_name() {
  char name[256] = "";
  if (::gethostname(name, sizeof name - 1) != 0) return "";
  return name;
}

bool is_wildcard(const std::string& address) {
  return address == "0.0.0.0" || address == "::";
}

// A server that only this machine can reach has no other names: a page that
// points a name of its own here is refused.
std::vector<std::string> names_of(const ServeConfig& config) {
  std::vector<std::string> names = config.hosts;
  if (is_loopback(config.address)) {
    names.push_back(config.address);
    return names;
  }
  if (const std::string name = host_name(); !name.empty())
    names.push_back(name);
  if (!is_wildcard(config.address)) {
    names.push_back(config.address);
    return names;
  }
  for (std::string& address : own_addresses())
    names.push_back(std::move(address));
  return names;
}

std::optional<TlsIdentity> tls_of(const ServeConfig& config,
                                  const StateFolder& state,
                                  const std::vector<std::string>& names) {
  if (!config.tls_certificate.empty())
    return TlsIdentity{content_of(config.tls_certificate),
                       content_of(config.tls_key)};
  if (config.insecure || is_loopback(config.address)) return std::nullopt;
  const auto certificate = state.read(kCertificateFile);
  const auto key = state.read(kKeyFile);
  if (certificate && key) return TlsIdentity{*certificate, *key};
  TlsIdentity made = make_tls_identity(names);
  state.write(kKeyFile, made.private_key);
  state.write(kCertificateFile, made.certificate_chain);
  return made;
}

}  // namespace

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

ServerIdentity server_identity(const ServeConfig& config,
                               const StateFolder& state) {
  ServerIdentity identity;
  identity.names = names_of(config);
  identity.token = token_of(config, state);
  identity.tls = tls_of(config, state, identity.names);
  return identity;
}

ServerAddress server_address(const ServeConfig& config,
                             const ServerIdentity& identity,
                             std::uint16_t port) {
  std::string host = config.address;
  if (is_wildcard(host)) host = host_name();
  if (host.find(':') != host.npos) host = fmt::format("[{}]", host);
  ServerAddress address{
      .url = fmt::format("{}://{}:{}/", identity.tls ? "https" : "http",
                         host.empty() ? "localhost" : host, port)};
  address.login = fmt::format("{}?token={}", address.url, identity.token);
  if (identity.tls)
    address.fingerprint = fingerprint(identity.tls->certificate_chain);
  return address;
}

}  // namespace wick
