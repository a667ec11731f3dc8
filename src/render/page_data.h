// SPDX-License-Identifier: Apache-2.0
// The data of the viewer's page. docs/viewer.md describes it; web/data.js reads
// it.
//
//   "wickpage"  8 bytes
//   version     u32, little-endian as all numbers
//   size        u32, of the JSON
//   JSON        what is small: texts, events, threads, and the list of columns
//   columns     one after the other, numbers as LEB128
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "profile/format.h"
#include "profile/profile.h"

namespace wick {

inline constexpr std::string_view kPageMagic = "wickpage";
inline constexpr std::uint32_t kPageVersion = 1;

struct PageLimits {
  // More samples than this are added up in cells of time. A browser could hold
  // more, but pages get sent around.
  std::size_t samples = 2'000'000;
  // The same for the compressed bytes of samples.
  std::size_t sample_bytes = 3'000'000;
};

std::string page_data(const Profile& profile, const WriteOptions& options,
                      const PageLimits& limits = {});

}  // namespace wick
