// SPDX-License-Identifier: Apache-2.0
// `wick cargo`, and `cargo wick` through a link named cargo-wick: lets cargo
// build a target, then records and draws it. The options are those of cargo
// flamegraph. The program runs as cargo would run it: in the same directory,
// with CARGO_MANIFEST_DIR and LD_LIBRARY_PATH.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/append.h"
#include "base/error.h"
#include "base/shell.h"
#include "base/tell.h"
#include "base/text.h"
#include "cli/flame_run.h"
#include "cli/options/command.h"
#include "cli/options/drawing_options.h"
#include "cli/options/option_kinds.h"
#include "cli/process.h"
#include "integration/cargo_messages.h"
#include "io/program_path.h"
#include "profile/format.h"

namespace wick {
namespace {

namespace fs = std::filesystem;

// As on the command line; at most one target is given.
struct CargoOptions {
  std::string bin, example, test, bench;
  std::optional<std::string> unit_test, unit_bench;  // "": the only one
  std::string unit_kind;                             // "lib", "bin" or ""
  std::string package, target, manifest_path, profile;
  std::vector<std::string> features;
  bool no_default_features = false, all_features = false;
  bool dev = false, release = false;
  bool offline = false, locked = false, frozen = false;

  bool benchmarks() const { return !bench.empty() || unit_bench; }
  bool tests() const { return !test.empty() || unit_test; }
  bool units() const { return unit_test || unit_bench; }

