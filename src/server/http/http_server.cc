// SPDX-License-Identifier: Apache-2.0
#include "server/http/http_server.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <cctype>
#include <list>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "io/compress.h"

namespace wick {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using Tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Whether this list of encodings has gzip, and not as "gzip;q=0".
bool accepts_gzip(std::string_view list) {
  while (!list.empty()) {
    std::string_view item = take_until(list, ',');
    const std::string_view name = trim(take_until(item, ';'));
    if (name != "gzip" && name != "*") continue;
    std::string_view quality = trim(item);
    if (!quality.starts_with("q=")) return true;
    quality.remove_prefix(2);
    return quality.find_first_not_of("0.") != std::string_view::npos;
  }
  return false;
}

bool compresses_well(std::string_view type) {
  return type.starts_with("text/") || type.starts_with("application/json") ||
         type.starts_with("application/javascript") ||
         type.starts_with("image/svg");
}

HttpResponse answer(const HttpServer::Handler& handler,
                    const HttpRequest& request) {
  try {
    HttpResponse response = handler(request);
    constexpr std::size_t kWorthwhile = 1024;
    if (response.body.size() >= kWorthwhile && compresses_well(response.type)) {
      response.headers.emplace_back("Vary", "Accept-Encoding");
      if (accepts_gzip(request.header("accept-encoding").value_or(""))) {
        response.body = gzip(response.body);
        response.headers.emplace_back("Content-Encoding", "gzip");
      }
    }
    return response;
  } catch (const Error& error) {
    return http_error(500, error.what());
  } catch (const std::exception&) {
    return http_error(500, "the request could not be answered");
  }
}

class Connection;

// What connections share.
struct Shared {
  Shared(HttpLimits limits_in, HttpServer::Handler handler_in)
      : limits(limits_in),
        handler(std::move(handler_in)),
        handlers(static_cast<std::size_t>(limits_in.handler_threads)) {}

  HttpLimits limits;
  HttpServer::Handler handler;
  asio::io_context io{1};
  asio::thread_pool handlers;
  // On the thread of `io` only. Those that wait for a request are in front, the
  // longest first.
  std::list<Connection*> connections;
  std::atomic<std::size_t> number = 0;
  std::size_t queued = 0;
  std::size_t streams = 0;
  bool is_stopping = false;
};

// One client. Alive while an operation holds it.
class Connection : public std::enable_shared_from_this<Connection>,
                   public EventStream::Sink {
 public:
  Connection(std::shared_ptr<Shared> shared, std::string peer)
      : shared_(std::move(shared)),
        peer_(std::move(peer)),
        heartbeat_(shared_->io) {
    shared_->connections.push_back(this);
    place_ = std::prev(shared_->connections.end());
    ++shared_->number;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() override {
    leave();
    if (events_) {
      events_->disconnect();
      --shared_->streams;
    }
  }

  virtual void start() = 0;
  // At once; what was being read or written fails.
  virtual void drop() = 0;

  bool is_idle() const { return is_idle_; }

  // Lets a request be answered.
  void stop() {
    if (events_) events_->end();
    if (is_idle_) drop();
  }

  // Nothing was sent for some time.
  virtual void beat() = 0;

  // From any thread.
  void wake() override {
    asio::post(shared_->io, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->write_events();
    });
  }

 protected:
  virtual void write_events() = 0;

  void leave() {
    if (place_ == shared_->connections.end()) return;
    shared_->connections.erase(place_);
    place_ = shared_->connections.end();
    --shared_->number;
  }

  // Waits for a request, from now on.
  void set_idle(bool idle) {
    is_idle_ = idle;
    shared_->connections.splice(shared_->connections.end(),
                                shared_->connections, place_);
  }

  std::shared_ptr<Shared> shared_;
  std::string peer_;
  asio::steady_timer heartbeat_;
  std::shared_ptr<EventStream> events_;

 private:
  std::list<Connection*>::iterator place_;
  bool is_idle_ = false;
};

template <class Stream>
class ConnectionOver final : public Connection {
  static constexpr bool kEncrypted = !std::is_same_v<Stream, beast::tcp_stream>;

 public:
  template <class... Args>
  ConnectionOver(std::shared_ptr<Shared> shared, std::string peer,
                 Tcp::socket socket, Args&... args)
      : Connection(std::move(shared), std::move(peer)),
        stream_(std::move(socket), args...) {}

