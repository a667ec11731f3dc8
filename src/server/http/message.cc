// SPDX-License-Identifier: Apache-2.0
#include "server/http/message.h"

#include <fmt/format.h>

#include <iterator>
#include <sstream>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "format/json/json.h"
#include "profile/diagnostics.h"

namespace wick {
namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

std::optional<std::string> percent_decoded(std::string_view text,
                                           bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const std::string byte = from_hexadecimal(text.substr(i + 1, 2));
      if (byte.empty()) return std::nullopt;
      c = byte.front();
      i += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (is_control(c)) return std::nullopt;
    out += c;
  }
  if (valid_utf8(out) != out) return std::nullopt;
  return out;
}

}  // namespace

std::optional<std::string_view> HttpTarget::value(std::string_view name) const {
  for (const auto& [key, value] : query)
    if (key == name) return value;
  return std::nullopt;
}

std::optional<HttpTarget> parse_target(std::string_view target) {
  if (!target.starts_with('/')) return std::nullopt;
  std::string_view rest = target.substr(0, target.find('#'));
  const auto path = percent_decoded(take_until(rest, '?'), false);
  if (!path) return std::nullopt;
  HttpTarget out{.path = *path};
  while (!rest.empty()) {
    std::string_view pair = take_until(rest, '&');
    if (pair.empty()) continue;
    const auto key = percent_decoded(take_until(pair, '='), true);
    const auto value = percent_decoded(pair, true);
    if (!key || !value) return std::nullopt;
    out.query.emplace_back(*key, *value);
  }
  return out;
}

std::optional<std::string_view> HttpRequest::header(
    std::string_view name) const {
  std::optional<std::string_view> found;
  for (const auto& [key, value] : headers) {
    if (key != name) continue;
    if (found) return std::nullopt;
    found = value;
  }
  return found;
}

std::optional<std::string_view> HttpRequest::cookie(
    std::string_view name) const {
  std::string_view rest = header("cookie").value_or("");
  std::optional<std::string_view> found;
  while (!rest.empty()) {
    std::string_view pair = take_until(rest, ';');
    const std::string_view key = trim(take_until(pair, '='));
    if (key != name) continue;
    if (found) return std::nullopt;
    found = trim(pair);
  }
  return found;
}

bool EventStream::send(std::string_view name, std::string_view data) {
  std::string text = fmt::format("event: {}\n", name);
  do {
    fmt::format_to(std::back_inserter(text), "data: {}\n", take_line(data));
  } while (!data.empty());
  text += '\n';
  std::shared_ptr<Sink> sink;
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_) return false;
    if (waiting_.size() + text.size() > kMaxBacklog) {
      has_ended_ = true;
      waiting_.clear();
    } else {
      waiting_ += text;
    }
    sink = sink_.lock();
  }
  if (sink) sink->wake();
  return !has_ended();
}

void EventStream::end() {
  std::shared_ptr<Sink> sink;
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    sink = sink_.lock();
  }
  if (sink) sink->wake();
}

bool EventStream::has_ended() const {
  const std::lock_guard lock(mutex_);
  return has_ended_;
}

void EventStream::connect(std::weak_ptr<Sink> sink) {
  const std::lock_guard lock(mutex_);
  sink_ = std::move(sink);
}

std::string EventStream::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

void EventStream::disconnect() {
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  waiting_.clear();
  sink_.reset();
}

HttpResponse http_error(int status, std::string_view message) {
  std::ostringstream body;
  JsonWriter json(body);
  json.begin_object().key("error").begin_object();
  json.member("status", status).member("message", message);
  json.end_object().end_object();
  json.flush();
  return {.status = status,
          .type = "application/json; charset=utf-8",
          .body = std::move(body).str() + "\n"};
}

std::string error_message(const HttpResponse& response) {
  constexpr std::size_t kMostBytes = 64 << 10;
  if (!response.type.starts_with("application/json") ||
      response.body.size() > kMostBytes)
    return "";
  try {
    Diagnostics ignored;
    const JsonDocument document(response.body, ignored);
    return std::string(document.root()["error"]["message"].text());
  } catch (const Error&) {
    return "";
  }
}

}  // namespace wick
