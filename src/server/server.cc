// SPDX-License-Identifier: Apache-2.0
#include "server/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <utility>

#include "base/error.h"
#include "server/api/api.h"
#include "server/batch/batch_pipe.h"
#include "server/history/history.h"
#include "server/history/writer.h"
#include "server/http/access.h"
#include "server/http/http_server.h"
#include "server/live_frequency.h"
#include "server/server_identity.h"
#include "server/store/sqlite_store.h"

namespace wick {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kDatabase = "store.db";
// More than queries that cost much (see Turns).
constexpr int kHandlerThreads = 6;
// How long the last batches may take once the server is to end.
constexpr auto kLastBatches = 1s;
// How long answers may take then.
constexpr auto kLastAnswers = 300ms;

std::int64_t unix_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

RetainPolicy retain_policy(const ServeConfig& config) {
  return {.keep_ns = std::chrono::nanoseconds(config.keep).count(),
          .max_bytes = config.max_size};
}

class Server {
 public:
  Server(const ServerOptions& options, StateFolder& state)
      : options_(options),
        state_(state),
        identity_(server_identity(options.config, state)),
        store_(open_sqlite_store(state.file(kDatabase),
                                 {.max_bytes = options.config.max_size})),
        history_(*store_, recent_),
        frequency_(options.config.frequency, options.config.live_frequency),
        writer_(std::make_unique<Writer>(*store_, writer_options())),
        api_(ApiContext{.history = history_,
                        .live = live_,
                        .state = [this] { return server_state(); },
                        .now_ns = unix_ns}),
        receiver_(options.batches) {
    if (options_.commands >= 0) set_non_blocking(options_.commands);
    http_ = std::make_unique<HttpServer>(
        listener(), identity_.tls,
        HttpLimits{.handler_threads = kHandlerThreads},
        [this](const HttpRequest& request) { return answer(request); });
    begin_to_answer();
  }

  ~Server() {
    try {
      state_.remove(kLoginFile);
    } catch (const Error&) {
      // The next server replaces it.
    }
    http_->stop(kLastAnswers);
  }

  void run() {
    while (!is_over()) {
      pollfd fds[] = {{has_ended_ ? -1 : options_.batches, POLLIN, 0},
                      {is_stopping() ? -1 : options_.stop, POLLIN, 0},
                      {options_.changed, POLLIN, 0}};
      if (::poll(fds, std::size(fds), 500) < 0 && errno != EINTR)
        fail("poll: {}", last_system_error());
      if (fds[1].revents != 0) stop_at_ = Clock::now() + kLastBatches;
      if (fds[2].revents != 0) reread();
      if (fds[0].revents != 0) take_batches();
      set_frequency();
    }
  }

 private:
  // --- requests

  UniqueFd listener() const {
    if (options_.listener < 0)
      return listen_on(options_.config.address, options_.config.port);
    UniqueFd copy(::fcntl(options_.listener, F_DUPFD_CLOEXEC, 0));
    if (!copy) fail("the socket that listens: {}", last_system_error());
    return copy;
  }

  void begin_to_answer() {
    const std::uint16_t port = http_->port();
    access_ = std::make_unique<Access>(AccessRules{
        .token = identity_.token,
        .hosts = identity_.names,
        .port = port,
        .is_encrypted = identity_.tls.has_value(),
        .how_to_log_in =
            "no token: open the link that `wick serve --url` prints, or send "
            "\"Authorization: Bearer TOKEN\""});
    can_answer_ = true;
    const ServerAddress address =
        server_address(options_.config, identity_, port);
    state_.write(kLoginFile, address.login + "\n");
    if (options_.on_ready) options_.on_ready(address);
  }

  HttpResponse answer(const HttpRequest& request) {
    HttpResponse response;
    if (!can_answer_)
      response = http_error(503, "the server is starting");
    else if (auto refusal = access_->answer_instead(request, Clock::now()))
      response = std::move(*refusal);
    else
      response = answer_of_api(request);
    add_security_headers(response);
    return response;
  }

  HttpResponse answer_of_api(const HttpRequest& request) {
    try {
      return api_.answer(request);
    } catch (const Error& error) {
      return http_error(500, error.what());
    }
  }

  ServerState server_state() {
    return {.writer = writer_->state(),
            .store_bytes = store_->size(),
            .connections = http_->connections()};
  }

  // --- the recorder

  WriterOptions writer_options() {
    return {.retain = retain_policy(options_.config),
            .stored =
                [this](const std::string&, std::uint64_t sequence) {
                  command({BatchCommand::Kind::kStored, sequence});
                },
            .tell = [this](std::string_view text) { tell(text); },
            .now_ns = unix_ns};
  }

  void take_batches() {
    if (!receiver_.read()) has_ended_ = true;
    while (const auto bytes = receiver_.next()) {
      Batch batch = decode_batch(*bytes);
      recent_.add(batch, *bytes);
      live_.publish(batch);
      writer_->add(std::move(batch));
    }
  }

  void set_frequency() {
    const int wanted = frequency_.at(live_.watchers(), Clock::now());
    if (wanted == told_frequency_) return;
    if (command({BatchCommand::Kind::kFrequency,
                 static_cast<std::uint64_t>(wanted)}))
      told_frequency_ = wanted;
  }

  // For any thread: a line is written as a whole or not at all. One that does
  // not fit is left out, as a recorder that reads none has stopped.
  bool command(const BatchCommand& command) {
    if (options_.commands < 0) return true;
    const std::string line = to_line(command);
    return ::write(options_.commands, line.data(), line.size()) ==
           static_cast<ssize_t>(line.size());
  }

  static void set_non_blocking(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
      fail("the pipe of commands: {}", last_system_error());
  }

  // --- what happens meanwhile

  void reread() {
    std::uint64_t count = 0;
    (void)!::read(options_.changed, &count, sizeof count);
    if (!options_.reread) return;
    try {
      const ServeConfig config = options_.reread();
      writer_->set_retain(retain_policy(config));
      frequency_.set(config.frequency, config.live_frequency);
    } catch (const Error& error) {
      tell(error.what());
    }
  }

  void tell(std::string_view text) const {
    if (options_.tell) options_.tell(text);
  }

  bool is_stopping() const { return stop_at_ != Clock::time_point::max(); }
  bool is_over() const {
    if (has_ended_) return true;
    return is_stopping() && (options_.batches < 0 || Clock::now() >= stop_at_);
  }

  const ServerOptions& options_;
  StateFolder& state_;
  ServerIdentity identity_;
  std::unique_ptr<Store> store_;
  Recent recent_;
  Live live_;
  History history_;
  LiveFrequency frequency_;
  std::unique_ptr<Writer> writer_;
  Api api_;
  BatchReceiver receiver_;
  std::unique_ptr<Access> access_;
  std::atomic<bool> can_answer_ = false;
  std::unique_ptr<HttpServer> http_;  // last: it uses all others

  int told_frequency_ = 0;
  bool has_ended_ = false;  // the pipe of batches
  Clock::time_point stop_at_ = Clock::time_point::max();
};

}  // namespace

void run_server(const ServerOptions& options, StateFolder& state) {
  Server(options, state).run();
}

}  // namespace wick