  void start() override {
    set_idle(true);
    if constexpr (kEncrypted) {
      expire_after(limits().to_send);
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = self()](error_code error) {
                                if (!error)
                                  self->read_header(self->limits().to_send);
                              });
    } else {
      read_header(limits().to_send);
    }
  }

  void drop() override {
    leave();
    heartbeat_.cancel();
    beast::get_lowest_layer(stream_).close();
  }

 private:
  const HttpLimits& limits() const { return shared_->limits; }
  std::shared_ptr<ConnectionOver> self() {
    return std::static_pointer_cast<ConnectionOver>(shared_from_this());
  }
  void expire_after(std::chrono::milliseconds time) {
    beast::get_lowest_layer(stream_).expires_after(time);
  }

  // --- A request ------------------------------------------------------------

  void read_header(std::chrono::milliseconds time) {
    if (shared_->is_stopping) return;
    set_idle(true);
    parser_.emplace();
    parser_->header_limit(limits().header_bytes);
    parser_->body_limit(limits().body_bytes);
    expire_after(time);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = self()](error_code error, std::size_t) {
                              self->on_header(error);
                            });
  }

  void on_header(error_code error) {
    if (error == http::error::end_of_stream) return close_politely();
    if (error == http::error::header_limit)
      return refuse(431, "the header of the request is too large");
    if (error == http::error::body_limit) return refuse_body();
    if (error.category() ==
        http::make_error_code(http::error::bad_method).category())
      return refuse(400, "this is not a request of HTTP/1.1");
    if (error) return;
    set_idle(false);
    const auto& message = parser_->get();
    is_head_ = message.method() == http::verb::head;
    if (parser_->is_done()) return on_body({});
    if (const auto length = parser_->content_length();
        length && *length > limits().body_bytes)
      return refuse_body();
    expire_after(limits().to_send);
    if (beast::iequals(message[http::field::expect], "100-continue")) {
      static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
      asio::async_write(stream_, asio::buffer(kGoOn),
                        [self = self()](error_code failed, std::size_t) {
                          if (!failed) self->read_body();
                        });
    } else {
      read_body();
    }
  }

  void read_body() {
    http::async_read(stream_, buffer_, *parser_,
                     [self = self()](error_code error, std::size_t) {
                       self->on_body(error);
                     });
  }

  void on_body(error_code error) {
    if (error == http::error::body_limit) return refuse_body();
    if (error) return;
    keeps_alive_ = parser_->keep_alive();
    auto message = parser_->release();
    HttpRequest request{.method = std::string(message.method_string()),
                        .body = std::move(message.body()),
                        .peer = peer_,
                        .is_encrypted = kEncrypted};
    const auto target =
        parse_target({message.target().data(), message.target().size()});
    if (!target) return refuse(400, "the address of the request is damaged");
    request.target = *target;
    for (const auto& field : message)
      request.headers.emplace_back(
          lower_case({field.name_string().data(), field.name_string().size()}),
          std::string(field.value()));
    handle(std::move(request));
  }

  void handle(HttpRequest request) {
    if (shared_->queued >= limits().queued_requests) {
      HttpResponse busy = http_error(503, "too many requests wait already");
      busy.headers.emplace_back("Retry-After", "1");
      return write(std::move(busy));
    }
    ++shared_->queued;
    asio::post(shared_->handlers, [self = self(),
                                   request = std::move(request)]() mutable {
      HttpResponse response = answer(self->shared_->handler, request);
      auto& io = self->shared_->io;
      asio::post(io, [self = std::move(self),
                      response = std::move(response)]() mutable {
        --self->shared_->queued;
        self->write(std::move(response));
      });
    });
  }

  // --- The answer -----------------------------------------------------------

  void refuse_body() { refuse(413, "the body of the request is too large"); }

  // The rest of the request is not read, so this is the last one.
  void refuse(int status, std::string_view why) {
    set_idle(false);
    keeps_alive_ = false;
    write(http_error(status, why));
  }

  void write(HttpResponse response) {
    if (response.events) return begin_events(std::move(response));
    keeps_alive_ = keeps_alive_ && !shared_->is_stopping;
    out_.emplace(static_cast<http::status>(response.status), 11);
    out_->set(http::field::content_type, response.type);
    for (const auto& [name, value] : response.headers)
      out_->insert(name, value);
    out_->keep_alive(keeps_alive_);
    out_->content_length(response.body.size());
    if (!is_head_) out_->body() = std::move(response.body);
    expire_after(limits().to_read);
    http::async_write(stream_, *out_,
                      [self = self()](error_code error, std::size_t) {
                        self->on_written(error);
                      });
  }

  void on_written(error_code error) {
    out_.reset();
    if (error) return;
    if (!keeps_alive_) return close_politely();
    read_header(limits().to_wait);
  }

  // The client may still be sending what nobody reads: without waiting for its
  // end, the kernel would take the answer back.
  void close_politely() {
    expire_after(std::chrono::seconds(1));
    if constexpr (kEncrypted) {
      stream_.async_shutdown([self = self()](error_code) { self->drop(); });
    } else {
      error_code ignored;
      stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
      drain();
    }
  }

  void drain() {
    buffer_.clear();
    constexpr std::size_t kMaxUnread = 1 << 20;
    if (unread_ > kMaxUnread) return drop();
    stream_.async_read_some(buffer_.prepare(4096),
                            [self = self()](error_code error, std::size_t n) {
                              if (error) return self->drop();
                              self->unread_ += n;
                              self->drain();
                            });
  }

  // --- Events ---------------------------------------------------------------

  void begin_events(HttpResponse response) {
    if (shared_->is_stopping) return drop();
    if (shared_->streams >= limits().event_streams) {
      keeps_alive_ = false;
      return write(http_error(503, "too many clients watch already"));
    }
    ++shared_->streams;
    events_ = std::move(response.events);
    pending_ =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        "Cache-Control: no-store\r\nConnection: close\r\n";
    for (const auto& [name, value] : response.headers)
      pending_ += name + ": " + value + "\r\n";
    pending_ += "\r\n";
    events_->connect(weak_from_this());
    watch_for_end();
    write_events();
  }

  // A client that has gone is noticed at once.
  void watch_for_end() {
    beast::get_lowest_layer(stream_).expires_never();
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(512),
                            [self = self()](error_code error, std::size_t) {
                              if (error)
                                self->drop();
                              else
                                self->watch_for_end();
                            });
  }

  void write_events() override {
    if (is_writing_) return;
    pending_ += events_->take();
    if (pending_.empty()) {
      if (events_->has_ended()) return end_events();
      return wait_for_events();
    }
    is_writing_ = true;
    sending_ = std::exchange(pending_, {});
    drop_after(limits().to_read);
    asio::async_write(stream_, asio::buffer(sending_),
                      [self = self()](error_code error, std::size_t) {
                        self->is_writing_ = false;
                        self->heartbeat_.cancel();
                        if (error) return self->drop();
                        self->write_events();
                      });
  }

  // The read that is under way sees the client close its side.
  void end_events() {
    error_code ignored;
    beast::get_lowest_layer(stream_).socket().shutdown(
        Tcp::socket::shutdown_send, ignored);
    drop_after(std::chrono::seconds(1));
  }

  void beat() override {
    pending_ += ": alive\n\n";
    write_events();
  }

  // Reading has no limit here, so the rest has a timer of its own.
  void drop_after(std::chrono::milliseconds time) {
    heartbeat_.expires_after(time);
    heartbeat_.async_wait([weak = weak_from_this()](error_code error) {
      if (error) return;
      if (const auto self = weak.lock()) self->drop();
    });
  }

  void wait_for_events() {
    heartbeat_.expires_after(limits().heartbeat);
    heartbeat_.async_wait([weak = weak_from_this()](error_code error) {
      if (error) return;
      if (const auto self = weak.lock()) self->beat();
    });
  }

  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> out_;
  std::string pending_;
  std::string sending_;
  std::size_t unread_ = 0;
  bool keeps_alive_ = false;
  bool is_head_ = false;
  bool is_writing_ = false;
};

}  // namespace