  std::string used_profile() const {
    if (!profile.empty()) return profile;
    return dev ? "dev" : benchmarks() ? "bench" : "release";
  }
  std::string wanted_name() const {
    for (const std::string* name : {&bin, &example, &test, &bench})
      if (!name->empty()) return *name;
    return unit_test.value_or(unit_bench.value_or(""));
  }
};

// "cargo", or the cargo that runs wick.
std::string cargo_program() {
  if (const char* named = std::getenv("CARGO"); named != nullptr && *named != 0)
    return named;
  if (!find_program("cargo"))
    fail("cannot find cargo in PATH (apt install cargo, or rustup.rs)");
  return "cargo";
}

void check_manifest(const CargoOptions& options) {
  if (!options.manifest_path.empty()) {
    if (::access(options.manifest_path.c_str(), R_OK) != 0)
      fail("{}: cannot read: {}", options.manifest_path, last_system_error());
    return;
  }
  for (fs::path folder = fs::current_path();; folder = folder.parent_path()) {
    if (fs::exists(folder / "Cargo.toml")) return;
    if (folder == folder.parent_path()) break;
  }
  fail(
      "cannot find Cargo.toml in this directory or a parent; give its path "
      "with "
      "--manifest-path");
}

// Which targets of the package cargo builds.
std::vector<std::string> target_words(const CargoOptions& options) {
  if (!options.bin.empty()) return {"--bin", options.bin};
  if (!options.example.empty()) return {"--example", options.example};
  if (!options.test.empty()) return {"--test", options.test};
  if (!options.bench.empty()) return {"--bench", options.bench};
  if (!options.units()) return {"--bins"};
  if (options.unit_kind == "lib") return {"--lib"};
  if (options.unit_kind == "bin" && !options.wanted_name().empty())
    return {"--bin", options.wanted_name()};
  if (options.unit_kind == "bin") return {"--bins"};
  // `--lib` fails for a package without a library; these do not.
  return {options.unit_bench ? "--benches" : "--tests"};
}

std::vector<std::string> build_words(const CargoOptions& options,
                                     const RunOptions& run) {
  std::vector<std::string> words{cargo_program()};
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (options.benchmarks())
    add({"bench", "--no-run"});
  else if (options.tests())
    add({"test", "--no-run"});
  else
    add({"build"});
  add(target_words(options));
  add({"--profile", options.used_profile()});
  if (!options.package.empty()) add({"--package", options.package});
  if (!options.target.empty()) add({"--target", options.target});
  if (!options.manifest_path.empty())
    add({"--manifest-path", options.manifest_path});
  for (const std::string& feature : options.features)
    add({"--features", feature});
  if (options.no_default_features) add({"--no-default-features"});
  if (options.all_features) add({"--all-features"});
  if (options.offline) add({"--offline"});
  if (options.locked) add({"--locked"});
  if (options.frozen) add({"--frozen"});
  if (run.quiet) add({"--quiet"});
  add({"--message-format=json-render-diagnostics"});
  return words;
}

struct CommandOutput {
  std::string text;
  int status;
};
CommandOutput output_of(const std::vector<std::string>& words) {
  const UniqueFd out = make_memory_file();
  Child child(words, {.out = out.get()});
  const int status = child.wait();
  return {content_of(out.get()), status};
}

bool is_wanted(const CargoProgram& program, const CargoOptions& options) {
  const std::string name = options.wanted_name();
  if (!name.empty() && program.name != name) return false;
  if (options.units())
    return program.is_test &&
           ((program.is("bin") && options.unit_kind != "lib") ||
            (program.is_of_library() && options.unit_kind != "bin"));
  if (!options.example.empty()) return program.is("example");
  if (!options.test.empty()) return program.is("test");
  if (!options.bench.empty()) return program.is("bench");
  return program.is("bin") && !program.is_test;
}

// Keeps the program that its package declares as default-run, if there is one.
void keep_default_runs(std::vector<CargoProgram>& programs,
                       const CargoOptions& options) {
  std::vector<std::string> words{cargo_program(), "metadata", "--no-deps",
                                 "--format-version", "1"};
  if (!options.manifest_path.empty())
    words.insert(words.end(), {"--manifest-path", options.manifest_path});
  const CommandOutput metadata = output_of(words);
  if (metadata.status != 0) return;
  const auto names = read_default_runs(metadata.text);
  std::vector<CargoProgram> named;
  for (const CargoProgram& program : programs)
    if (const auto at = names.find(program.package_id);
        at != names.end() && at->second == program.name)
      named.push_back(program);
  if (named.size() == 1) programs = std::move(named);
}

[[noreturn]] void fail_no_program(const CargoOptions& options) {
  const std::string what = options.unit_test    ? "unit tests"
                           : options.unit_bench ? "unit benchmarks"
                                                : "program";
  if (!options.wanted_name().empty())
    fail("cargo built no {} '{}'", what, options.wanted_name());
  fail("this package has no {}; choose another target with {}", what,
       options.units() ? "--test or --bench"
                       : "--example, --test, --bench or --unit-test");
}

[[noreturn]] void fail_several_programs(
    const std::vector<CargoProgram>& programs, const CargoOptions& options) {
  std::vector<std::string> names;
  for (const CargoProgram& program : programs)
    names.push_back(options.units() && program.is_of_library()
                        ? program.name + " (lib)"
                        : program.name);
  std::ranges::sort(names);
  fail_usage("cargo: there are several targets: {}; choose one with {}",
             joined(names, ", "),
             !options.wanted_name().empty() && !options.units() ? "--package"
             : options.unit_test  ? "--unit-test NAME or --unit-test-kind"
             : options.unit_bench ? "--unit-bench NAME or --unit-test-kind"
                                  : "--bin NAME");
}

CargoProgram chosen_program(const CargoMessages& built,
                            const CargoOptions& options) {
  std::vector<CargoProgram> wanted;
  for (const CargoProgram& program : built.programs)
    if (is_wanted(program, options)) wanted.push_back(program);
  const bool runs = !options.units() && options.wanted_name().empty();
  if (wanted.size() > 1 && runs) keep_default_runs(wanted, options);
  if (wanted.empty()) fail_no_program(options);
  if (wanted.size() > 1) fail_several_programs(wanted, options);
  return wanted.front();
}

// "CARGO_PROFILE_RELEASE_WITH_X_DEBUG".
std::string debug_variable(std::string_view profile) {
  std::string out = "CARGO_PROFILE_";
  for (const char c : profile)
    out += c == '-' ? '_' : (c >= 'a' && c <= 'z') ? char(c - 'a' + 'A') : c;
  return out + "_DEBUG=true";
}

void set_environment(const CargoProgram& program, const CargoMessages& built) {
  const fs::path folder = fs::path(program.executable).parent_path();
  std::vector<std::string> folders = built.library_folders;
  folders.push_back(folder);
  folders.push_back(folder / "deps");
  if (built.has_rust_library) {
    const char* rustc = std::getenv("RUSTC");
    const CommandOutput libdir = output_of(
        {rustc != nullptr ? rustc : "rustc", "--print", "target-libdir"});
    std::string_view rest = libdir.text;
    if (libdir.status == 0) folders.emplace_back(take_line(rest));
  }
  if (const char* old = std::getenv("LD_LIBRARY_PATH"); old && *old != 0)
    folders.emplace_back(old);
  const std::string paths = joined(folders, ":");
  ::setenv("LD_LIBRARY_PATH", paths.c_str(), 1);
  const fs::path manifest = program.manifest_path;
  ::setenv("CARGO_MANIFEST_DIR", manifest.parent_path().c_str(), 1);
}

struct CargoCommand : FlameRun {
  CargoOptions cargo;

  int operator()(const Arguments& arguments) {
    if (!arguments.inputs.empty())
      fail_usage("cargo: '{}': put the program's arguments after --",
                 excerpt(arguments.inputs.front()));
    picture.write.draw.as_inferno =
        picture.input.read.compat == Compat::kInferno;
    const OutputFormat& format = chosen_format(picture.output, "svg");
    const std::vector<std::string> words = build_words(cargo, picture.run);
    check_manifest(cargo);
    if (picture.run.verbose)
      say(picture.run, fmt::format("running {}", shell_command(words)));
    const CommandOutput build = output_of(words);
    if (build.status != 0) {
      tell("wick: cargo {} failed: {}\n", words[1],
           describe_status(build.status));
      return shell_status(build.status);
    }
    const CargoMessages built = read_cargo_messages(build.text);
    const CargoProgram program = chosen_program(built, cargo);
    say_without_debug_info(program);
    typed = arguments.words;
    set_program(program, arguments.program);
    set_environment(program, built);
    return record(format);
  }

