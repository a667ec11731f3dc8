// SPDX-License-Identifier: Apache-2.0
// Inputs that a running `wick serve` is asked for.
#pragma once

#include <string>
#include <string_view>

#include "io/input_file.h"

namespace wick {

// Whether an input is named like one: "http://…" or "https://…".
bool is_server_input(std::string_view path);

// What the input asks the server for: "http://HOST:PORT" stands for the profile
// of the last minute, "http://HOST:PORT?pid=7&from=-1h" for another one, and
// "http://HOST:PORT/api/v1/…" is taken as it is; "format=wick" is added to each
// that has no format. A UsageError says why it cannot be one.
std::string server_target(const std::string& path);

// The token is the first line of `token_file`, or else in WICK_TOKEN.
// WICK_FINGERPRINT names the certificate of a server that nobody vouches for.
InputFile open_server_input(const std::string& path,
                            const std::string& token_file);

}  // namespace wick
