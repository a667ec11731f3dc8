// SPDX-License-Identifier: Apache-2.0
#include "cli/serve_arguments.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "cli/options/option_kinds.h"
#include "io/read_file.h"
#include "server/state_folder.h"

namespace wick {
namespace {

constexpr std::uint64_t kLargestConfig = 1 << 20;

// As the XDG specification says, a relative path is ignored.
std::string usual_config_file() {
  if (::geteuid() == 0) return "/etc/wick/serve.toml";
  if (const char* config = std::getenv("XDG_CONFIG_HOME");
      config != nullptr && *config == '/')
    return std::string(config) + "/wick/serve.toml";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/'
             ? std::string(home) + "/.config/wick/serve.toml"
             : "";
}

ServeConfig config_of_file(const std::string& given) {
  const std::string path = given.empty() ? usual_config_file() : given;
  if (given.empty() && (path.empty() || ::access(path.c_str(), F_OK) != 0))
    return {};
  const auto text = read_small_file(path, kLargestConfig);
  if (!text) fail("{} cannot be read, or is no small file", path);
  return parse_serve_config(*text, path);
}

struct ServeOption {
  std::string_view key, value;  // the value stands for it in help
  std::string_view description, standard;
};
constexpr ServeOption kServerOptions[] = {
    {"listen", "ADDR:PORT", "where to listen", "127.0.0.1:7373"},
    {"token-file", "FILE",
     "the token that clients need, instead of one in the state folder", ""},
    {"tls-cert", "FILE",
     "the certificate, in PEM, instead of one that is made if needed", ""},
    {"tls-key", "FILE", "its private key, in PEM", ""},
};
constexpr ServeOption kRecordingOptions[] = {
    {"freq", "HZ", "samples per second and CPU", "19"},
    {"live-freq", "HZ", "the same while somebody watches", "99"},
};
constexpr ServeOption kStorageOptions[] = {
    {"keep", "AGE", "how long to keep what was recorded: 12h, 30d, 8w, 1y",
     "30d"},
    {"max-size", "SIZE", "how large the database may become: 500M, 2G", "2G"},
};

}  // namespace

ServeConfig ServeArguments::config() const {
  ServeConfig config = config_of_file(file);
  for (const auto& [key, value] : given) {
    try {
      set_option(config, key, value);
    } catch (const Error& error) {
      fail_usage("serve: --{}: {}", key, error.what());
    }
  }
  check_serve_config(config);
  return config;
}

std::string ServeArguments::state_folder() const {
  return state.empty() ? default_state_folder() : state;
}

void add_serve_options(OptionSet& app, ServeArguments& arguments) {
  const auto add = [&](const ServeOption& option, const std::string& group) {
    const std::string key(option.key);
    app.add_callback(
           "--" + key,
           [&arguments, key](const std::string& text) {
             arguments.given.emplace_back(key, text);
           },
           std::string(option.description))
        ->type_name(std::string(option.value))
        ->default_str(std::string(option.standard))
        ->take_last()
        ->group(group);
  };
  const auto add_switch = [&](const std::string& name, const std::string& key,
                              const std::string& value,
                              const std::string& description,
                              const std::string& group) {
    app.add_flag_callback(
           name,
           [&arguments, key, value] {
             arguments.given.emplace_back(key, value);
           },
           description)
        ->group(group);
  };
  const std::string server = "Server", recording = "Recording",
                    storage = "Storage";
  for (const ServeOption& option : kServerOptions) add(option, server);
  app.add_list_callback(
         "--hosts",
         [&arguments](const std::vector<std::string>& names) {
           for (const std::string& name : names)
             arguments.given.emplace_back("hosts", name);
         },
         "another name of this machine, as links have it; may be given "
         "several times")
      ->type_name("NAME")
      ->one_value_each()
      ->group(server);
  add_switch("--insecure", "insecure", "true",
             "listen on other addresses than the loopback without TLS", server);
  for (const ServeOption& option : kRecordingOptions) add(option, recording);
  add_switch("--off-cpu", "off-cpu", "true",
             "also record how long threads wait, where and why; costs more the "
             "more often they do",
             recording);
  add_switch("--no-record", "record", "false",
             "serve what is stored, and record nothing", recording);
  add_text(app, "--state", arguments.state, "DIR",
           "the folder of the database; default: /var/lib/wick, or "
           "~/.local/state/wick if you are not root")
      ->group(storage);
  for (const ServeOption& option : kStorageOptions) add(option, storage);
  add_path(app, "--config", arguments.file, "FILE",
           "a file with these options; default: /etc/wick/serve.toml, or "
           "~/.config/wick/serve.toml if you are not root");
}

bool take_over(ServeConfig& running, const ServeConfig& next) {
  running.frequency = next.frequency;
  running.live_frequency = next.live_frequency;
  running.keep = next.keep;
  running.max_size = next.max_size;
  return !(running == next);
}

}  // namespace wick
