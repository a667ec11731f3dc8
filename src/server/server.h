// SPDX-License-Identifier: Apache-2.0
// The server process of `wick serve`: it has the sockets and the database and
// no rights. Batches come through a pipe from the recorder, which has rights
// and no sockets.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "server/serve_config.h"
#include "server/state_folder.h"

namespace wick {

// How to reach a server.
struct ServerAddress {
  std::string url;          // "http://127.0.0.1:7373/"
  std::string login;        // the same with the token
  std::string fingerprint;  // of its certificate; "" without TLS
};

struct ServerOptions {
  ServeConfig config;
  // Batches as in server/batch/batch_pipe.h. When the pipe ends, the server
  // stores what it has and ends. -1: there is no recorder.
  int batches = -1;
  // Where the recorder reads what the server tells it (BatchCommand); -1: none.
  int commands = -1;
  // A socket that listens already, which outlives the server; -1: it makes one
  // itself, as the configuration says.
  int listener = -1;
  // The server ends once this is readable.
  int stop = -1;
  // When this is readable, it is read, and `reread` says what the configuration
  // is now. An Error is told, and nothing changes. -1: never.
  int changed = -1;
  std::function<ServeConfig()> reread;

  // Called once it listens.
  std::function<void(const ServerAddress&)> on_ready;
  // Sentences for the person who runs it: the disk is full. For any thread.
  std::function<void(std::string_view)> tell;
};

// Returns after `stop` or the end of `batches`. An Error if it cannot begin:
// the port is taken, the database is damaged.
//
// The state folder holds the database, the token and the certificate, and the
// file `login` while the server runs: the link with the token.
void run_server(const ServerOptions& options, StateFolder& state);

// The file of the state folder with the link.
inline constexpr std::string_view kLoginFile = "login";

}  // namespace wick
