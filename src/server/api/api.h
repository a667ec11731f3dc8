// SPDX-License-Identifier: Apache-2.0
// Answers requests. Whoever asks has been let in by Access.
#pragma once

#include <utility>

#include "server/api/routes.h"
#include "server/api/turns.h"
#include "server/http/message.h"

namespace wick {

class Api {
 public:
  explicit Api(ApiContext context) : context_(std::move(context)) {}

  // For any thread. Errors are JSON with a sentence.
  HttpResponse answer(const HttpRequest& request);

 private:
  HttpResponse answer(const Route& route, const HttpRequest& request);

  ApiContext context_;
  Turns turns_;
};

}  // namespace wick
