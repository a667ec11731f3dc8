// SPDX-License-Identifier: Apache-2.0
#include "format/binary/pprof_labels.h"

#include "format/binary/pprof.h"

namespace wick::pprof {

LabelRole role_of(std::string_view key) {
  struct Name {
    std::string_view name;
    LabelRole role;
  };
  static constexpr Name kNames[] = {
      {kCommLabel, LabelRole::kProcessName},
      {"thread", LabelRole::kThreadName},
      {"thread name", LabelRole::kThreadName},
      {"thread_name", LabelRole::kThreadName},
      {"thread_comm", LabelRole::kThreadName},
      {kPidLabel, LabelRole::kPid},
      {"process_id", LabelRole::kPid},
      {kTidLabel, LabelRole::kTid},
      {"thread id", LabelRole::kTid},
      {"thread_id", LabelRole::kTid},
      {"timestamp_ns", LabelRole::kTime},
      {"end_timestamp_ns", LabelRole::kTime},
      {"cpu", LabelRole::kCpu},
  };
  for (const auto& [name, role] : kNames)
    if (key == name) return role;
  return LabelRole::kNone;
}

}  // namespace wick::pprof
