// SPDX-License-Identifier: Apache-2.0
#include "server/api/json_parts.h"

#include <string_view>

namespace wick {

void write_process(JsonWriter& json, const ProcessMetrics& process) {
  const auto optional = [&](std::string_view key, const auto& value) {
    if (value) json.member(key, *value);
  };
  json.member("seconds", process.seconds);
  json.member("pid", std::int64_t{process.pid});
  json.member("parent", std::int64_t{process.parent});
  json.member("name", process.name);
  json.member("state", std::string_view(&process.state, 1));
  json.member("threads", process.threads);
  optional("uid", process.uid);
  json.member("cpu", process.cpu);
  json.member("system_cpu", process.system_cpu);
  json.member("minor_faults", process.minor_faults);
  json.member("major_faults", process.major_faults);
  optional("read_bytes", process.read_bytes);
  optional("written_bytes", process.written_bytes);
  optional("switches", process.switches);
  optional("forced_switches", process.forced_switches);
  optional("wait", process.wait);
  json.member("resident_bytes", process.resident_bytes);
  optional("swap_bytes", process.swap_bytes);
  optional("pss_bytes", process.pss_bytes);
}

}  // namespace wick
