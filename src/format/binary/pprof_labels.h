// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace wick::pprof {

// The meaning of a sample's label, by the names that writers of pprof use.
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
