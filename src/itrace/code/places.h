// SPDX-License-Identifier: Apache-2.0
// The places of a function that are counted separately: each distinct chain of
// inlined calls, with lines on request. Every two bytes of text belong to one
// of them; a function without debug information has a single place.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "itrace/code/code_map.h"
#include "object/dwarf/debug_info.h"

namespace wick {

class Places {
 public:
  enum class Detail : std::uint8_t { kFunctions, kInlines, kLines };

  Places(const CodeMap& map, Detail detail) : map_(map), detail_(detail) {}

  // The number of places of the function; never 0.
  std::uint32_t count(FunctionId function) { return of(function).count; }

  // Assigns places to the slots in `page` of the function at `slot`.
  void fill(CodePage& page, std::size_t slot) {
    if (page.place(slot) == CodePage::kNoPlace) fill_page(page, slot);
  }

  // The function itself and the inlined calls of a place, outermost first;
  // empty if only the symbol is known. Lives as long as this object.
  std::span<const SourceFrame> frames(FunctionId function, std::uint32_t place);
  // An address of this place in the file.
  std::uint64_t elf_addr(FunctionId function, std::uint32_t place);

 private:
  struct FunctionPlaces {
    std::uint32_t count = 1;
    std::vector<std::uint16_t> of_slot;  // from the function's start on
    struct Place {
      std::uint64_t elf_addr;
      std::uint32_t first, frames;  // in `frames`
    };
    std::vector<Place> places;
    std::vector<SourceFrame> frames;
  };
  FunctionPlaces& of(FunctionId function);
  void resolve(const CodeFunction& function, FunctionPlaces& out);
  void fill_page(CodePage& page, std::size_t slot);
  DebugInfo* debug_info(CodeImageId image);

  const CodeMap& map_;
  Detail detail_;
  std::vector<std::unique_ptr<FunctionPlaces>> functions_;
  std::vector<std::unique_ptr<DebugInfo>> images_;
  std::vector<bool> opened_;
};

}  // namespace wick
