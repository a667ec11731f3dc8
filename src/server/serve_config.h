// SPDX-License-Identifier: Apache-2.0
// What `serve.toml` can say. Each key is the name of the option that wins over
// it, without its dashes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

struct ServeConfig {
  std::string address = "127.0.0.1";
  std::uint16_t port = 7373;
  std::vector<std::string> hosts;  // other names of this machine
  std::string token_file;          // empty: one in the state directory
  std::string tls_certificate;  // files; empty: made on first start, if needed
  std::string tls_key;
  bool insecure = false;  // another address than the loopback without TLS

  bool record = true;
  bool off_cpu = false;
  int frequency = 19;       // samples per second and CPU
  int live_frequency = 99;  // while somebody watches

  std::chrono::seconds keep = std::chrono::hours(30 * 24);
  std::uint64_t max_size = std::uint64_t{2} << 30;

  friend bool operator==(const ServeConfig&, const ServeConfig&) = default;
};

// `base` with what `toml` says instead; `file` is its name, for messages. An
// Error names the line: an unknown key (with the one that may be meant), a
// value of another type, or one that cannot be used.
ServeConfig parse_serve_config(std::string_view toml, const std::string& file,
                               ServeConfig base = {});

// What only the file and the options together can be asked for: an Error if one
// setting lacks the other that it needs.
void check_serve_config(const ServeConfig& config);

// The value of one option in the words of the command line: "0.0.0.0:7373",
// "30d", "2G", "true". The Error says what is wrong with it.
void set_option(ServeConfig& config, std::string_view name,
                std::string_view value);

}  // namespace wick
