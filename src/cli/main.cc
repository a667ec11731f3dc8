// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <iostream>

#include "base/error.h"
#include "format/registry.h"

int main(int argc, char** argv) {
  try {
    wick::InputFile file = wick::InputFile::open(argc > 1 ? argv[1] : "-");
    const wick::Profile profile = wick::read_profile(file, {});
    wick::output_format("folded").write(profile, {}, std::cout);
  } catch (const wick::Error& error) {
    fmt::print(stderr, "wick: {}\n", error.what());
    return 1;
  }
}
