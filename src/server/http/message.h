// SPDX-License-Identifier: Apache-2.0
// Requests and responses as handlers see them: nothing of the HTTP library.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wick {

// Percent-decoded; "+" in a query is a space. Text that is not UTF-8 or has
// control characters makes the request a bad one.
struct HttpTarget {
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;

  // The first value, if any.
  std::optional<std::string_view> value(std::string_view name) const;
};

// nullopt if it is not a path that begins with "/", or an escape is damaged.
std::optional<HttpTarget> parse_target(std::string_view target);

struct HttpRequest {
  std::string method;
  HttpTarget target;
  // Names in lower case.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string peer;  // the address of the client
  bool is_encrypted = false;

  // The value if exactly one header has the name: two that could contradict
  // each other count as none.
  std::optional<std::string_view> header(std::string_view name) const;
  // The value of a cookie, likewise.
  std::optional<std::string_view> cookie(std::string_view name) const;
};

// A stream of server-sent events to one client. send() is for any thread; a
// client that does not read what it is sent is disconnected.
class EventStream {
 public:
  static constexpr std::size_t kMaxBacklog = 4 << 20;

  // `name` is a word; `data` may have several lines. False once it has ended.
  bool send(std::string_view name, std::string_view data);
  // No further events; what was sent is delivered.
  void end();
  bool has_ended() const;

  // For the server: what is to be written, and who is told that there is more.
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void wake() = 0;
  };
  void connect(std::weak_ptr<Sink> sink);
  std::string take();
  void disconnect();

 private:
  mutable std::mutex mutex_;
  std::string waiting_;
  std::weak_ptr<Sink> sink_;
  bool has_ended_ = false;
};

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::shared_ptr<EventStream> events;  // instead of a body
};

// {"error":{"status":404,"message":"…"}}
HttpResponse http_error(int status, std::string_view message);
// The sentence in the body of such an answer; "" if it is none.
std::string error_message(const HttpResponse& response);

}  // namespace wick
