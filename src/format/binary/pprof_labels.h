// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace wick::pprof {

// What a label of a sample says, under the names that writers of pprof give it.
enum class LabelRole : std::uint8_t {
  kNotLooked,
  kNone,
  kProcessName,
  kThreadName,
  kPid,
  kTid,
  kTime,
  kCpu,
};

LabelRole role_of(std::string_view key);

}  // namespace wick::pprof
