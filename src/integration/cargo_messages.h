// SPDX-License-Identifier: Apache-2.0
// Output of cargo with --message-format=json, a message per line, and of `cargo
// metadata`: the programs it built, and what they need to run.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

// A program that was built.
struct CargoProgram {
  std::string package_id, manifest_path;
  std::string name;                // of the target
  std::vector<std::string> kinds;  // "bin", "example", "test", "bench", "lib"
  std::string executable;
  bool is_test = false;  // built with the test harness, or in place of it
  bool has_debug_info = false;

  bool is(std::string_view kind) const;
  // The unit tests of a library of any crate type.
  bool is_of_library() const;
};

struct CargoMessages {
  std::vector<CargoProgram> programs;
  std::vector<std::string> library_folders;  // from build scripts
  bool has_rust_library = false;  // a program is linked to Rust's own .so
};

// Ignores other messages and lines that are not messages.
CargoMessages read_cargo_messages(std::string_view text);

// `default-run` by package id, for packages that have it.
std::map<std::string, std::string> read_default_runs(std::string_view metadata);

}  // namespace wick
