// SPDX-License-Identifier: Apache-2.0
// Makes a SymbolTable from symbols in any order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "object/elf/symbol_table.h"

namespace wick {

// The longest plausible name. In a string table without zeros, each symbol
// would be searched for its end to the end of the table.
// One byte more than a profile keeps, which counts the names that it cuts.
inline constexpr std::size_t kMaxSymbolName = (1 << 16) + 1;

enum class SymbolBinding : std::uint8_t { kLocal, kGlobal, kWeak };

struct SymbolCandidate {
  std::uint64_t start = 0, size = 0;
  // A symbol of size 0 is extended no further than this (the end of its
  // section).
  std::uint64_t limit = UINT64_MAX;
  std::string_view name;
  SymbolBinding binding = SymbolBinding::kGlobal;
};

class SymbolTableBuilder {
 public:
  // At most `count` more will be added.
  void reserve(std::size_t count) { symbols_.reserve(symbols_.size() + count); }
  void add(const SymbolCandidate& symbol) { symbols_.push_back(symbol); }
  // `name_of` gives the new name of each.
  template <class NameOf>
  void rename(NameOf name_of) {
    for (SymbolCandidate& symbol : symbols_) symbol.name = name_of(symbol);
  }
  // Makes the table own what names point into.
  void keep(std::shared_ptr<const void> owner) {
    owners_.push_back(std::move(owner));
  }
  const std::vector<SymbolCandidate>& symbols() const { return symbols_; }

  // Leaves the builder empty.
  SymbolTable build();

 private:
  std::vector<SymbolCandidate> symbols_;
  std::vector<std::shared_ptr<const void>> owners_;
};

}  // namespace wick
