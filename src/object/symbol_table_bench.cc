// SPDX-License-Identifier: Apache-2.0
// Symbols of this program itself: read, looked up and demangled. Another file
// can be named by WICK_BENCH_ELF.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "object/demangle/demangle.h"
#include "object/elf/elf_file.h"
#include "object/elf/symbol_table.h"

namespace wick {
namespace {

std::shared_ptr<const ElfFile> some_file() {
  const char* path = std::getenv("WICK_BENCH_ELF");
  return ElfFile::open(path == nullptr ? "/proc/self/exe" : path);
}

void BM_ReadSymbols(benchmark::State& state) {
  std::size_t symbols = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto file = some_file();
    symbols += SymbolTable::from_elf(*file, nullptr).size();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(symbols));
}
BENCHMARK(BM_ReadSymbols)->Unit(benchmark::kMillisecond);

void BM_FindSymbol(benchmark::State& state) {
  const auto file = some_file();
  const SymbolTable table = SymbolTable::from_elf(*file, nullptr);
  std::vector<std::uint64_t> addresses;
  for (const Symbol& symbol : table) addresses.push_back(symbol.start);
  std::ranges::shuffle(addresses, std::mt19937(1));
  for ([[maybe_unused]] auto _ : state)
    for (const std::uint64_t address : addresses)
      benchmark::DoNotOptimize(table.find(address));
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(addresses.size()));
}
BENCHMARK(BM_FindSymbol);

void BM_Demangle(benchmark::State& state) {
  const auto file = some_file();
  const SymbolTable table = SymbolTable::from_elf(*file, nullptr);
  const auto how = static_cast<Demangle>(state.range(0));
  for ([[maybe_unused]] auto _ : state)
    for (const Symbol& symbol : table)
      benchmark::DoNotOptimize(demangle(symbol.name, how));
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(table.size()));
}
BENCHMARK(BM_Demangle)
    ->Arg(static_cast<int>(Demangle::kShort))
    ->Arg(static_cast<int>(Demangle::kFull))
    ->ArgName("how");

}  // namespace
}  // namespace wick
