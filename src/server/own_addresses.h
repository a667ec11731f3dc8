// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace wick {

// The IP addresses of this machine, as text, each once. From files of `proc`:
// getifaddrs() would need a socket, which a server may not make.
std::vector<std::string> own_addresses(const std::string& proc = "/proc");

}  // namespace wick
