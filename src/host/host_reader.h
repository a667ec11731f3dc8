// SPDX-License-Identifier: Apache-2.0
// Measures the host. What is read is in three tables in host_reader.cc: files
// of /proc, files of the own control group, and files of /sys that are one
// number. Adding a metric is a line in one of them and one in metric.cc.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/host_metrics.h"
#include "host/tcp_sockets.h"
#include "io/unique_fd.h"

namespace wick {

struct HostFile {
  std::string_view path;  // below /proc or the control group
  void (*read)(std::string_view text, HostMetrics& metrics);
};

std::span<const HostFile> proc_files();    // read each time
std::span<const HostFile> seldom_files();  // every kSeldom-th time
std::span<const HostFile> cgroup_files();

// Reads all of them, again and again. Files stay open: reading one that is open
// takes half the time. /proc/net of this reader stays that of the network
// namespace in which it was made.
class HostReader {
 public:
  // What costs much and changes little is read every kSeldom-th time, and is
  // repeated in between: errors of the hardware, limits, sockets by state.
  static constexpr int kSeldom = 10;

  // `proc` and `sys` are directories, such as "/proc" and "/sys".
  explicit HostReader(std::string proc = "/proc", std::string sys = "/sys");

  HostMetrics read();
  // Files that this host does not have, or that may not be read.
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  struct OpenFile {
    const HostFile* file;
    UniqueFd fd;
  };
  void open(std::span<const HostFile> files, const std::string& folder,
            std::vector<OpenFile>& opened);
  void read(const std::vector<OpenFile>& files, HostMetrics& metrics);
  void read_sys_numbers(HostMetrics& metrics);
  std::string_view text_of(const UniqueFd& fd);
  void keep_disks(HostMetrics& metrics);

  std::string sys_;
  std::vector<OpenFile> often_, seldom_;
  TcpSocketReader tcp_;
  HostMetrics seldom_values_;
  int reads_ = 0;
  std::vector<std::string> missing_;
  std::string buffer_;
  // Whether a block device is a disk and not a part of one.
  std::map<std::string, bool, std::less<>> disks_;
};

// The directory of the control group (version 2) that this process is in; "" if
// there is none.
std::string own_cgroup(const std::string& proc, const std::string& sys);

}  // namespace wick