 private:
  void say_without_debug_info(const CargoProgram& program) const {
    if (program.has_debug_info) return;
    say(picture.run,
        fmt::format("{} has no debug info, so lines and inlined functions are "
                    "not shown; set debug = true in [profile.{}] of "
                    "Cargo.toml, or {} in the environment",
                    program.name, cargo.used_profile(),
                    debug_variable(cargo.used_profile())));
  }

  void set_program(const CargoProgram& program,
                   const std::vector<std::string>& arguments) {
    perf.program = {program.executable};
    // As `cargo bench` does: without it, a benchmark only tests itself.
    if (cargo.benchmarks() && !std::ranges::count(arguments, "--bench"))
      perf.program.emplace_back("--bench");
    perf.program.insert(perf.program.end(), arguments.begin(), arguments.end());
    if (cargo.benchmarks() || cargo.tests())
      perf.folder = fs::path(program.manifest_path).parent_path();
  }
};

void add_target_options(OptionSet& app, CargoOptions& cargo) {
  const auto unit = [&](const char* name, std::optional<std::string>& out,
                        const char* description) {
    return app
        .add_callback(
            name, [&out](const std::string& text) { out = text; }, description)
        ->optional_value()
        ->type_name("NAME");
  };
  const std::vector<Option*> targets = {
      add_text(app, "-b,--bin", cargo.bin, "NAME",
               "this program (default: the only one, or default-run)"),
      add_text(app, "--example", cargo.example, "NAME", "this example"),
      add_text(app, "--test", cargo.test, "NAME", "this integration test"),
      add_text(app, "--bench", cargo.bench, "NAME", "this benchmark"),
      unit("--unit-test", cargo.unit_test,
           "the unit tests of this library or program (default: the only one)"),
      unit("--unit-bench", cargo.unit_bench,
           "like --unit-test, but its benchmarks"),
  };
  for (Option* option : targets) {
    option->group("Target");
    for (Option* other : targets)
      if (other != option) option->excludes(other);
  }
  app.add_callback(
         "--unit-test-kind",
         [&cargo](const std::string& kind) {
           if (kind != "lib" && kind != "bin")
             fail_usage("--unit-test-kind: '{}' is not one of lib, bin",
                        excerpt(kind));
           cargo.unit_kind = kind;
         },
         "which one, if a library and a program have the same name")
      ->type_name("lib|bin")
      ->take_last()
      ->group("Target");
  add_text(app, "-p,--package", cargo.package, "NAME",
           "the package in the workspace")
      ->group("Target");
}

void add_build_options(OptionSet& app, CargoOptions& cargo) {
  const auto flag = [&](const char* names, bool& out, const char* description) {
    add_flag(app, names, out, description)->group("Build");
  };
  add_text(app, "--profile", cargo.profile, "NAME",
           "build with this profile (default: release, or bench for "
           "benchmarks)")
      ->group("Build");
  flag("--dev", cargo.dev, "build with profile dev");
  flag("-r,--release", cargo.release, "accepted; the default");
  add_texts(app, "-f,--features", cargo.features, "NAMES",
            "features to build with")
      ->group("Build");
  flag("--no-default-features", cargo.no_default_features,
       "build without the default features");
  flag("--all-features", cargo.all_features, "build with all features");
  add_text(app, "--target", cargo.target, "TRIPLE", "build for this platform")
      ->group("Build");
  add_text(app, "--manifest-path", cargo.manifest_path, "FILE",
           "path of Cargo.toml (default: here or in a parent directory)")
      ->group("Build");
  flag("--offline", cargo.offline, "as in cargo");
  flag("--locked", cargo.locked, "as in cargo");
  flag("--frozen", cargo.frozen, "as in cargo");
}

std::function<int(const Arguments&)> declare_cargo(OptionSet& app) {
  auto command = std::make_shared<CargoCommand>();
  command->command = "cargo";
  add_target_options(app, command->cargo);
  add_build_options(app, command->cargo);
  Picture& picture = command->picture;
  add_picture_options(app, picture);
  add_record_options(app, *command, {.targets = false});
  add_drawing_options(app, picture.write.draw, picture.write.fold);
  add_naming_options(app, picture.write.fold, picture.input.read);
  add_recorded_options(app, picture.input);
  add_run_options(app, picture.run);
  return runner(command);
}

}  // namespace

extern const Command cargo_command = {
    .name = "cargo",
    .usage =
        "[OPTION…] [-- ARGUMENT…]\n       cargo wick [OPTION…] [-- "
        "ARGUMENT…]",
    .summary = "build a Cargo target, record it and draw a flame graph",
    .examples =
        "cargo wick                          # draws flame.svg\n"
        "cargo wick --bin server -- --port 80\n"
        "cargo wick --bench parse -o parse.svg\n"
        "cargo wick --unit-test -- name::of::a_test\n"
        "CARGO_PROFILE_RELEASE_DEBUG=true cargo wick  # with line numbers\n",
    .declare = declare_cargo,
    .takes_arguments = true,
};

}  // namespace wick
