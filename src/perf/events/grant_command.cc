// SPDX-License-Identifier: Apache-2.0
#include "perf/events/grant_command.h"

#include <unistd.h>

#include <string_view>

#include "base/shell.h"

namespace wick {
namespace {

// For BPF programs, perf events, memory and files of other users' processes,
// and kernel symbols.
constexpr std::string_view kCommand =
    "setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog=ep";

// This program may not be in PATH, and root's may differ.
std::string own_path() {
  char path[4096];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  if (size <= 0) return "wick";
  return {path, static_cast<std::size_t>(size)};
}

}  // namespace

std::string grant_command() {
  return std::string(kCommand) + " " + shell_quoted_file(own_path());
}

std::string quoted_grant_command() {
  return suggested_command(kCommand, own_path());
}

}  // namespace wick
