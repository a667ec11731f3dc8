// SPDX-License-Identifier: Apache-2.0
#include "object/elf/symbol_table.h"

#include <algorithm>
#include <array>

#include "object/elf/symbol_table_builder.h"

namespace wick {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
// perf extends the last symbol of a table to the end of its page and one more.
constexpr std::uint64_t kLastSize = 8192;
// Real files nest labels in functions, seldom deeper.
constexpr int kMaxNesting = 64;

std::uint64_t end_of(const Symbol& symbol) {
  const std::uint64_t end = symbol.start + symbol.size;
  return end < symbol.start ? UINT64_MAX : end;
}

std::size_t leading_underscores(std::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

// Whether `a`, the earlier one, is preferred to `b` of the same address: the
// rules of perf's choose_best_symbol (tools/perf/util/symbol.c), in their
// order.
bool prefers_first(const SymbolCandidate& a, const SymbolCandidate& b) {
  if ((a.size == 0) != (b.size == 0)) return a.size != 0;
  const bool a_weak = a.binding == SymbolBinding::kWeak;
  const bool b_weak = b.binding == SymbolBinding::kWeak;
  if (a_weak != b_weak) return b_weak;
  const bool a_global = a.binding == SymbolBinding::kGlobal;
  const bool b_global = b.binding == SymbolBinding::kGlobal;
  if (a_global != b_global) return a_global;
  const std::size_t a_lines = leading_underscores(a.name);
  const std::size_t b_lines = leading_underscores(b.name);
  if (a_lines != b_lines) return a_lines < b_lines;
  if (a.name.size() != b.name.size()) return a.name.size() > b.name.size();
  // Aliases of system calls in kernels before 4.17.
  return !a.name.starts_with("SyS") && !a.name.starts_with("compat_SyS");
}

// Row numbers in order of their symbols' start, stable. A radix sort over the
// bytes in which starts differ at all; with two to four of them it beats
// comparing.
std::vector<std::uint32_t> by_start(
    const std::vector<SymbolCandidate>& symbols) {
  struct Key {
    std::uint64_t start;
    std::uint32_t row;
  };
  std::vector<Key> keys(symbols.size()), sorted(symbols.size());
  std::uint64_t any = 0, all = ~std::uint64_t{0};
  for (std::uint32_t i = 0; i < symbols.size(); ++i) {
    keys[i] = {symbols[i].start, i};
    any |= symbols[i].start;
    all &= symbols[i].start;
  }
  for (int shift = 0; shift < 64; shift += 8) {
    if (((any ^ all) >> shift & 0xff) == 0) continue;
    std::array<std::size_t, 257> place{};
    for (const Key& key : keys) ++place[(key.start >> shift & 0xff) + 1];
    for (std::size_t i = 1; i < place.size(); ++i) place[i] += place[i - 1];
    for (const Key& key : keys)
      sorted[place[key.start >> shift & 0xff]++] = key;
    keys.swap(sorted);
  }
  std::vector<std::uint32_t> rows;
  rows.reserve(keys.size());
  for (const Key& key : keys) rows.push_back(key.row);
  return rows;
}

// If symbols overlap: for each the nearest one before it that ends after it.
// Those that end after the current one form a stack.
std::vector<std::uint32_t> enclosing(const std::vector<Symbol>& symbols) {
  bool overlap = false;
  for (std::size_t i = 1; i < symbols.size() && !overlap; ++i)
    overlap = end_of(symbols[i - 1]) > symbols[i].start;
  std::vector<std::uint32_t> around;
  if (!overlap) return around;
  around.reserve(symbols.size());
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < symbols.size(); ++i) {
    while (!open.empty() && end_of(symbols[open.back()]) <= end_of(symbols[i]))
      open.pop_back();
    around.push_back(open.empty() ? kNone : open.back());
    open.push_back(i);
  }
  return around;
}

// Where signal handlers return to: functions of C libraries, and of the vDSO of
// AArch64 and RISC-V.
bool is_signal_return(std::string_view name) {
  return name == "__restore_rt" || name == "__restore" ||
         name == "__kernel_rt_sigreturn" || name == "__vdso_rt_sigreturn";
}

}  // namespace

SymbolTable SymbolTableBuilder::build() {
  SymbolTable table;
  const std::vector<std::uint32_t> rows = by_start(symbols_);
  table.symbols_.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size();) {
    const std::uint64_t start = symbols_[rows[i]].start;
    std::size_t next = i;
    while (next < rows.size() && symbols_[rows[next]].start == start) ++next;
    // As in perf, the last one without a size is extended to the next address
    // before the best is chosen, so it beats others without a size.
    SymbolCandidate& last = symbols_[rows[next - 1]];
    if (last.size == 0) {
      const std::uint64_t to =
          next < rows.size() ? symbols_[rows[next]].start : start + kLastSize;
      last.size = std::max(std::min(to, last.limit), start) - start;
    }
    const SymbolCandidate* best = &symbols_[rows[i]];
    for (++i; i < next; ++i)
      if (!prefers_first(*best, symbols_[rows[i]])) best = &symbols_[rows[i]];
    table.symbols_.push_back({start, best->size, best->name});
  }
  table.around_ = enclosing(table.symbols_);
  table.owners_ = std::move(owners_);
  symbols_.clear();
  return table;
}

const Symbol* SymbolTable::find(std::uint64_t elf_addr) const {
  const auto after =
      std::ranges::upper_bound(symbols_, elf_addr, {}, &Symbol::start);
  auto at = static_cast<std::uint32_t>(after - symbols_.begin()) - 1;
  for (int depth = 0; at != kNone && depth < kMaxNesting; ++depth) {
    const Symbol& symbol = symbols_[at];
    if (elf_addr - symbol.start < symbol.size) return &symbol;
    if (around_.empty()) break;
    at = around_[at];
  }
  return nullptr;
}

const Symbol* SymbolTable::find_caller(std::uint64_t elf_addr) const {
  const Symbol* found = find(elf_addr);
  const Symbol* next = find(elf_addr + 1);
  if (next == nullptr || next->start != elf_addr + 1) return found;
  const bool is_padding = found != nullptr && found->name.starts_with("__pfx_");
  return is_signal_return(next->name) || is_padding ? next : found;
}

}  // namespace wick