class HttpServer::Impl {
 public:
  Impl(const UniqueFd& listener, std::optional<TlsIdentity> tls,
       HttpLimits limits, Handler handler)
      : shared_(std::make_shared<Shared>(limits, std::move(handler))),
        acceptor_(shared_->io),
        pause_(shared_->io),
        work_(shared_->io.get_executor()) {
    if (tls) use(*tls);
    use(listener);
  }

  void start() {
    asio::post(shared_->io, [this] { accept(); });
    thread_ = std::thread([this] { shared_->io.run(); });
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  std::size_t connections() const { return shared_->number; }

  void stop(std::chrono::milliseconds grace) {
    if (!thread_.joinable()) return;
    asio::post(shared_->io, [this] { begin_to_stop(); });
    const auto end = Clock::now() + grace;
    while (shared_->number > 0 && Clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    asio::post(shared_->io, [this] {
      while (!shared_->connections.empty())
        shared_->connections.front()->drop();
    });
    shared_->handlers.join();
    work_.reset();
    thread_.join();
  }

 private:
  void use(const TlsIdentity& tls) {
    tls_.emplace(asio::ssl::context::tls_server);
    tls_->set_options(asio::ssl::context::default_workarounds |
                      asio::ssl::context::no_tlsv1 |
                      asio::ssl::context::no_tlsv1_1);
    error_code error;
    tls_->use_certificate_chain(asio::buffer(tls.certificate_chain), error);
    if (error) fail("the TLS certificate cannot be used: {}", error.message());
    tls_->use_private_key(asio::buffer(tls.private_key),
                          asio::ssl::context::pem, error);
    if (error)
      fail("the TLS key cannot be used, or is not the certificate's: {}",
           error.message());
  }

  void use(const UniqueFd& listener) {
    sockaddr_storage name{};
    socklen_t size = sizeof name;
    ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&name), &size);
    error_code error;
    acceptor_.assign(name.ss_family == AF_INET6 ? Tcp::v6() : Tcp::v4(),
                     ::fcntl(listener.get(), F_DUPFD_CLOEXEC, 0), error);
    if (error) fail("this is no socket that listens: {}", error.message());
  }

