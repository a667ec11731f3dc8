// SPDX-License-Identifier: Apache-2.0
#include "host/tcp_sockets.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace wick {
namespace {

// As in the kernel's tcp_states.h.
constexpr std::string_view kStateNames[] = {
    "",          "ESTABLISHED", "SYN_SENT",    "SYN_RECV",   "FIN_WAIT1",
    "FIN_WAIT2", "TIME_WAIT",   "CLOSE",       "CLOSE_WAIT", "LAST_ACK",
    "LISTEN",    "CLOSING",     "NEW_SYN_RECV"};
constexpr std::size_t kListen = 10;
constexpr std::uint32_t kAllStates = 0x1ffe;

struct Request {
  nlmsghdr header{};
  inet_diag_req body{};
};

// This older request is for both versions of IP, so that the table of sockets
// is walked once.
Request dump_request(std::uint32_t states) {
  Request request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = TCPDIAG_GETSOCK;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.body.idiag_states = states;
  return request;
}

}  // namespace

bool TcpSockets::add(std::string_view message) {
  while (!message.empty()) {
    ByteReader in(message);
    const auto header = in.read<nlmsghdr>();
    const auto socket = in.read<inet_diag_msg>();
    if (in.failed() || header.nlmsg_type != TCPDIAG_GETSOCK ||
        header.nlmsg_len < sizeof header + sizeof socket ||
        header.nlmsg_len > message.size())
      return false;
    if (socket.idiag_state < kStates) counts_[socket.idiag_state] += 1;
    if (socket.idiag_state == kListen)
      fullest_ =
          std::max(fullest_,
                   static_cast<double>(socket.idiag_rqueue) /
                       std::max(1.0, static_cast<double>(socket.idiag_wqueue)));
    message.remove_prefix(
        std::min(message.size(), std::size_t{NLMSG_ALIGN(header.nlmsg_len)}));
  }
  return true;
}

void TcpSockets::report_states(HostMetrics& metrics) const {
  for (std::size_t state = 1; state < kStates; ++state)
    metrics.add(Metric::kTcpSockets, counts_[state], kStateNames[state]);
}

void TcpSockets::report_queues(HostMetrics& metrics) const {
  if (fullest_ >= 0) metrics.add(Metric::kTcpAcceptQueue, fullest_);
}

TcpSocketReader::TcpSocketReader()
    : socket_(
          ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)) {
  // The kernel answers at once; this is for one that does not.
  const timeval patience{.tv_sec = 0, .tv_usec = 100'000};
  if (socket_)
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience,
                 sizeof patience);
}

std::optional<TcpSockets> TcpSocketReader::ask(std::uint32_t states) {
  const Request request = dump_request(states);
  if (!socket_ || ::send(socket_.get(), &request, sizeof request, 0) < 0)
    return {};
  buffer_.resize(std::size_t{64} << 10);
  TcpSockets sockets;
  for (;;) {
    const ssize_t got =
        ::recv(socket_.get(), buffer_.data(), buffer_.size(), 0);
    if (got <= 0) {
      socket_.reset();  // a late answer would be taken for the next one
      return {};
    }
    const std::string_view message(buffer_.data(),
                                   static_cast<std::size_t>(got));
    if (ByteReader(message).read<nlmsghdr>().nlmsg_type == NLMSG_ERROR)
      return {};
    if (!sockets.add(message)) return sockets;
  }
}

void TcpSocketReader::read_states(HostMetrics& metrics) {
  if (const auto sockets = ask(kAllStates)) sockets->report_states(metrics);
}

void TcpSocketReader::read_queues(HostMetrics& metrics) {
  if (const auto sockets = ask(1U << kListen)) sockets->report_queues(metrics);
}

}  // namespace wick
