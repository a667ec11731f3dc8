// SPDX-License-Identifier: Apache-2.0
// What answers of the API are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "server/http/message.h"

namespace wick {

// A larger answer is TooMuch: it is in memory until it is sent.
inline constexpr std::size_t kMostAnswerBytes = std::size_t{32} << 20;

// What `write` writes.
std::string bounded_text(const std::function<void(std::ostream&)>& write,
                         std::size_t most = kMostAnswerBytes);

HttpResponse json_answer(const std::function<void(JsonWriter&)>& write);

// Seconds since 1970 with decimals, as requests may give them.
void write_time(JsonWriter& json, std::string_view key, std::int64_t ns);
std::string time_number(std::int64_t ns);

// A Content-Security-Policy that lets a page run these scripts, use these
// styles and load nothing.
std::string page_policy(const std::vector<std::string>& inline_code);

}  // namespace wick
