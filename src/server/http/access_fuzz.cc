// SPDX-License-Identifier: Apache-2.0
// Any bytes as a request: the first line is its target, the others are headers.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/fuzz_target.h"
#include "base/text.h"
#include "server/http/access.h"

namespace wick {
namespace {

bool has_control(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

void check(bool holds) {
  if (!holds) std::abort();
}

void fuzz_access(std::string_view bytes) {
  // Longer than an input can guess, so only /healthz may be let in.
  const std::string token = random_token();
  const auto target = parse_target(take_line(bytes));
  if (!target) return;
  check(target->path.starts_with('/') && !has_control(target->path));
  for (const auto& [name, value] : target->query)
    check(!has_control(name) && !has_control(value));

  HttpRequest request{.method = "GET",
                      .target = *target,
                      .headers = {{"host", "localhost:1"}},
                      .body = {},
                      .peer = "127.0.0.1"};
  while (!bytes.empty()) {
    std::string_view line = take_line(bytes);
    const std::string name(take_until(line, ':'));
    request.headers.emplace_back(name, trim(line));
  }
  Access access({.token = token, .port = 1});
  const auto answer = access.answer_instead(request, {});
  check(answer || target->path == "/healthz");

  // The link that a login leads to stays on this server.
  request.headers = {{"host", "localhost:1"}};
  request.target.query.insert(request.target.query.begin(), {"token", token});
  const auto login = access.answer_instead(request, {});
  if (target->path == "/healthz") return;
  check(login && login->status == 303);
  const std::string& link = login->headers[0].second;
  check(link.starts_with('/') && !link.starts_with("//") &&
        !has_control(link) && link.find(token) == std::string::npos);
}

}  // namespace

extern const FuzzTarget access_fuzz = {.name = "http-access",
                                       .run = fuzz_access};

}  // namespace wick
