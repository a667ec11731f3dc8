// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <iostream>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/options/command.h"
#include "cli/options/option_kinds.h"
#include "cli/options/run_options.h"
#include "cli/serve_arguments.h"
#include "cli/serve_run.h"
#include "server/server.h"
#include "server/state_folder.h"

namespace wick {
namespace {

struct ServeCommand {
  ServeArguments serve;
  RunOptions run;
  bool url = false;

  int operator()(const Arguments& arguments) {
    if (!arguments.inputs.empty())
      fail_usage("serve: unexpected argument '{}'; see 'wick serve --help'",
                 excerpt(arguments.inputs.front()));
    if (url) return print_url();
    if (!serve.config().record) return run_server_alone(serve, run);
    std::vector<std::string> words(arguments.words.begin() + 1,
                                   arguments.words.end());
    return run_recorder_and_server(serve, run, words);
  }

 private:
  int print_url() const {
    const std::string folder = serve.state_folder();
    const auto login = read_state(folder, kLoginFile);
    if (!login)
      fail("no server runs with the state in {}; start it with `wick serve`",
           folder);
    std::cout << trim(*login) << '\n';
    return 0;
  }
};

std::function<int(const Arguments&)> declare_serve(OptionSet& app) {
  auto command = std::make_shared<ServeCommand>();
  add_serve_options(app, command->serve);
  add_flag(app, "--url", command->url,
           "print the link to the server that runs, and end");
  add_flag(app, "-q,--quiet", command->run.quiet,
           "print only errors and the link");
  return runner(command);
}

struct ServerChildCommand {
  ServeArguments serve;
  RunOptions run;
  bool again = false;

  int operator()(const Arguments&) {
    return run_server_child(serve, run, !again);
  }
};

std::function<int(const Arguments&)> declare_server_child(OptionSet& app) {
  auto command = std::make_shared<ServerChildCommand>();
  add_serve_options(app, command->serve);
  add_flag(app, "--again", command->again, "print no link");
  add_flag(app, "-q,--quiet", command->run.quiet, "print only errors");
  return runner(command);
}

}  // namespace

extern const Command serve_command = {
    .name = "serve",
    .usage = "[OPTION…]",
    .summary = "record this machine all the time, and serve what happened",
    .examples =
        "wick serve                  # prints a link, for a browser\n"
        "wick serve --url            # prints it again\n"
        "wick serve --listen 0.0.0.0:7373   # for others, with a token and "
        "TLS\n"
        "wick serve --freq 49 --keep 8w --max-size 10G\n"
        "wick serve --no-record      # only what is stored\n",
    .declare = declare_serve,
};

extern const Command serve_server_command = {
    .name = kServerCommand,
    .usage = "[OPTION…]",
    .summary = "the server of `wick serve`, which starts it",
    .examples = "wick serve\n",
    .declare = declare_server_child,
    .hidden = true,
};

}  // namespace wick
