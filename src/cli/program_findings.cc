// SPDX-License-Identifier: Apache-2.0
#include "cli/program_findings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/append.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/text.h"
#include "io/open_regular.h"
#include "io/program_path.h"
#include "object/debug_files.h"
#include "object/elf/elf_file.h"
#include "object/elf/go_table.h"
#include "object/linked_libraries.h"
#include "object/package_files.h"
#include "object/unwind/unwind_coverage.h"

namespace wick {
namespace {

// How to get the symbols or debug information that a file lacks: from its
// package, or by building it with `flags`.
std::string help_with_symbols(const std::string& path, std::string_view flags) {
  const PackageFiles packages;
  std::error_code error;
  const std::string absolute = std::filesystem::canonical(path, error).string();
  const auto owners = packages.owners({error ? path : absolute});
  if (!owners.empty())
    return fmt::format(
        "install {} (from the debug archive of the distribution)",
        debug_package(owners.begin()->second));
  return fmt::format("build {}{}", flags,
                     packages.exist() ? "" : ", or install its debug symbols");
}

Finding check_symbols(const std::string& path, bool has_symbols, bool is_go) {
  if (has_symbols) return {Verdict::kGood, path + " has symbols", ""};
  if (is_go)
    return {Verdict::kGood,
            path +
                " is stripped, but has the names of its functions, as all "
                "Go programs",
            ""};
  return {Verdict::kLess, path + " is stripped and has no symbols",
          help_with_symbols(path, "without -s")};
}

Finding check_debug_information(const std::string& path, bool has_it,
                                bool is_go) {
  if (has_it)
    return {Verdict::kGood,
            path + " has debug information (lines, inlined functions)", ""};
  return {Verdict::kLess, path + " has no debug information",
          help_with_symbols(
              path, is_go ? "without -ldflags=-s or -w"
                          : "with -g (Cargo: [profile.release] debug = true)")};
}

// Go's linker takes a build id and does not make one (-B gobuildid is of 1.22).
Finding missing_build_id(const std::string& path, bool is_go) {
  return {Verdict::kLess, path + " has no build id",
          is_go ? "go build -ldflags=\"-B 0x$(od -An -N20 -tx1 /dev/urandom | "
                  "tr -d ' \\n')\""
                : "link with -Wl,--build-id"};
}

// Programs and libraries with less have stacks that end early.
constexpr double kMostOfTheCode = 0.95;

Finding check_unwind_rules(const std::string& path,
                           const std::shared_ptr<const ElfFile>& file,
                           const std::shared_ptr<const ElfFile>& debug,
                           bool is_go) {
  constexpr double kHardlyAny = 0.0005;
  const double share = unwind_coverage(file, debug, worker_count(0)).share();
  const std::string rules =
      share == 0
          ? "no unwind rules"
          : fmt::format("unwind rules for {:.1f}% of its code", 100 * share);
  if (share >= kMostOfTheCode)
    return {Verdict::kGood, fmt::format("{} has {}", path, rules), ""};
  if (is_go)
    return {Verdict::kGood,
            fmt::format("{} has {}, but frame pointers, as all Go code", path,
                        rules),
            ""};
  return {Verdict::kLess,
          fmt::format("{} has {}; {}frame pointers are used", path, rules,
                      share < kHardlyAny ? "" : "elsewhere "),
          "build with -fasynchronous-unwind-tables or "
          "-fno-omit-frame-pointer"};
}

// Of all that the program is linked with: one line if they are as they should
// be, and one for each that is not.
std::vector<Finding> check_libraries(const std::string& path) {
  // glibc's libpthread.so.0 and others are empty by now.
  constexpr std::uint64_t kWorthALine = 4096;
  const LinkedLibraries libraries = linked_libraries(path);
  std::vector<Finding> findings;
  UnwindCoverage all;
  DebugFiles files({});
  for (const std::string& library : libraries.paths) {
    const auto file = ElfFile::open(library);
    const auto debug = files.debug(*file, {.path = library});
    const UnwindCoverage its = unwind_coverage(file, debug, worker_count(0));
    all.code += its.code;
    all.covered += its.covered;
    if (its.code >= kWorthALine && its.share() < kMostOfTheCode)
      findings.push_back(check_unwind_rules(library, file, debug,
                                            GoTable::find(*file).has_value()));
  }
  if (all.code > 0)
    findings.insert(
        findings.begin(),
        {Verdict::kGood,
         fmt::format("its libraries ({}) have unwind rules for {:.1f}% of "
                     "their code",
                     libraries.paths.size(), 100 * all.share()),
         ""});
  if (!libraries.missing.empty())
    findings.push_back({Verdict::kLess,
                        "libraries not found, and not looked at: " +
                            joined(libraries.missing, ", "),
                        ""});
  return findings;
}

// As a shell finds it; a file in the current directory that is in no PATH is
// taken, too.
std::string find_file(const std::string& name) {
  if (name.find('/') != name.npos) return name;
  if (const auto found = find_program(name)) return *found;
  if (::access(name.c_str(), F_OK) != 0)
    fail("{}: program not found in PATH", name);
  return name;
}

void check_no_script(const std::string& path) {
  const UniqueFd file = open_regular(path, {.on_network = true});
  char begin[256];
  const ssize_t size = file ? ::pread(file.get(), begin, sizeof begin, 0) : 0;
  std::string_view rest(begin,
                        static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  if (!rest.starts_with("#!")) return;
  rest.remove_prefix(2);
  rest = take_line(rest);
  fail("{}: is a script, which is run by '{}'; name that program", path,
       excerpt(trim(rest)));
}

}  // namespace

std::vector<Finding> program_findings(const std::string& name) {
  const std::string path = find_file(name);
  check_no_script(path);
  const auto file = ElfFile::open(path);
  DebugFiles files({});
  const auto debug = files.debug(*file, {.path = path});
  std::vector<Finding> findings;
  const auto has = [&](const char* section) {
    return file->section(section) != nullptr ||
           (debug && debug->section(section) != nullptr);
  };
  const bool is_go = GoTable::find(*file).has_value();
  findings.push_back(check_symbols(path, has(".symtab"), is_go));
  findings.push_back(check_debug_information(path, has(".debug_info"), is_go));
  findings.push_back(check_unwind_rules(path, file, debug, is_go));
  if (file->build_id().empty())
    findings.push_back(missing_build_id(path, is_go));
  for (Finding& finding : check_libraries(path))
    findings.push_back(std::move(finding));
  return findings;
}

}  // namespace wick
