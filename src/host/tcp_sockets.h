// SPDX-License-Identifier: Apache-2.0
// TCP sockets, as the kernel's sock_diag lists them. /proc/net/tcp has the same
// for fifty times the cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/host_metrics.h"
#include "io/unique_fd.h"

namespace wick {

// What the messages of the kernel's answer add up to.
class TcpSockets {
 public:
  // False after the last message, or if it is no such message.
  bool add(std::string_view message);

  // The number of sockets in each state.
  void report_states(HostMetrics& metrics) const;
  // How full the fullest queue of a listening socket is; nothing if none
  // listens.
  void report_queues(HostMetrics& metrics) const;

 private:
  static constexpr std::size_t kStates = 13;
  double counts_[kStates] = {};
  double fullest_ = -1;
};

// Asks the kernel, for both versions of IP. Listening sockets are few (10 µs);
// all others are in a large hash table (100 µs, and more if there are many).
// Nothing is added if the kernel cannot tell.
class TcpSocketReader {
 public:
  TcpSocketReader();
  void read_states(HostMetrics& metrics);
  void read_queues(HostMetrics& metrics);

 private:
  std::optional<TcpSockets> ask(std::uint32_t states);

  UniqueFd socket_;
  std::string buffer_;
};

}  // namespace wick
