// SPDX-License-Identifier: Apache-2.0
#include "cli/server_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "server/http/http_client.h"

namespace wick {
namespace {

constexpr std::string_view kProfile = "/api/v1/profile";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : std::string(trim(value));
}

HttpAddress address_of(const std::string& path) {
  std::optional<HttpAddress> address = parse_address(path);
  if (!address)
    fail_usage(
        "{}: this is not an address of a server; expected http://HOST:PORT or "
        "http://HOST:PORT{}?…, with other characters escaped",
        excerpt(path), kProfile);
  return std::move(*address);
}

HttpTarget parsed_target(const std::string& path, const HttpAddress& address) {
  const auto target = parse_target(address.target);
  if (!target) fail_usage("{}: has a damaged escape", excerpt(path));
  return *target;
}

std::string token_in(const std::string& token_file) {
  if (token_file.empty()) return variable("WICK_TOKEN");
  InputFile file = InputFile::open(token_file);
  std::string_view content = file.head();
  return std::string(trim(take_line(content)));
}

// A header is made of it.
std::string checked_token(const std::string& token_file) {
  std::string token = token_in(token_file);
  const bool can_be_sent =
      std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; });
  if (can_be_sent && (token_file.empty() || !token.empty())) return token;
  fail("{}: expected a token, a word without spaces, in the first line",
       token_file.empty() ? "WICK_TOKEN" : token_file);
}

std::string checked_fingerprint() {
  std::string text = variable("WICK_FINGERPRINT");
  const auto digits = std::ranges::count_if(text, is_hex_digit);
  const auto colons = std::ranges::count(text, ':');
  constexpr int kDigits = 64;
  if (text.empty() ||
      (digits == kDigits && std::cmp_equal(digits + colons, text.size())))
    return text;
  fail(
      "WICK_FINGERPRINT: expected the SHA-256 of a certificate, 64 hexadecimal "
      "digits as in AB:CD:…");
}

HttpResponse ask(const HttpAddress& address, const HttpGetOptions& options) {
  try {
    return http_get(address, options);
  } catch (const UntrustedServer& error) {
    fail(
        "{}; its fingerprint is {}: if that is what 'wick serve' printed, set "
        "WICK_FINGERPRINT to it",
        error.what(), error.fingerprint);
  }
}

[[noreturn]] void fail_for(const HttpResponse& response, bool has_token) {
  if (response.status == 401 && !has_token)
    fail(
        "the server asks for its token; put it into WICK_TOKEN or give a file "
        "with --token-file");
  const std::string message = error_message(response);
  if (!message.empty()) fail("{}", message);
  fail("the server answered with status {}; is it 'wick serve'?",
       response.status);
}

}  // namespace

bool is_server_input(std::string_view path) {
  return path.starts_with("http://") || path.starts_with("https://");
}

std::string server_target(const std::string& path) {
  const HttpAddress address = address_of(path);
  const HttpTarget parts = parsed_target(path, address);
  if (parts.value("token"))
    fail_usage(
        "a token in an address is visible to other users, in the list of "
        "processes; put it into WICK_TOKEN or give a file with --token-file");
  std::string target = address.target;
  const auto add = [&](std::string_view parameter) {
    const bool has_query = target.find('?') != std::string::npos;
    target += has_query ? '&' : '?';
    target += parameter;
  };
  if (parts.path == "/") {
    target = std::string(kProfile) + target.substr(1);
    if (!parts.value("from")) add("from=-60s");
  } else if (!parts.path.starts_with("/api/")) {
    fail_usage("{}: expected http://HOST:PORT or http://HOST:PORT{}?…",
               excerpt(path), kProfile);
  }
  if (!parts.value("format")) add("format=wick");
  return target;
}

InputFile open_server_input(const std::string& path,
                            const std::string& token_file) {
  HttpAddress address = address_of(path);
  address.target = server_target(path);
  const HttpGetOptions options{.token = checked_token(token_file),
                               .fingerprint = checked_fingerprint()};
  HttpResponse response = in_context(path, [&] {
    HttpResponse answer = ask(address, options);
    if (answer.status != 200) fail_for(answer, !options.token.empty());
    return answer;
  });
  return InputFile::from_memory(path, std::move(response.body));
}

}  // namespace wick