  void accept() {
    acceptor_.async_accept([this](error_code error, Tcp::socket socket) {
      if (shared_->is_stopping) return;
      if (!error) {
        admit(std::move(socket));
        return accept();
      }
      // Without descriptors, the connection stays in the queue of the kernel.
      make_room();
      pause_.expires_after(std::chrono::milliseconds(20));
      pause_.async_wait([this](error_code stopped) {
        if (!stopped) accept();
      });
    });
  }

  void admit(Tcp::socket socket) {
    if (shared_->number >= shared_->limits.connections && !make_room()) return;
    error_code error;
    const auto peer = socket.remote_endpoint(error);
    if (error) return;
    socket.set_option(Tcp::no_delay(true), error);
    std::string address = peer.address().to_string();
    std::shared_ptr<Connection> connection;
    if (tls_)
      connection = std::make_shared<
          ConnectionOver<beast::ssl_stream<beast::tcp_stream>>>(
          shared_, std::move(address), std::move(socket), *tls_);
    else
      connection = std::make_shared<ConnectionOver<beast::tcp_stream>>(
          shared_, std::move(address), std::move(socket));
    connection->start();
  }

  // Closes the connection that has waited for longest.
  bool make_room() {
    for (Connection* connection : shared_->connections) {
      if (!connection->is_idle()) continue;
      connection->drop();
      return true;
    }
    return false;
  }

  void begin_to_stop() {
    shared_->is_stopping = true;
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    const std::vector<Connection*> all(shared_->connections.begin(),
                                       shared_->connections.end());
    for (Connection* connection : all) connection->stop();
  }

  std::shared_ptr<Shared> shared_;
  Tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::optional<asio::ssl::context> tls_;
  std::thread thread_;
};

UniqueFd listen_on(const std::string& address, std::uint16_t port) {
  error_code error;
  const auto ip = asio::ip::make_address(address, error);
  if (error) fail("'{}' is not a numeric IP address", address);
  const Tcp::endpoint endpoint(ip, port);
  asio::io_context io;
  Tcp::acceptor acceptor(io);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(Tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    fail("cannot listen on {} port {}: {}", address, port, error.message());
  return UniqueFd(acceptor.release());
}

HttpServer::HttpServer(const UniqueFd& listener, std::optional<TlsIdentity> tls,
                       HttpLimits limits, Handler handler)
    : impl_(std::make_unique<Impl>(listener, std::move(tls), limits,
                                   std::move(handler))) {
  impl_->start();
}
HttpServer::HttpServer(const std::string& address, std::uint16_t port,
                       std::optional<TlsIdentity> tls, HttpLimits limits,
                       Handler handler)
    : HttpServer(listen_on(address, port), std::move(tls), limits,
                 std::move(handler)) {}

HttpServer::~HttpServer() { stop(); }

std::uint16_t HttpServer::port() const { return impl_->port(); }

std::size_t HttpServer::connections() const { return impl_->connections(); }

void HttpServer::stop(std::chrono::milliseconds grace) { impl_->stop(grace); }

}  // namespace wick
