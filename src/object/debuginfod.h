// SPDX-License-Identifier: Apache-2.0
// Files by build id from the servers in DEBUGINFOD_URLS. The client library is
// loaded only when it is used: few machines have it, and a query tells a server
// what runs here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wick {

enum class DebuginfodKind { kExecutable, kDebugInfo };

// The path of the file in debuginfod's own cache; nothing if no server has it.
// Fails if the library is missing or no server is named.
std::optional<std::string> ask_debuginfod(DebuginfodKind kind,
                                          std::string_view build_id);

// Fails as ask_debuginfod would, before anything is read.
void check_debuginfod();

}  // namespace wick
