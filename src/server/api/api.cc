// SPDX-License-Identifier: Apache-2.0
#include "server/api/api.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace wick {
namespace {

const Route* find_route(std::string_view path) {
  for (const auto routes :
       {page_routes(), profile_routes(), table_routes(), metric_routes()})
    for (const Route& route : routes)
      if (route.path == path) return &route;
  return nullptr;
}

}  // namespace

HttpResponse Api::answer(const HttpRequest& request) {
  const Route* route = find_route(request.target.path);
  if (route == nullptr)
    return http_error(404, fmt::format("there is no {}; see /docs/api.md",
                                       excerpt(request.target.path)));
  if (request.method != "GET" && request.method != "HEAD") {
    HttpResponse response = http_error(405, "expected GET");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  try {
    return answer(*route, request);
  } catch (const RequestError& error) {
    return http_error(error.status(), error.what());
  } catch (const TooMuch& error) {
    return http_error(422, error.what());
  }
}

HttpResponse Api::answer(const Route& route, const HttpRequest& request) {
  const Parameters parameters(request.target, route.parameters,
                              context_.now_ns());
  std::optional<Turns::Turn> turn;
  if (route.is_costly && !turn.emplace(turns_).has_come()) {
    HttpResponse response =
        http_error(503, "too many queries at once; ask again");
    response.headers.emplace_back("Retry-After", "1");
    return response;
  }
  HttpResponse response = route.answer(context_, parameters);
  // Who asks for the head only does not watch.
  if (response.events && request.method == "HEAD") {
    response.events->end();
    response.events.reset();
  }
  return response;
}

}  // namespace wick
