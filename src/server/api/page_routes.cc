// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <string>

#include "server/api/api_assets.h"
#include "server/api/routes.h"

namespace wick {
namespace {

constexpr std::string_view kFrontPage = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>wick</title>
</head>
<body>
<h1>wick</h1>
<ul>
<li><a href="/api/v1/profile">The last minute</a>, in the viewer
<li><a href="/api/v1/diff?format=svg">What changed</a> since the minute before
<li><a href="/api/v1/top">Functions</a>,
<a href="/api/v1/top?by=process">processes</a> and
<a href="/api/v1/processes">what they use</a>
<li><a href="/api/v1/metrics">Metrics</a> of the last five minutes
<li><a href="/api/v1/hosts">Hosts</a>,
<a href="/api/v1/losses">what was lost</a>
<li><a href="/docs/api.md">The API</a>
</ul>
</body>
</html>
)";

HttpResponse front_answer(const ApiContext&, const Parameters&) {
  return {.type = "text/html; charset=utf-8", .body = std::string(kFrontPage)};
}

HttpResponse docs_answer(const ApiContext&, const Parameters&) {
  return {.body = std::string(kApiMd)};
}

HttpResponse health_answer(const ApiContext&, const Parameters&) {
  return {.body = "ok\n"};
}

constexpr Route kPageRoutes[] = {
    {"/", {}, front_answer},
    {"/docs/api.md", {}, docs_answer},
    {"/healthz", {}, health_answer},
};

}  // namespace

std::span<const Route> page_routes() { return kPageRoutes; }

}  // namespace wick
