// SPDX-License-Identifier: Apache-2.0
#include "integration/cargo_messages.h"

#include <algorithm>

#include "base/text.h"
#include "format/json/json.h"

namespace wick {
namespace {

// 0, 1, 2, null, "line-tables-only" and "line-directives-only".
bool has_debug_info(Json level) {
  return level.is_string() ? level.text() != "none"
                           : level.integer().value_or(0) > 0;
}

void read_artifact(Json message, CargoMessages& out) {
  const Json target = message["target"];
  for (const Json type : target["crate_types"].items())
    if (type.text() == "dylib") out.has_rust_library = true;
  if (!message["executable"].is_string()) return;
  CargoProgram program{
      .package_id = std::string(message["package_id"].text()),
      .manifest_path = std::string(message["manifest_path"].text()),
      .name = std::string(target["name"].text()),
      .executable = std::string(message["executable"].text()),
      .is_test = message["profile"]["test"].truth().value_or(false),
      .has_debug_info = has_debug_info(message["profile"]["debuginfo"])};
  for (const Json kind : target["kind"].items())
    program.kinds.emplace_back(kind.text());
  out.programs.push_back(std::move(program));
}

// "native=/path" and "/path".
void read_build_script(Json message, CargoMessages& out) {
  for (const Json path : message["linked_paths"].items()) {
    const std::string_view text = path.text();
    if (!text.empty())
      out.library_folders.emplace_back(text.substr(text.find('=') + 1));
  }
}

}  // namespace

bool CargoProgram::is(std::string_view kind) const {
  return std::ranges::find(kinds, kind) != kinds.end();
}

bool CargoProgram::is_of_library() const {
  return std::ranges::none_of(kinds, [](std::string_view kind) {
    return kind == "bin" || kind == "example" || kind == "test" ||
           kind == "bench" || kind == "custom-build";
  });
}

CargoMessages read_cargo_messages(std::string_view text) {
  CargoMessages out;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!line.starts_with('{')) continue;
    Diagnostics ignored;
    const JsonDocument document(line, ignored);
    const Json message = document.root();
    const std::string_view reason = message["reason"].text();
    if (reason == "compiler-artifact") read_artifact(message, out);
    if (reason == "build-script-executed") read_build_script(message, out);
  }
  return out;
}

std::map<std::string, std::string> read_default_runs(
    std::string_view metadata) {
  std::map<std::string, std::string> out;
  Diagnostics ignored;
  const JsonDocument document(metadata, ignored);
  for (const Json package : document.root()["packages"].items())
    if (package["default_run"].is_string())
      out.emplace(package["id"].text(), package["default_run"].text());
  return out;
}

}  // namespace wick
