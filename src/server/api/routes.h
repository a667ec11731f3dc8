// SPDX-License-Identifier: Apache-2.0
// What the API can be asked. docs/api.md describes each route.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "server/api/live.h"
#include "server/api/parameters.h"
#include "server/history/history.h"
#include "server/history/writer.h"
#include "server/http/message.h"

namespace wick {

// How the server is doing.
struct ServerState {
  Writer::State writer;
  std::uint64_t store_bytes = 0;
  std::size_t connections = 0;
  bool has_recorder = false;
};

struct ApiContext {
  const History& history;
  Live& live;
  std::function<ServerState()> state;
  std::function<std::int64_t()> now_ns;
};

struct Route {
  std::string_view path;
  std::span<const std::string_view> parameters;
  HttpResponse (*answer)(const ApiContext& context,
                         const Parameters& parameters);
  // Few of these run at a time (see Turns).
  bool is_costly = false;
};

std::span<const Route> profile_routes();
std::span<const Route> table_routes();
std::span<const Route> metric_routes();
std::span<const Route> page_routes();

}  // namespace wick
