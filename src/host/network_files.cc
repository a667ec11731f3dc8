// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "host/file_readers.h"
#include "host/proc_text.h"

namespace wick {

// Two lines of headings, then "  eth0: " with eight numbers for what was
// received and eight for what was sent.
void read_net_dev(std::string_view text, HostMetrics& metrics) {
  take_line(text);
  take_line(text);
  while (!text.empty()) {
    std::string_view line = take_line(text);
    // An interface's name may contain a colon ("eth0:1"), a number does not.
    const std::size_t colon = line.rfind(':');
    if (colon == line.npos) continue;
    const std::string_view name = trim(line.substr(0, colon));
    line.remove_prefix(colon + 1);
    double fields[16];
    for (double& field : fields) field = take_count(line);
    const std::pair<Metric, double> values[] = {
        {Metric::kNetworkReceivedBytes, fields[0]},
        {Metric::kNetworkReceivedPackets, fields[1]},
        {Metric::kNetworkReceiveErrors, fields[2]},
        {Metric::kNetworkReceiveDrops, fields[3]},
        {Metric::kNetworkSentBytes, fields[8]},
        {Metric::kNetworkSentPackets, fields[9]},
        {Metric::kNetworkSendErrors, fields[10]},
        {Metric::kNetworkSendDrops, fields[11]},
    };
    for (const auto& [metric, value] : values) metrics.add(metric, value, name);
  }
}

void read_net_snmp(std::string_view text, HostMetrics& metrics) {
  static constexpr KeyedMetric kKeys[] = {
      {"CurrEstab", Metric::kTcpConnections},
      {"OutSegs", Metric::kTcpSegmentsSent},
      {"RetransSegs", Metric::kTcpSegmentsResent},
  };
  add_paired(text, "Tcp:", kKeys, metrics);
}

void read_net_netstat(std::string_view text, HostMetrics& metrics) {
  static constexpr KeyedMetric kKeys[] = {
      {"ListenOverflows", Metric::kListenOverflows},
      {"ListenDrops", Metric::kListenDrops},
      {"TCPReqQFullDrop", Metric::kTcpRequestDrops},
      {"TCPBacklogDrop", Metric::kTcpBacklogDrops},
      {"TCPRcvQDrop", Metric::kTcpReceiveDrops},
      {"TCPAbortOnMemory", Metric::kTcpAbortsOnMemory},
  };
  add_paired(text, "TcpExt:", kKeys, metrics);
}

// A line for each CPU, in hexadecimal: packets, drops, squeezes …
void read_softnet_stat(std::string_view text, HostMetrics& metrics) {
  double drops = 0, squeezes = 0;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    take_word(line);
    drops += to_number<std::uint32_t>(take_word(line), 16).value_or(0);
    squeezes += to_number<std::uint32_t>(take_word(line), 16).value_or(0);
  }
  metrics.add(Metric::kBacklogDrops, drops);
  metrics.add(Metric::kBacklogSqueezes, squeezes);
}

// A line of names, then one of hexadecimal numbers for each CPU.
void read_conntrack_stat(std::string_view text, HostMetrics& metrics) {
  const std::string_view names = take_line(text);
  double failed = 0, dropped = 0;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    for (std::string_view rest = names; !trim(line).empty();) {
      const std::string_view name = take_word(rest);
      const double value = static_cast<double>(
          to_number<std::uint32_t>(take_word(line), 16).value_or(0));
      if (name == "insert_failed") failed += value;
      if (name == "drop" || name == "early_drop") dropped += value;
    }
  }
  metrics.add(Metric::kConntrackInsertFailures, failed);
  metrics.add(Metric::kConntrackDrops, dropped);
}

void read_conntrack_count(std::string_view text, HostMetrics& metrics) {
  add_number(text, Metric::kConntrackEntries, metrics);
}

void read_conntrack_max(std::string_view text, HostMetrics& metrics) {
  add_number(text, Metric::kConntrackLimit, metrics);
}

}  // namespace wick
