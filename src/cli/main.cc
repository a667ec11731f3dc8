// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <streambuf>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/tell.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "cli/help_page.h"
#include "cli/options/command.h"
#include "cli/options/option_table.h"
#include "cli/options/setting_names.h"
#include "cli/process.h"
#include "io/output_file.h"

namespace wick {
namespace {

int run(std::vector<std::string> words);

int help_with(const std::string& topic) {
  const auto page = help_page(topic);
  if (!page) return run({topic, "--help"});
  std::cout << *page;
  return 0;
}

int run(std::vector<std::string> words) {
  if (words.empty()) {
    tell("{}", overview_text());
    return 2;
  }
  const std::string name = words.front();
  words.erase(words.begin());
  if (name == "help" && !words.empty()) return help_with(words.front());
  if (name == "--help" || name == "-h" || name == "help") {
    std::cout << overview_text();
  } else if (name == "--version" || name == "-V") {
    std::cout << version_text();
  } else if (const Command* command = find_command(name)) {
    return run_command(*command, std::move(words));
  } else {
    fail_unknown_command(name);
  }
  return 0;
}

// cargo runs `cargo wick …` as `cargo-wick wick …`.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words{argv + (argc > 0 ? 1 : 0), argv + argc};
  const std::string_view self = argc > 0 ? argv[0] : "";
  if (base_name(self) == "cargo-wick") {
    if (!words.empty() && words.front() == "wick") words.erase(words.begin());
    words.insert(words.begin(), "cargo");
  }
  return words;
}

// Everything that a command prints on a terminal, names from its input above
// all, is made harmless here. Files and pipes get every byte as it is.
class SafeStandardOutput {
 public:
  SafeStandardOutput() {
    if (::isatty(STDOUT_FILENO) == 0) return;
    buffer_ = std::make_unique<TerminalBuffer>(*std::cout.rdbuf());
    before_ = std::cout.rdbuf(buffer_.get());
  }
  SafeStandardOutput(const SafeStandardOutput&) = delete;
  SafeStandardOutput& operator=(const SafeStandardOutput&) = delete;
  ~SafeStandardOutput() {
    if (buffer_) std::cout.rdbuf(before_);
  }

 private:
  std::unique_ptr<TerminalBuffer> buffer_;
  std::streambuf* before_ = nullptr;
};

// std::thread and TBB, each in its own way.
bool is_thread_limit(const std::exception& error) {
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  return (system != nullptr && system->code().value() == EAGAIN) ||
         std::string_view(error.what()).find("pthread_create") !=
             std::string_view::npos;
}

void tell_error(std::string_view message) {
  tell("wick: {}\n", in_one_line(message));
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const wick::SafeStandardOutput safe_output;
  try {
    const int status = wick::run(wick::words_of(argc, argv));
    wick::finish_standard_output(std::cout);
    return status;
  } catch (const wick::Interrupted& interrupted) {
    // Dies of that signal, so that a loop in a shell ends, too.
    std::signal(interrupted.signal(), SIG_DFL);
    std::raise(interrupted.signal());
  } catch (const wick::UsageError& error) {
    wick::tell_error(error.text(wick::setting_name));
    return 2;
  } catch (const wick::Error& error) {
    wick::tell_error(error.text(wick::setting_name));
  } catch (const std::bad_alloc&) {
    wick::tell("wick: out of memory\n");
  } catch (const std::exception& error) {
    wick::tell_error(wick::is_thread_limit(error)
                         ? "cannot start a thread: a limit of memory (ulimit "
                           "-v) or of processes (ulimit -u) is reached; wick "
                           "needs fewer with -n 1"
                         : error.what());
  }
  return 1;
}
