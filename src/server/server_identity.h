// SPDX-License-Identifier: Apache-2.0
// What a server shows to others: its token, its certificate, its names. They
// outlive it in the state folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/http/http_server.h"
#include "server/serve_config.h"
#include "server/server.h"
#include "server/state_folder.h"

namespace wick {

struct ServerIdentity {
  std::string token;
  std::optional<TlsIdentity> tls;
  std::vector<std::string> names;  // of this machine, for others
};

// Makes what is missing. An Error if a file of the configuration cannot be
// used.
ServerIdentity server_identity(const ServeConfig& config,
                               const StateFolder& state);

bool is_loopback(const std::string& address);

ServerAddress server_address(const ServeConfig& config,
                             const ServerIdentity& identity,
                             std::uint16_t port);

}  // namespace wick
