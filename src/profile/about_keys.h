// SPDX-License-Identifier: Apache-2.0
// Keys of Profile::about that are also looked up; others are only listed.
#pragma once

#include <string_view>

namespace wick {

// The command line of the recorder, or the program that was recorded.
inline constexpr std::string_view kAboutCommand = "command";
// When the recording began.
inline constexpr std::string_view kAboutDate = "date";

}  // namespace wick
