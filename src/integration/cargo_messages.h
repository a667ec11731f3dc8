// SPDX-License-Identifier: Apache-2.0
// What cargo says with --message-format=json, a message per line, and with
// `cargo metadata`: which programs it built, and what they need to run.
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
  // The unit tests of a library, whatever it is linked into.
  bool is_of_library() const;
};

struct CargoMessages {
  std::vector<CargoProgram> programs;
  std::vector<std::string> library_folders;  // that build scripts named
  bool has_rust_library = false;  // something is linked to Rust's own .so
};

// Lines that are no messages, or have other ones, are left out.
CargoMessages read_cargo_messages(std::string_view text);

// `default-run` by package id, of the packages that have one.
std::map<std::string, std::string> read_default_runs(std::string_view metadata);

}  // namespace wick
