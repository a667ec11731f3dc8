// SPDX-License-Identifier: Apache-2.0
// For tests/e2e/lines.py: wick's DebugInfo in the form of `addr2line -a -f -i`.
//
// usage: resolve_lines FILE [WORKERS] < ADDRESSES
//
// Reads hexadecimal addresses, one a line. A .dwp beside FILE and the dwz file
// that it names are found as debuggers find them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "object/dwarf/debug_info.h"
#include "object/elf/symbol_table.h"

namespace wick {
namespace {

std::shared_ptr<const ElfFile> open_if_there(const std::string& path) {
  if (!std::filesystem::exists(path)) return nullptr;
  return ElfFile::open(path);
}

void run(const std::string& path, int workers) {
  std::vector<std::uint64_t> addresses;
  for (char line[64]; std::fgets(line, sizeof(line), stdin) != nullptr;)
    addresses.push_back(std::strtoull(line, nullptr, 16));
  std::ranges::sort(addresses);
  addresses.erase(std::ranges::unique(addresses).begin(), addresses.end());

  const auto elf = ElfFile::open(path);
  const SymbolTable symbols = SymbolTable::from_elf(*elf, nullptr);
  const auto symbol_or = [&](std::uint64_t address, std::string_view name) {
    const Symbol* symbol = symbols.find(address);
    if (symbol != nullptr) return symbol->name;
    return name.empty() ? "??" : name;
  };

  const auto begin = std::chrono::steady_clock::now();
  DebugInfo::Files files;
  files.main = ElfFile::open(path);
  if (const auto link = files.main->alternate_link())
    files.alternate = open_if_there(
        (std::filesystem::path(path).parent_path() / link->file).string());
  const auto package = open_if_there(path + ".dwp");
  files.open_dwo = [package](std::string_view name, std::string_view folder) {
    return package
               ? package
               : open_if_there((std::filesystem::path(folder) / name).string());
  };
  DebugInfo info(files);
  std::vector<std::string> texts(addresses.size());
  std::size_t frame_count = 0;
  info.resolve(addresses, workers,
               [&](std::size_t i, std::span<const SourceFrame> frames) {
                 frame_count += frames.size();
                 if (frames.empty())
                   texts[i] =
                       fmt::format("{}\n??:0\n", symbol_or(addresses[i], ""));
                 for (std::size_t k = frames.size(); k-- > 0;) {
                   const SourceFrame& frame = frames[k];
                   texts[i] += fmt::format(
                       "{}\n{}:{}\n",
                       k == 0 && !frame.is_linkage_name
                           ? symbol_or(addresses[i], frame.function)
                           : frame.function,
                       frame.file.empty() ? "??" : frame.file, frame.line);
                 }
               });
  const std::chrono::duration<double> cold =
      std::chrono::steady_clock::now() - begin;
  info.resolve(addresses, workers, [](auto, auto) {});
  const std::chrono::duration<double> warm =
      std::chrono::steady_clock::now() - begin - cold;
  for (std::size_t i = 0; i < addresses.size(); ++i)
    fmt::print("{:#018x}\n{}", addresses[i], texts[i]);
  fmt::print(stderr,
             "{} addresses, {} frames, {} damaged units, {:.4f} s, again "
             "{:.4f} s\n",
             addresses.size(), frame_count, info.damaged_units(), cold.count(),
             warm.count());
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: resolve_lines FILE [WORKERS] < ADDRESSES\n");
    return 2;
  }
  try {
    wick::run(argv[1], argc > 2 ? std::atoi(argv[2]) : 1);
  } catch (const wick::Error& error) {
    fmt::print(stderr, "resolve_lines: {}\n", error.what());
    return 1;
  }
}
